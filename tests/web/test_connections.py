"""How long a connection may keep the service waiting, and how many there may be. Over real sockets."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import pytest
import uvicorn

from askwell.config import ServerConfig
from askwell.services.health.network import listen
from askwell.web.connections import HEAD_BYTES, Connection
from tests.support.apps import application
from tests.web.fakes import FakeServices
from tests.web.test_over_sockets import serving


class Quick(Connection):
    head_seconds = body_seconds = 0.2


LIVE = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-"
BODY = b'{"query": "How many?"}'
ASK = b"POST /v1/asks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
WORDS = b"GET /v1/asks/ask-1/streaming-result HTTP/1.1\r\nHost: localhost\r\n\r\n"

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Dial = Callable[..., AbstractAsyncContextManager[Streams]]


@asynccontextmanager
async def service(
    services: FakeServices, limit: int = 100, connection: type[Connection] = Quick
) -> AsyncIterator[Dial]:
    """Opens connections to a service. What starts with it, the OpenAPI page, is not wanted here."""
    async with serving(services, http=connection, limit_concurrency=limit, lifespan="off") as url:
        port = int(url.rpartition(":")[2])

        @asynccontextmanager
        async def dial(first: bytes = b"", buffer: int | None = None) -> AsyncIterator[Streams]:
            one = socket.socket()
            if buffer is not None:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            one.setblocking(False)
            await asyncio.get_running_loop().sock_connect(one, ("127.0.0.1", port))
            reader, writer = await asyncio.open_connection(sock=one, limit=buffer or 65536)
            writer.write(first)
            try:
                yield reader, writer
            finally:
                writer.transport.abort()

        yield dial


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, object]]:
    """The status and the body of one answer."""
    async with asyncio.timeout(10):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        size = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        body = await reader.readexactly(size)
    return int(head.split()[1]), json.loads(body)


async def rest(reader: asyncio.StreamReader) -> bytes:
    """What comes until the service ends the connection."""
    async with asyncio.timeout(10):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


async def test_answers_do_not_wait_for_more_to_send(services: FakeServices) -> None:
    """A connection to what `askwell serve` listens with: Nagle's algorithm would hold each answer up for 40 ms."""
    listener = listen(ServerConfig(port=0))
    with application(services) as app:
        server = uvicorn.Server(uvicorn.Config(app, http=Connection, lifespan="off", log_config=None))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(LIVE)
        assert (await answer(reader))[0] == 200
        (one,) = server.server_state.connections
        accepted = one.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        writer.close()
        server.should_exit = True
        await serving


