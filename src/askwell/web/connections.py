"""The connections of the HTTP server: how many there may be, and how long each may keep the service waiting.

uvicorn's own connections wait for ever: for the rest of a request that has begun, and for a reader who does not read. A
few hundred such ones take every file that the process may open, and then nobody is answered.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from askwell.web.errors import error_response

# What the first line and the headers of a request may have together; proxies allow half of it.
HEAD_BYTES = 64 * 1024
# What the system keeps of an answer that nobody reads. Left alone it takes megabytes, and says that there is room again
# only when a third of them was read: a slow reader would look like one who does not read.
_UNSENT_BYTES = 128 * 1024
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


@dataclass(frozen=True, slots=True)
class Patience:
    """In seconds: for a request's first line and headers to arrive, and for each further `least` bytes of its body to
    arrive, or of an answer to be read."""

    head: float = 10.0
    progress: float = 30.0
    least: int = 16 * 1024


class _Awaited(Enum):
    """What a connection has to send next; nothing while its request is being answered."""

    HEAD = "head"
    BODY = "body"
    NOTHING = "nothing"


class Connections:
    """Makes the connections of one server, at most `limit` of them; `uvicorn.Config` takes it as its `http`. Where they
    are too many, one of which nothing was asked makes room, the one that waits the longest first."""

    def __init__(self, limit: int, patience: Patience | None = None) -> None:
        self.patience = patience or Patience()
        self._limit = limit
        self._unasked: dict[Connection, None] = {}

    def __call__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> Connection:
        return Connection(self, config, server_state, app_state, _loop)

    def admit(self, newcomer: Connection) -> None:
        """Lets the newcomer, which is among its server's connections already, be one of them."""
        over = len(newcomer.connections) - self._limit
        oldest = next(iter(self._unasked), None)
        if over > 0 and oldest is not None:
            oldest.let_go()
        elif over > _SPARE:
            newcomer.let_go()
        elif over > 0:
            newcomer.app = _only_life(newcomer.app)
        self._unasked[newcomer] = None

    def asks(self, connection: Connection) -> None:
        """The connection has a whole request; now it stays."""
        self._unasked.pop(connection, None)

    def rests(self, connection: Connection) -> None:
        """The connection has its answer."""
        self._unasked[connection] = None


