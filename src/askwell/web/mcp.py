"""`/mcp`: the project's tools for clients of the Model Context Protocol, where the extra is installed."""

from __future__ import annotations

import asyncio
from contextvars import Context
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.errors import AskwellError, NotInstalled, ShuttingDown, http_status
from askwell.messages import say
from askwell.web.deps import caller_in
from askwell.web.errors import error_response, request_id_of

PATH = "/mcp"
# What is under way gets to end by itself once the service is about to end.
_LAST_SECONDS = 0.5
_INTERNAL_ERROR = -32603


class McpDoor:
    """An ASGI application. What speaks the protocol is imported and started for the first request, and ends with the
    services."""

    path = PATH
    """As a route has it, for the log and for traces."""

    def __init__(self, services: Any) -> None:
        self._services = services
        self._starting = asyncio.Lock()
        self._living: asyncio.Task[None] | None = None
        self._application: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self
        try:
            caller_in(scope)  # refuses a request of nobody where people sign in
            application = self._application or await self._started()
        except AskwellError as error:
            # In both shapes, so that a client of the protocol shows the words too.
            error_body = {"code": _INTERNAL_ERROR, "message": f"{error.message} {error.hint}"}
            more = {"jsonrpc": "2.0", "id": None, "error": error_body}
            request_id = request_id_of(Request(scope))
            refusal = error_response(request_id, http_status(error), error.code, error.message, error.hint, more=more)
            await refusal(scope, receive, send)
            return
        await application(scope, receive, send)

    async def close(self) -> None:
        """Ends what is under way. Called when the services have ended."""
        living, self._living, self._application = self._living, None, None
        self._starting = asyncio.Lock()
        if living is not None:
            living.cancel()
            await asyncio.wait({living})

    async def _started(self) -> ASGIApp:
        async with self._starting:
            if self._services.ending.is_set():
                raise ShuttingDown(*say("service.shutting_down_call"))
            if self._application is None:
                if find_spec("mcp") is None:
                    raise NotInstalled(*say("mcp.not_installed"))
                # A quarter of a second, which nobody else should wait for.
                module = await asyncio.to_thread(import_module, "askwell.mcp_server.server")
                ready: asyncio.Future[ASGIApp] = asyncio.get_running_loop().create_future()
                # It serves later requests too: nothing of this one goes along.
                living = self._live(module, ready)
                self._living = asyncio.create_task(living, name="mcp", context=Context())
                self._application = await ready
            return self._application

    async def _live(self, module: Any, ready: asyncio.Future[ASGIApp]) -> None:
        try:
            async with module.http_application(self._services) as application:
                ready.set_result(application)
                await self._services.ending.wait()
                self._application = None
                await asyncio.sleep(_LAST_SECONDS)
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
        finally:
            self._application = None
