"""What only shows over a real connection: large bodies, streams that are read along, readers that leave."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
import uvicorn

from askwell.web.sse import message_stream
from tests.support.apps import application
from tests.web.fakes import FakeServices

QUESTION = {"query": "How many orders?"}


@asynccontextmanager
async def serving(services: FakeServices, **settings: Any) -> AsyncIterator[str]:
    """Its URL; `settings` are uvicorn's."""
    with application(services) as app:
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, **{"lifespan": "on", **settings})
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        try:
            async with asyncio.timeout(10):
                while not server.started:
                    await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            await task


@pytest.fixture
async def url(services: FakeServices) -> AsyncIterator[str]:
    async with serving(services) as address:
        yield address


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as one:
        yield one


async def test_a_large_body_is_refused_and_the_connection_goes_on(url: str, session: aiohttp.ClientSession) -> None:
    async with session.post(f"{url}/v1/asks", json={"query": "x" * 5_000_000}) as answer:
        assert answer.status == 413
        assert (await answer.json())["code"] == "TOO_LARGE"
    async with session.post(f"{url}/v1/asks", json=QUESTION) as answer:
        assert answer.status == 202


async def test_a_large_body_in_chunks_is_refused(url: str, session: aiohttp.ClientSession) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(50):
            yield b"x" * 100_000

    async with session.post(f"{url}/v1/asks", data=pieces(), headers={"Content-Type": "application/json"}) as answer:
        assert answer.status == 413


async def test_words_arrive_while_later_ones_are_not_written_yet(
    services: FakeServices, url: str, session: aiohttp.ClientSession
) -> None:
    services.asks.pause_before_last_word = 30
    await (await session.post(f"{url}/v1/asks", json=QUESTION)).json()
    async with asyncio.timeout(5), session.get(f"{url}/v1/asks/ask-1/streaming-result") as answer:
        assert await answer.content.readuntil(b"\n\n") == b'data: {"message":"Count the\\norders "}\n\n'


async def test_a_reader_who_leaves_ends_the_reading(
    services: FakeServices, url: str, session: aiohttp.ClientSession
) -> None:
    services.asks.pause_before_last_word = 30
    await (await session.post(f"{url}/v1/asks", json=QUESTION)).json()
    async with session.get(f"{url}/v1/asks/ask-1/streaming-result") as answer:
        await answer.content.readuntil(b"\n\n")
    async with asyncio.timeout(5):
        await services.asks.stream_closed.wait()


async def test_a_silent_stream_shows_that_it_lives() -> None:
    async def chunks() -> AsyncIterator[str]:
        await asyncio.sleep(0.05)
        yield "at last"

    body = [piece async for piece in message_stream(chunks(), asyncio.Event(), ping_seconds=0.01).body_iterator]
    assert body[0] == b": still writing\n\n"
    assert body[-1] == b'data: {"message":"at last"}\n\n'


async def test_half_a_surrogate_pair_does_not_break_the_stream() -> None:
    async def chunks() -> AsyncIterator[str]:
        yield "before \ud83d"
        yield "after"

    body = [piece async for piece in message_stream(chunks(), asyncio.Event()).body_iterator]
    assert body == [b'data: {"message":"before ?after"}\n\n']


async def test_a_client_that_reads_up_to_the_first_brace_loses_nothing() -> None:
    said = 'a {"b":"c"} and \\"} and "}'

    async def chunks() -> AsyncIterator[str]:
        yield said

    frames = [piece async for piece in message_stream(chunks(), asyncio.Event()).body_iterator]
    taken = re.search(r'data: {"message":"([\s\S]*?)"}', b"".join(map(bytes, frames)).decode())
    assert taken is not None
    assert json.loads(f'"{taken[1]}"') == said


async def test_a_stream_ends_in_order_when_the_service_does(
    services: FakeServices, url: str, session: aiohttp.ClientSession
) -> None:
    services.asks.pause_before_last_word = 30
    await (await session.post(f"{url}/v1/asks", json=QUESTION)).json()
    async with asyncio.timeout(10), session.get(f"{url}/v1/asks/ask-1/streaming-result") as answer:
        await answer.content.readuntil(b"\n\n")
        services.ending.set()
        rest = await answer.content.read()
    assert rest.endswith(b": the service is shutting down; come back for the rest\n\n")
