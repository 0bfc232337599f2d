"""The server over Streamable HTTP, as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from askwell.access.caller import CALLER, Caller
from askwell.mcp_server.server import mcp_server
from askwell.mcp_server.services import GONE, Connections, McpServices

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Of one message: a statement or a question, and what its client says of itself.
_BODY_BYTES = 1024 * 1024
# Clients of older versions have a session each, which ends when it was not used for this long.
_SESSIONS = 1_000
_IDLE_SECONDS = 1_800.0


@asynccontextmanager
async def http_application(services: McpServices) -> AsyncIterator[ASGIApp]:
    """The application, for as long as the context is open; leaving it ends all that is under way. Who may call has to
    be looked at in front of it."""
    manager = StreamableHTTPSessionManager(
        mcp_server(services, Connections()),
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=_BODY_BYTES,
        max_sessions=_SESSIONS,
        session_idle_timeout=_IDLE_SECONDS,
    )

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        caller = scope.get(CALLER)
        if isinstance(caller, Caller):
            # The library lets nobody else into a session than who began it.
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=caller.principal.id, scopes=[]))
        gone = scope[GONE] = asyncio.Event()

        async def watched() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
            return message

        is_open = False

        async def noted(message: Message) -> None:
            nonlocal is_open
            is_open = message["type"] == "http.response.start" or message.get("more_body", False)
            await send(message)

        try:
            await manager.handle_request(scope, watched, noted)
            if is_open and not gone.is_set():
                # A stream that the library lets go of, as when the service ends; to the client it would look cut off.
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.set()

    async with manager.run():
        yield answer
