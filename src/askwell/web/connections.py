"""The connections of the HTTP server: how many there may be, and how long each may wait before it asks for something.

uvicorn's own connections wait for ever for the rest of a request that has begun. A few hundred such ones take every
file that the process may open, and then no other request is answered. Readers who do not read are left to the proxy.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from askwell.web.errors import error_response

# What the first line and the headers of a request may have together; proxies allow half of it.
HEAD_BYTES = 64 * 1024
# Connections beyond the limit that may still ask whether the service lives, so that a full one is not taken for dead.
_SPARE = 32
_LIFE = ("/health/live", "/v1/health/live", "/health", "/v1/health")
_TOO_MANY = (
    "BUSY",
    "The service has as many connections as it may have.",
    "Try again in a moment; the limit is server.max_connections.",
)
_LARGE_HEAD = ("TOO_LARGE", "The headers of the request are too large.", "Send fewer or shorter ones.")
_NOT_HTTP = (
    "What came is not a request that can be understood.",
    "Send HTTP/1.1 without TLS: a known method, one length of the body, and an address of some kilobytes at most.",
)
_TOO_SLOW = ("TIMEOUT", "The request did not arrive in time.", "Send it again, without pauses in it.")


class Connection(HttpToolsProtocol):
    """One connection, with an end to every wait for a request: `head_seconds` for its first line and headers, and
    `body_seconds` of silence in its body. There are at most so many as `limit_concurrency` of `uvicorn.Config` says,
    which takes this as its `http`. Of more, the one that asked for nothing for the longest time makes room; where all
    are being answered, the newcomers are refused."""

    head_seconds = 10.0
    body_seconds = 30.0
    _timer: asyncio.TimerHandle | None = None
    _received = 0
    # When it last asked for something, or came, by the clock of the loop.
    _asked_at = 0.0
    # Whether a request has begun that is not there as a whole, and whether its headers are.
    _has_begun = _has_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        # uvicorn's own answer to too many is no JSON, and says of a full service that it is dead.
        self._limit, self.limit_concurrency = self.limit_concurrency or 0, None
        self._asked_at = self.loop.time()
        if self._limit and len(self.connections) > self._limit:
            self._make_room()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._received += len(data)
        super().data_received(data)
        if self._has_begun and not self._has_head and self._received > HEAD_BYTES:
            self._refuse(431, *_LARGE_HEAD)
        elif self._has_head or (self._timer is None and not self._is_answering):
            # A piece of a body; or blank lines, or the rest of a request that was answered before it was there.
            self._wait()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._has_begun, self._received = True, 0
        self._wait()

    def on_headers_complete(self) -> None:
        """A request's headers are there."""
        self._has_head = True
        self.app = self.config.loaded_app
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > HEAD_BYTES:
            self.app = _refusing(431, *_LARGE_HEAD)
        elif self._limit and len(self.connections) > self._limit and self.url.decode("latin-1") not in _LIFE:
            self.app = _refusing(503, *_TOO_MANY)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is there as a whole."""
        self._has_begun = self._has_head = False
        self._asked_at = self.loop.time()
        self._wait_no_more()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP gets the body that every error has."""
        self._refuse(400, "INVALID_REQUEST", *_NOT_HTTP)

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _make_room(self) -> None:
        idle = (one for one in self.connections if isinstance(one, Connection) and one is not self)
        idle = (one for one in idle if not one._is_answering)
        leaving = min(idle, key=lambda one: one._asked_at, default=self)
        if leaving is not self or len(self.connections) > self._limit + _SPARE:
            self.connections.discard(leaving)
            leaving.transport.close()

    def _wait(self) -> None:
        self._wait_no_more()
        seconds = self.body_seconds if self._has_head else self.head_seconds
        self._timer = self.loop.call_later(seconds, self._is_too_slow)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _is_too_slow(self) -> None:
        if self._has_head and self._is_answering and self.flow.read_paused:
            self._wait()  # it is the service that does not read
            return
        # Silence needs no answer, and in the middle of another answer, or behind one, there is no place for it.
        is_told = self.cycle.response_started if self._has_head else self._is_answering
        if not self._has_begun or is_told or self.pipeline:
            self.transport.close()
        else:
            self._refuse(408, *_TOO_SLOW)

    def _refuse(self, status: int, code: str, message: str, hint: str) -> None:
        request_id = secrets.token_hex(8)
        body = json.dumps({"code": code, "message": message, "hint": hint, "request_id": request_id})
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
            f"x-request-id: {request_id}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write((head + body).encode())
        self.transport.close()


def _refusing(status: int, code: str, message: str, hint: str) -> ASGIApp:
    headers = {"Connection": "close", **({"Retry-After": "1"} if status == 503 else {})}

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        refusal = error_response(secrets.token_hex(8), status, code, message, hint, headers=headers)
        await refusal(scope, receive, send)

    return answer