class TestSenders:
    async def test_half_a_head_is_answered_and_let_go(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(HALF) as (reader, _):
            status, body = await answer(reader)
            assert (status, body["code"]) == (408, "TIMEOUT")
            assert {"code", "message", "hint", "request_id"} == set(body)
            assert await rest(reader) == b""

    async def test_a_head_that_trickles_in_is_no_better(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(HALF) as (reader, writer):

            async def trickle() -> None:
                while True:
                    writer.write(b"a")
                    await asyncio.sleep(0.05)

            trickling = asyncio.create_task(trickle())
            assert (await answer(reader))[0] == 408
            trickling.cancel()

    @pytest.mark.parametrize("sent", [b"", b"\r\n\r\n"])
    async def test_silence_is_let_go_without_a_word(self, services: FakeServices, sent: bytes) -> None:
        async with service(services) as dial, dial(sent) as (reader, _):
            assert await rest(reader) == b""

    async def test_blank_lines_do_not_keep_an_idle_connection(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(LIVE) as (reader, writer):
            assert (await answer(reader))[0] == 200
            writer.write(b"\r\n")
            assert await rest(reader) == b""

    async def test_half_a_body_is_answered_and_nothing_is_done(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(ASK % len(BODY) + BODY[:-1]) as (reader, _):
            assert (await answer(reader))[0] == 408
            assert await rest(reader) == b""
        assert services.asks.requests == {}

    async def test_a_slow_body_that_goes_on_is_taken(self, services: FakeServices) -> None:
        async with service(services) as dial:
            async with dial(ASK % len(BODY)) as (reader, writer):
                for start in range(0, len(BODY), 4):
                    await asyncio.sleep(0.08)
                    writer.write(BODY[start : start + 4])
                assert (await answer(reader))[0] == 202

    async def test_the_rest_of_a_refused_body_does_not_keep_the_connection(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(ASK % 5_000_000 + b"{") as (reader, writer):
            assert (await answer(reader))[0] == 413
            writer.write(b"x")
            assert await rest(reader) == b""

    @pytest.mark.parametrize("size", [b"Content-Length: 8000000", b"Transfer-Encoding: chunked"])
    async def test_a_client_that_sends_it_all_before_it_reads_sees_the_refusal(
        self, services: FakeServices, size: bytes
    ) -> None:
        head = ASK.replace(b"Content-Length: %d", size + b"\r\nConnection: close")
        piece = b"x" * 80_000
        async with service(services, connection=Connection) as dial, dial(head) as (reader, writer):
            for _ in range(100):
                writer.write(piece if b"Length" in size else b"%x\r\n%b\r\n" % (len(piece), piece))
                await writer.drain()
            writer.write(b"" if b"Length" in size else b"0\r\n\r\n")
            assert (await answer(reader))[0] == 413
            assert await rest(reader) == b""

    async def test_a_connection_goes_on_after_each_answer(self, services: FakeServices) -> None:
        async with service(services) as dial, dial() as (reader, writer):
            for _ in range(3):
                writer.write(ASK % len(BODY))
                await asyncio.sleep(0.1)
                writer.write(BODY)
                assert (await answer(reader))[0] == 202

    async def test_requests_one_behind_the_other_are_answered_in_order(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(LIVE + ASK % len(BODY) + BODY + LIVE) as (reader, _):
            assert [(await answer(reader))[0] for _ in range(3)] == [200, 202, 200]

    async def test_headers_without_end_are_refused(self, services: FakeServices) -> None:
        async with service(services, connection=Connection) as dial, dial(HALF) as (reader, writer):
            for _ in range(3):
                writer.write(b"a" * HEAD_BYTES)
            assert (await answer(reader))[0] == 431

    async def test_headers_that_come_at_once_may_be_no_larger(self, services: FakeServices) -> None:
        many = LIVE[:-2] + b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1000) for number in range(70)) + b"\r\n"
        async with service(services, connection=Connection) as dial, dial(many) as (reader, _):
            assert (await answer(reader))[0] == 431
            assert await rest(reader) == b""

    async def test_what_is_not_http_gets_the_body_of_every_error(self, services: FakeServices) -> None:
        async with service(services) as dial, dial(b"\x16\x03\x01 hello\r\n\r\n") as (reader, _):
            status, body = await answer(reader)
            assert (status, body["code"]) == (400, "INVALID_REQUEST")


class TestLimit:
    async def test_half_open_ones_make_room_the_oldest_first(self, services: FakeServices) -> None:
        async with service(services, limit=10) as dial, AsyncExitStack() as open_ones:
            half = [await open_ones.enter_async_context(dial(HALF)) for _ in range(30)]
            async with dial(ASK % len(BODY) + BODY) as (reader, _):
                assert (await answer(reader))[0] == 202
            assert [await reader.read() for reader, _ in half[:20]] == [b""] * 20
            assert [(await answer(reader))[0] for reader, _ in half[21:]] == [408] * 9

    async def test_those_that_are_answered_stay_and_a_full_service_is_not_dead(self, services: FakeServices) -> None:
        services.asks.pause_before_last_word = 30
        async with service(services, limit=3, connection=Connection) as dial, AsyncExitStack() as open_ones:
            async with dial(ASK % len(BODY) + BODY) as (reader, _):
                await answer(reader)
            streams = [await open_ones.enter_async_context(dial(WORDS)) for _ in range(3)]
            for reader, _ in streams:
                assert b"Count" in await reader.readuntil(b"\n\n\r\n")
            async with dial(ASK % len(BODY) + BODY) as (reader, _):
                status, body = await answer(reader)
                assert (status, body["code"]) == (503, "BUSY")
            for _ in range(50):
                async with dial(LIVE) as (reader, _):
                    assert (await answer(reader))[0] == 200
            assert not any(reader.at_eof() for reader, _ in streams)


class TestTargets:
    @pytest.mark.parametrize("head", [b"GET /health HTTP/1.0\r\n\r\n", b"GET /health HTTP/1.1\r\n\r\n"])
    async def test_no_host_is_a_bad_request(self, services: FakeServices, head: bytes) -> None:
        async with service(services) as dial, dial(head) as (reader, _):
            assert (await answer(reader))[0] == 400
