"""Whether a language model can be reached: real, cheap, and without side effects."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from askwell.errors import ModelUnavailable
from askwell.providers.llm.reachability import KEPT_SECONDS, Reachability
from tests.fakes.model_at import KEY, model_at
from tests.fakes.openai_server import ChatServer


@asynccontextmanager
async def answering(status: int) -> AsyncIterator[str]:
    """A server that answers everything with one status."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text="no")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    await runner.cleanup()


@pytest.mark.parametrize("status", [200, 401, 403, 404, 405, 429, 500])
async def test_any_answer_will_do(status: int) -> None:
    async with answering(status) as api_base, model_at(api_base) as model:
        await model.reach()


async def test_a_server_that_is_slow_to_answer_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with model_at(f"http://127.0.0.1:{silent.getsockname()[1]}/v1") as model:
            await model.reach()


async def test_an_address_where_nobody_listens_is_said_without_secrets() -> None:
    async with ChatServer() as server:
        nobody = server.api_base
    async with model_at(nobody.replace("//", "//user:pass@")) as model:
        with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
            await model.reach()
    assert "api_base" in caught.value.hint
    assert not {KEY, "pass"} & set(caught.value.message.replace("@", " ").split())


@pytest.mark.parametrize(
    ("api_base", "todo"),
    [(None, "HTTPS_PROXY"), ("https://llm.example.internal/v1", "HTTPS_PROXY"), ("http://127.0.0.1:1/v1", "Start it")],
)
async def test_what_to_do_depends_on_who_runs_the_server(
    monkeypatch: pytest.MonkeyPatch, api_base: str | None, todo: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{gone.getsockname()[1]}")
    async with model_at(api_base) as model:
        with pytest.raises(ModelUnavailable, match="cannot be reached") as caught:
            await model.reach()
    assert todo in caught.value.hint


async def test_a_look_counts_for_a_while_and_calls_no_model() -> None:
    now = 100.0
    async with ChatServer() as server, model_at(server.api_base) as model:
        reachability = Reachability([model], lambda: now)
        await asyncio.gather(*(reachability.require() for _ in range(10)))
        assert (server.looks, server.calls()) == (1, 0)
        now += KEPT_SECONDS - 0.1
        await reachability.require()
        assert server.looks == 1
        now += 0.2
        await reachability.require()
        assert (server.looks, server.calls()) == (2, 0)
    for _ in range(2):  # it is gone: seen at the next look
        now += KEPT_SECONDS
        with pytest.raises(ModelUnavailable):
            await reachability.require()


async def test_one_of_several_that_is_away_is_enough() -> None:
    async with ChatServer() as server, model_at(server.api_base) as here, model_at("http://127.0.0.1:9/v1") as away:
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            await Reachability([here, away]).require()


async def test_without_a_model_there_is_nothing_to_reach() -> None:
    await Reachability([]).require()
