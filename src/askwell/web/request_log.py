"""The outermost layer: each request gets an id and a line in the log; each answer tells browsers what they may do with
it; a defect gets an answer without details."""

from __future__ import annotations

import logging
import re
import secrets
import time
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwell.observability.logging import request_scope
from askwell.web.errors import unexpected_response

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
_RAW_HEADER = HEADER.lower().encode()
# For what is no page: opened as a document, it loads and runs nothing.
_NO_PAGE = "default-src 'none'; frame-ancestors 'none'"
_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """Plain ASGI: polls are many, and Starlette's own middleware base costs more than a poll."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope["askwell.request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((_RAW_HEADER, request_id.encode()))
                headers = MutableHeaders(scope=message)
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Content-Security-Policy", _NO_PAGE)
            await send(message)

        with request_scope(request_id):
            try:
                await self._app(scope, receive, send_with_id)
            except Exception as error:
                logger.error("a request ended with an unexpected error", exc_info=error, extra=_route(scope))
                if status:
                    # Half an answer is out already: only the connection can say that it broke.
                    raise
                await unexpected_response(request_id)(scope, receive, send_with_id)
            self._log(scope, status, time.perf_counter() - started)

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        # A poll that found something is the normal noise of a waiting client.
        level = logging.DEBUG if scope["method"] == "GET" and status < 400 else logging.INFO
        if logger.isEnabledFor(level):
            logger.log(level, "request", extra=_route(scope) | {"status": status, "ms": round(seconds * 1000, 1)})


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == _RAW_HEADER and _SANE.fullmatch(value):
            return str(value, "ascii")
    return secrets.token_hex(8)


def _route(scope: Scope) -> dict[str, Any]:
    """The route's pattern without its mount. A path that matched nothing may hold anything, and is not logged."""
    route = scope.get("route")
    return {"method": scope["method"], "route": getattr(route, "path", None) or "unknown"}
