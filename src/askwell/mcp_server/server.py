"""The server: what each message leads to, in all versions of the protocol.

It runs over Streamable HTTP, as an ASGI application, and over the standard streams of a process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, cast

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from askwell import __version__
from askwell.access.caller import CALLER, Caller
from askwell.errors import AskwellError
from askwell.mcp_server.calls import ToolCalls
from askwell.mcp_server.resources import Prompts, Resources
from askwell.mcp_server.services import GONE, Connections, McpServices
from askwell.resources import words_file

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

_NAME, _TITLE = "askwell", "Askwell"
# How long a client may take from being asked back to the answer; an ask waits for a day by itself.
_STATE_SECONDS = 86_400.0
_ALIVE = frozenset({"ping"})

Context = ServerRequestContext[Any, Any]


def mcp_server(services: McpServices, connections: Connections) -> Server[Any]:
    """The server over services that are started. It holds nothing of any client."""
    calls, resources, prompts = ToolCalls(services, connections), Resources(services, connections), Prompts(connections)
    server: Server[Any] = Server(
        _NAME,
        version=__version__,
        title=_TITLE,
        instructions=words_file(__package__, "texts.yaml")["instructions"],
        get_tool_input_schema=calls.schema_of,
        on_list_tools=calls.list,
        on_call_tool=calls.call,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list,
        on_get_prompt=prompts.get,
    )
    state = RequestStateSecurity(keys=[services.shared_secret], ttl=_STATE_SECONDS)
    state.bind_principal = connections.owner_of
    # In place of the library's own, which tells OpenTelemetry of every message: what was asked stays here.
    server.middleware = [_Gate(services, connections), RequestStateBoundary(state, default_audience=_NAME)]
    return server


class _Gate:
    """The first that sees a message. It lets in who names a project that there is, and no exception out."""

    def __init__(self, services: McpServices, connections: Connections) -> None:
        self._services = services
        self._connections = connections

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        try:
            if ctx.request_id is not None and ctx.method not in _ALIVE:
                self._services.projects.require_database(self._connections.project_of(ctx))
            return await call_next(ctx)
        except AskwellError as error:
            details = {"code": error.code, "message": error.message, "hint": error.hint}
            raise MCPError(INVALID_PARAMS, f"{error.message} {error.hint}".strip(), details) from None
        except (MCPError, ValidationError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise
        except Exception as error:
            logger.error(
                "a message could not be handled",
                extra={"method": ctx.method[:64], "error": type(error).__name__},
                exc_info=True,
            )
            raise MCPError(INTERNAL_ERROR, "Something unexpected went wrong inside Askwell.") from None


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


class Writing(Protocol):
    """Where lines go. Raises `OSError` once nobody reads them any more."""

    async def write(self, text: str) -> None: ...

    async def flush(self) -> None: ...


class _UntilClosed:
    """What is written to someone who is gone is lost; the end of what they say is the end of it all."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing

    async def write(self, text: str) -> None:
        await self._writing.write(text)

    async def flush(self) -> None:
        try:
            await self._writing.flush()
        except OSError:
            raise anyio.ClosedResourceError from None


def streams(incoming: AsyncIterator[str], outgoing: Writing) -> Any:
    """A context of two streams of messages over lines of text, one message each."""
    # The library asks for files; it reads the one line by line, and only writes to the other.
    return stdio_server(cast("anyio.AsyncFile[str]", incoming), cast("anyio.AsyncFile[str]", _UntilClosed(outgoing)))


async def serve(
    services: McpServices, connections: Connections, incoming: AsyncIterator[str], outgoing: Writing
) -> None:
    """Answer one client until it has said all. Cancelling ends what is under way."""
    server = mcp_server(services, connections)
    async with streams(incoming, outgoing) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
