"""Agents for `useChat` and the other clients of the Vercel AI SDK."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from askwell.agent.service import Conversations, NewMessage
from askwell.jobs.events import json_bytes
from askwell.web.chat_events import Turn, UiParts, events_of, take
from askwell.web.deps import AnyCaller
from askwell.web.responses import CHANGES, CONFLICTS, NOT_FOUND, STARTS_WORK, STREAM, Responses
from askwell.web.routing import router as new_router
from askwell.web.schemas.ui_messages import UiMessagesBody
from askwell.web.sse import plain_stream

if TYPE_CHECKING:
    from askwell.container import Container

# Clients send the whole conversation each time.
MAX_BODY = 16 * 1024 * 1024
_BUSY: Responses = {429: STARTS_WORK[429]}
_HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}


def routes(services: Container) -> APIRouter:
    """The route /ui-messages."""
    router = new_router("/ui-messages", tag="conversations", role="ask", most_bytes=MAX_BODY)

    @router.post("", response_class=StreamingResponse, responses=STREAM | CHANGES | NOT_FOUND | CONFLICTS | _BUSY)
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
        return plain_stream(_parts(services.conversations, turn), services.ending, headers=_HEADERS)

    return router


async def _parts(conversations: Conversations, turn: Turn) -> AsyncIterator[str]:
    parts = UiParts(uuid.uuid4().hex)
    async for event in events_of(conversations, turn):
        for part in parts.of(event):
            yield json_bytes(part).decode()
    yield "[DONE]"