class Connection(HttpToolsProtocol):
    """One connection, with an end to every wait. A new one sets a timer; an ordinary request, which arrives at once and
    is read at once, sets none."""

    def __init__(
        self,
        all_of_them: Connections,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = all_of_them
        self._patience = all_of_them.patience
        self._awaited = self._timed = _Awaited.NOTHING
        self._sender: asyncio.TimerHandle | None = None
        self._reader: asyncio.TimerHandle | None = None
        self._received = 0
        self._head_bytes = 0
        # Whether a request has begun and is not there yet, and whether it began with the data just received.
        self._has_begun = self._is_new = False
        # What was there to read when the reader's timer was set; None since the reader caught up.
        self._unread: int | None = None

    # --- What the transport tells -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            one = transport.get_extra_info("socket")
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
        self._all.admit(self)
        self._awaited = _Awaited.HEAD
        self._time_the_sender()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._all.asks(self)
        for timer in (self._sender, self._reader):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._is_new = False
        super().data_received(data)
        if self._awaited is _Awaited.NOTHING and (self.cycle is None or self.cycle.response_complete):
            # Blank lines, or the rest of a request that was answered before it was there.
            self._awaited = _Awaited.HEAD
        if self._awaited is not self._timed or (self._is_new and self._awaited is _Awaited.HEAD):
            self._time_the_sender()
        elif self._awaited is _Awaited.HEAD:
            self._received += len(data)
            if self._received > HEAD_BYTES:
                self._refuse(431, *_LARGE_HEAD)

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self._time_the_reader()

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self._unread = None

    # --- What the parser and the answer tell --------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._awaited, self._has_begun, self._is_new = _Awaited.HEAD, True, True
        self._head_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header is there."""
        self._head_bytes += len(name) + len(value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """A request's headers are there."""
        self._awaited = _Awaited.BODY
        if self.url[:1] not in (b"/", b"*"):
            self._name_the_target()
        if self._head_bytes + len(self.url) > HEAD_BYTES:
            # They came at once, and are read already.
            self.app = _refusing(431, *_LARGE_HEAD, {"Connection": "close"})
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body is there."""
        self._received += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is there as a whole."""
        self._awaited, self._has_begun = _Awaited.NOTHING, False
        if not self.cycle.response_complete:
            self._all.asks(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer was written, though perhaps not read."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._time_the_reader()
        if self.cycle.response_complete:
            self._all.rests(self)

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP gets the body that every error has."""
        self._refuse(400, "INVALID_REQUEST", *_NOT_HTTP)

    # --- Ends ---------------------------------------------------------------------------------------------------------

    def let_go(self) -> None:
        """Ends the connection and counts it no more; what was written may still be read for a while."""
        self.connections.discard(self)
        self._all.asks(self)
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _time_the_sender(self) -> None:
        if self._sender is not None:
            self._sender.cancel()
        self._timed, self._received, self._sender = self._awaited, 0, None
        if self._timed is _Awaited.HEAD:
            self._sender = self.loop.call_later(self._patience.head, self._is_too_slow)
        elif self._timed is _Awaited.BODY:
            self._sender = self.loop.call_later(self._patience.progress, self._look_at_the_body)

    def _look_at_the_body(self) -> None:
        is_read = self.cycle is not None and not self.cycle.response_complete
        if is_read and (self.flow.read_paused or self._received >= self._patience.least):
            self._time_the_sender()
        else:
            self._is_too_slow()

    def _is_too_slow(self) -> None:
        # Silence needs no answer, and in the middle of another answer, or behind one, there is no place for it.
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self._timed is _Awaited.BODY:
            is_answering = self.cycle.response_started or bool(self.pipeline)
        if not self._has_begun or is_answering:
            self.let_go()
        else:
            self._refuse(408, "TIMEOUT", "The request did not arrive in time.", "Send it again, without pauses in it.")

    def _time_the_reader(self) -> None:
        if self._reader is None:
            self._unread = self.transport.get_write_buffer_size()
            self._reader = self.loop.call_later(self._patience.progress, self._look_at_the_reader)

    def _look_at_the_reader(self) -> None:
        before, now = self._unread, self.transport.get_write_buffer_size()
        self._reader = None
        if now and before is not None and before - now < min(self._patience.least, before):
            self.transport.abort()
        elif now:
            self._time_the_reader()

    def _name_the_target(self) -> None:
        """A target such as http://host/path says for whom the request is, as `Host` does; if the two differ, both are
        passed on, and no request has two."""
        authority = bytes(self.url).partition(b"://")[2].partition(b"/")[0]
        if not any(name == b"host" and value.lower() == authority.lower() for name, value in self.headers):
            self.headers.append((b"host", authority))

    def _refuse(self, status: int, code: str, message: str, hint: str) -> None:
        request_id = secrets.token_hex(8)
        body = json.dumps({"code": code, "message": message, "hint": hint, "request_id": request_id})
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
            f"x-request-id: {request_id}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write((head + body).encode())
        self.transport.close()


def _only_life(app: ASGIApp) -> ASGIApp:
    """Answers whether the service lives, and else that there are too many connections."""
    refuse = _refusing(503, *_TOO_MANY, {"Retry-After": "1", "Connection": "close"})

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["path"] in _LIFE else refuse)(scope, receive, send)

    return answer


def _refusing(status: int, code: str, message: str, hint: str, headers: dict[str, str]) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        refusal = error_response(secrets.token_hex(8), status, code, message, hint, headers=headers)
        await refusal(scope, receive, send)

    return answer
