"""The outermost layer: each request gets an id, a line in the log and, where it is traced, a span; each answer tells
browsers what they may do with it; a defect gets an answer without details."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askwell.observability.logging import request_scope
from askwell.observability.trace_context import HEADER as TRACE_HEADER
from askwell.observability.trace_context import TraceContext, new_trace_id, read_traceparent
from askwell.observability.tracing import CANCELLED, REQUEST_SPAN, Outcome, Span, Tracing, within
from askwell.web.errors import unexpected_response
from askwell.web.responses import PREFIX

logger = logging.getLogger(__name__)

HEADER = "X-Request-ID"
_RAW_HEADER = HEADER.lower().encode()
# For what is no page: opened as a document, it loads and runs nothing.
_NO_PAGE = "default-src 'none'; frame-ancestors 'none'"
_RAW_TRACE_HEADER = TRACE_HEADER.encode()
_UNTRACED = ("/health", "/metrics")
_UNKNOWN = "unknown"
_SANE = re.compile(rb"[A-Za-z0-9._-]{1,64}")


class RequestLog:
    """Plain ASGI: polls are many, and Starlette's own middleware base costs more than a poll."""

    def __init__(self, app: ASGIApp, tracing: Callable[[], Tracing]) -> None:
        self._app = app
        self._tracing = tracing

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

        caller = _caller(scope)
        trace_id = new_trace_id() if caller is None else caller.trace_id
        span = scope[REQUEST_SPAN] = self._span(scope, trace_id, caller)
        with request_scope(request_id, trace_id), within(span):
            try:
                await self._app(scope, receive, send_with_id)
            except Exception as error:
                logger.error("a request ended with an unexpected error", exc_info=error, extra=_route(scope))
                if status:
                    # Half an answer is out already: only the connection can say that it broke.
                    raise
                await unexpected_response(request_id)(scope, receive, send_with_id)
            finally:
                if span is not None:
                    _end(span, scope, status)
            self._log(scope, status, time.perf_counter() - started)

    def _span(self, scope: Scope, trace_id: str, caller: TraceContext | None) -> Span | None:
        """What asks for something to be done is traced; what only reads, where it is part of a caller's trace. Probes
        and scrapes come all day long."""
        path = scope["path"].removeprefix(PREFIX)
        if (scope["method"] == "GET" and caller is None) or path.startswith(_UNTRACED):
            return None
        return self._tracing().receive(trace_id, scope["method"], scope.get("scheme", "http"), caller)

    def _log(self, scope: Scope, status: int, seconds: float) -> None:
        # A poll that found something is the normal noise of a waiting client.
        level = logging.DEBUG if scope["method"] == "GET" and status < 400 else logging.INFO
        if logger.isEnabledFor(level):
            logger.log(level, "request", extra=_route(scope) | {"status": status, "ms": round(seconds * 1000, 1)})


def _end(span: Span, scope: Scope, status: int) -> None:
    target = _route(scope)
    route = target["route"] if target["route"] != _UNKNOWN else None
    # A client that went away before there was an answer gave the request up.
    error = str(status) if status >= 500 else CANCELLED if not status else None
    facts = {"http.route": route, "http.response.status_code": status or None}
    span.end(Outcome(f"{target['method']} {route}" if route else None, facts=facts, error=error))


def _caller(scope: Scope) -> TraceContext | None:
    for name, value in scope["headers"]:
        if name == _RAW_TRACE_HEADER:
            return read_traceparent(value.decode("latin-1"))
    return None


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == _RAW_HEADER and _SANE.fullmatch(value):
            return str(value, "ascii")
    return secrets.token_hex(8)


def _route(scope: Scope) -> dict[str, Any]:
    """The route's pattern without its mount. A path that matched nothing may hold anything, and is not logged."""
    route = scope.get("route")
    return {"method": scope["method"], "route": getattr(route, "path", None) or _UNKNOWN}
