"""Who may call: requests under a name of this service, and from no page but its own and the allowed ones.

Where nobody has to sign in, whoever reaches the port may do everything. So any page that somebody has open could have
the browser do it, directly or by giving the page's own name the address of this service.
"""

from __future__ import annotations

import re
from functools import lru_cache

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from askwell.config import ServerConfig
from askwell.config.hosts import host_and_port, is_among, is_loopback, is_own_page, origin_pattern
from askwell.messages import say
from askwell.web.errors import error_response, request_id_of

# What a page of an allowed origin may read of an answer beside its body.
EXPOSED_HEADERS = ("Location", "Retry-After", "X-Request-ID", "Mcp-Session-Id", "Content-Disposition")
# What browsers say of a request: from a page of this very service, or typed, bookmarked and the like.
_AT_HOME = (b"same-origin", b"none")


class KnownCallers:
    """Answers everybody else 400 or 403, before anything of the request is read or done. Plain ASGI."""

    def __init__(self, app: ASGIApp, server: ServerConfig) -> None:
        self._app = app
        self._origins = re.compile(origin_pattern(server.allowed_origins)) if server.allowed_origins else None

        # Clients say the same again and again; what they may say is without end.
        @lru_cache(maxsize=256)
        def host_of(value: bytes) -> tuple[tuple[str, str] | None, bool]:
            host = host_and_port(value.decode("latin-1").strip(" \t"))
            return host, host is not None and (is_loopback(host[0]) or is_among(host[0], server.allowed_hosts))

        self._host_of = host_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        await error_response(request_id_of(Request(scope)), *refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str, str, str] | None:
        """Status, code, message and hint."""
        said: dict[bytes, list[bytes]] = {b"host": [], b"origin": [], b"sec-fetch-site": []}
        for name, value in scope["headers"]:
            if name in said:
                said[name].append(value)
        hosts, origins, sites = said.values()
        host, is_ours = self._host_of(hosts[0]) if len(hosts) == 1 else (None, False)
        if host is None:
            return 400, "INVALID_REQUEST", *say("callers.unclear_host")
        if not is_ours:
            return 403, "FORBIDDEN", *say("callers.other_host")
        if origins:
            may = all(self._may(origin.decode("latin-1"), host) for origin in origins)
        else:
            may = all(site in _AT_HOME for site in sites) or self._may("", host) or _is_followed_link(scope)
        return None if may else (403, "FORBIDDEN", *say("callers.other_page"))

    def _may(self, origin: str, host: tuple[str, str]) -> bool:
        return is_own_page(origin, host) or (self._origins is not None and bool(self._origins.fullmatch(origin)))


def _is_followed_link(scope: Scope) -> bool:
    """Somebody followed a link of another page, which never sees what comes of it."""
    headers = dict(scope["headers"])
    return (
        scope["method"] in ("GET", "HEAD")
        and headers.get(b"sec-fetch-mode") == b"navigate"
        and headers.get(b"sec-fetch-dest") == b"document"
    )
