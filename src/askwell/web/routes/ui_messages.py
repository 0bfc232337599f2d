"""Agents for `useChat` and the other clients of the Vercel AI SDK."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from askwell.agent.service import NewMessage
from askwell.jobs.events import json_bytes
from askwell.web.body_limit import body_limit
from askwell.web.responses import CHANGES, CONFLICTS, NOT_FOUND, STARTS_WORK, STREAM, Responses
from askwell.web.schemas.ui_messages import UiMessagesBody
from askwell.web.services import Conversations, Services
from askwell.web.sse import plain_stream
from askwell.web.talking import Turn, events_of, take
from askwell.web.ui_parts import UiParts

# Clients send the whole conversation each time.
MAX_BODY = 16 * 1024 * 1024
_BUSY: Responses = {429: STARTS_WORK[429]}
_HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}


def routes(services: Services) -> APIRouter:
    """The route /ui-messages."""
    router = APIRouter(prefix="/ui-messages", tags=["conversations"], route_class=body_limit(MAX_BODY))

    @router.post("", response_class=StreamingResponse, responses=STREAM | CHANGES | NOT_FOUND | CONFLICTS | _BUSY)
    async def stream_ui_message(body: UiMessagesBody) -> Response:
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
        turn = await take(services.conversations, message)
        return plain_stream(_parts(services.conversations, turn), services.ending, headers=_HEADERS)

    return router


async def _parts(conversations: Conversations, turn: Turn) -> AsyncIterator[str]:
    parts = UiParts(uuid.uuid4().hex)
    async for event in events_of(conversations, turn):
        for part in parts.of(event):
            yield json_bytes(part).decode()
    yield "[DONE]"
