"""Agents for `useChat` and the other clients of the Vercel AI SDK
(https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol)."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any, Self

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse
from pydantic import Field, model_validator

from askwell.agent.service import Conversations, NewMessage
from askwell.jobs.events import json_bytes
from askwell.jobs.request import DEFAULT_PROJECT, Configurations, Identifier, Lenient, PathId, ProjectId
from askwell.web.chat_events import Turn, UiParts, events_of, holds_words_of_user, last_words, take
from askwell.web.deps import AnyCaller
from askwell.web.responses import BUSY, CHANGES, CONFLICTS, NOT_FOUND, STREAM
from askwell.web.routes.conversations import SessionProperties, Variables
from askwell.web.routing import router as new_router
from askwell.web.sse import plain_stream

if TYPE_CHECKING:
    from askwell.container import Container

# Clients send the whole conversation each time.
MAX_BODY = 16 * 1024 * 1024
_HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}


class UiMessage(Lenient):
    """A message; of its parts those with a `text` are read."""

    role: Annotated[str, Field(max_length=32)]
    parts: list[Any] = []


class UiMessagesBody(Lenient):
    """What the SDK sends, of which the chat's id and the last message of the user are read, and what Askwell takes
    beside it. `trigger`, `messageId` and other fields are ignored."""

    id: PathId
    messages: Annotated[list[UiMessage], Field(max_length=10_000, json_schema_extra=holds_words_of_user("parts"))]
    project_id: ProjectId = DEFAULT_PROJECT
    agent_id: Identifier | None = None
    variables: Variables = {}
    session_properties: SessionProperties = {}
    configurations: Configurations = Configurations()

    @model_validator(mode="after")
    def _is_a_message(self) -> Self:
        self.said()
        return self

    def said(self) -> str:
        """The message that is to be answered."""
        return last_words((one.role, one.parts) for one in self.messages)[1]


def routes(services: Container) -> APIRouter:
    """The route /ui-messages."""
    router = new_router("/ui-messages", tag="conversations", role="ask", most_bytes=MAX_BODY)

    @router.post("", response_class=StreamingResponse, responses=STREAM | CHANGES | NOT_FOUND | CONFLICTS | BUSY)
    async def stream_ui_message(caller: AnyCaller, body: UiMessagesBody) -> Response:
        """Answer the last message of the user as a UI message stream of the Vercel AI SDK. The chat's `id` is the
        thread's; where that thread asked back, the message is the answer."""
        message = NewMessage(
            body.project_id,
            body.said(),
            thread_id=body.id,
            agent_id=body.agent_id,
            variables=body.variables,
            configurations=body.configurations,
            session_properties=body.session_properties,
        )
        turn = await take(caller, services.conversations, message)
        response = plain_stream(_parts(services.conversations, turn), services.ending)
        response.headers.update(_HEADERS)
        return response

    return router


async def _parts(conversations: Conversations, turn: Turn) -> AsyncIterator[str]:
    parts = UiParts(uuid.uuid4().hex)
    async for event in events_of(conversations, turn):
        for part in parts.of(event):
            yield json_bytes(part).decode()
    yield "[DONE]"
