"""The server: what each message leads to, in all versions of the protocol, over whatever carries it."""

from __future__ import annotations

import logging
from typing import Any

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from askwell import __version__
from askwell.errors import AskwellError
from askwell.mcp_server.calls import ToolCalls
from askwell.mcp_server.resources import Prompts, Resources
from askwell.mcp_server.services import Connections, McpServices
from askwell.resources import words_file

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
            told = {"code": error.code, "message": error.message, "hint": error.hint}
            raise MCPError(INVALID_PARAMS, f"{error.message} {error.hint}".strip(), told) from None
        except (MCPError, ValidationError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise
        except Exception as error:
            logger.error(
                "a message could not be handled",
                extra={"method": ctx.method[:64], "error": type(error).__name__},
                exc_info=True,
            )
            raise MCPError(INTERNAL_ERROR, "Something unexpected went wrong inside Askwell.") from None
