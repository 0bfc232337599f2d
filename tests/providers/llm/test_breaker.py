"""A model server that is away: it is not asked, nobody waits for it, and it is found again by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from askwell import parts
from askwell.config import EmbedderConfig, load_config
from askwell.errors import EmbedderUnavailable, ModelUnavailable
from askwell.providers.breaker import FAILURES
from askwell.providers.embedder.factory import create_embedder
from askwell.providers.llm.base import LanguageModel
from askwell.providers.llm.reachability import Reachability
from tests.fakes.model_at import model_at
from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.recording_model import reply_of
from tests.observability.scraping import scrape
from tests.support.gateway import Gateway
from tests.support.service import Client, running_service, write_config

QUESTION = "Who among our customers is the keenest spender, roughly?"


class Door:
    """A server that answers every request with one status, or cuts it (0); counts questions and looks."""

    def __init__(self, questions: int, looks: int) -> None:
        self.status = {"POST": questions, "GET": looks}
        self.count = {"POST": 0, "GET": 0}
        self.api_base = ""

    async def answer(self, request: web.Request) -> web.Response:
        self.count[request.method] += 1
        await request.read()
        status = self.status[request.method]
        if not status:
            assert request.transport is not None
            request.transport.abort()
        return web.json_response({}, status=status or 500, headers={"Retry-After": "0"})


@asynccontextmanager
async def door(questions: int = 0, looks: int = 0) -> AsyncIterator[Door]:
    made = Door(questions, looks)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.api_base = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    yield made
    await runner.cleanup()


@asynccontextmanager
async def gateway_to(server: ChatServer) -> AsyncIterator[tuple[Gateway, str]]:
    async with Gateway("127.0.0.1", urlsplit(server.api_base).port or 0) as gateway:
        yield gateway, f"http://127.0.0.1:{gateway.port}/v1"


async def refused(model: LanguageModel, times: int = 1) -> ModelUnavailable:
    for _ in range(times):
        with pytest.raises(ModelUnavailable) as caught:
            await reply_of(model, system="Task: sql_answer", user="u")
    return caught.value


async def until(model: LanguageModel, away: bool) -> None:
    async with asyncio.timeout(10):
        while model.away is not away:
            await asyncio.sleep(0.01)


@pytest.mark.deep
async def test_a_server_that_is_away_is_asked_a_few_times_and_no_more() -> None:
    async with door() as server, model_at(server.api_base) as model:
        error = await refused(model, 12)
        assert model.away
        assert FAILURES <= server.count["POST"] <= FAILURES + 2  # sent before the look at it was over
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            await model.reach()
    assert "cannot be reached" in error.message
    assert "api_base" in error.hint


async def test_calls_that_come_together_fail_together() -> None:
    async with door() as server, model_at(server.api_base) as model:
        await asyncio.gather(*(refused(model) for _ in range(12)))
        assert server.count["POST"] <= 12 + FAILURES  # on their way before it was known
        await refused(model)
        assert server.count["POST"] <= 12 + FAILURES


async def test_it_is_found_again_without_a_question() -> None:
    async with ChatServer() as server, gateway_to(server) as (gateway, api_base), model_at(api_base) as model:
        await reply_of(model, system="Task: sql_answer", user="u")
        await gateway.shut()
        await refused(model, FAILURES)
        assert model.away
        await gateway.open()
        await until(model, away=False)
        assert server.calls() == 1
        await reply_of(model, system="Task: sql_answer", user="u")
        assert server.calls() == 2


@pytest.mark.parametrize("status", [307, 400, 401, 404, 429, 500])
async def test_whoever_answers_is_not_away(status: int) -> None:
    async with door(status) as server, model_at(server.api_base) as model:
        await refused(model, 2 * FAILURES)
        assert (model.away, server.count["GET"]) == (False, 0)
        assert server.count["POST"] >= 2 * FAILURES


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_gateway_before_a_server_that_is_away_is_no_answer(status: int) -> None:
    async with door(status, status) as server, model_at(server.api_base) as model:
        await refused(model, 5)
        assert model.away
        assert server.count["POST"] <= 2 * FAILURES
        server.status["GET"] = 401  # it is there again, whatever it thinks of us
        await until(model, away=False)


@pytest.mark.parametrize("questions", [0, 503])
async def test_one_model_that_fails_says_nothing_about_a_server_that_answers(questions: int) -> None:
    async with door(questions, 200) as server, model_at(server.api_base) as model:
        await refused(model, 2 * FAILURES)
        assert not model.away
        assert server.count["POST"] >= 2 * FAILURES


async def test_replies_that_are_cut_say_nothing_about_a_server() -> None:
    async with ChatServer({"sql_answer": [Answer(drop="middle")]}) as server, model_at(server.api_base) as model:
        await refused(model, FAILURES)
        assert (model.away, server.looks, server.calls()) == (False, 0, 3 * FAILURES)


async def test_models_at_one_address_share_it_and_others_do_not(tmp_path: Path) -> None:
    async with ChatServer() as there, door() as away:
        at = {"one": away.api_base, "two": f"{away.api_base}/", "three": there.api_base}
        llm = {name: {"provider": "openai", "model": name, "api_base": base} for name, base in at.items()}
        config = load_config(write_config(tmp_path, llm={"default": llm["one"], **llm}), {})
        models = parts.language_models(config)
        await refused(models["one"], FAILURES)
        asked = away.count["POST"]
        assert "cannot be reached" in (await refused(models["two"])).message
        assert away.count["POST"] == asked
        await reply_of(models["three"], system="Task: sql_answer", user="u")
        assert [models[name].away for name in at] == [True, True, False]
        for model in models.values():
            await model.close()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "model-server"]


async def test_readiness_says_so_at_once_and_looks_again_afterwards() -> None:
    async with ChatServer() as server, gateway_to(server) as (gateway, api_base), model_at(api_base) as model:
        reachability = Reachability([model])
        await reachability.require()
        await gateway.shut()
        await refused(model, FAILURES)
        with pytest.raises(ModelUnavailable, match="cannot be reached"):
            await reachability.require()
        await gateway.open()
        await until(model, away=False)
        await reachability.require()


@pytest.mark.deep
async def test_an_embedder_has_one_too() -> None:
    async with ChatServer() as server, gateway_to(server) as (gateway, api_base):
        dimensions = server.embedding_dimensions
        embedder = await create_embedder(
            EmbedderConfig(provider="openai", model="e", dimensions=dimensions, api_base=api_base), Path()
        )
        await embedder.embed(["a text"])
        await gateway.shut()
        for _ in range(3):
            with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
                await embedder.embed(["a text"])
        assert server.looks == 0
        await gateway.open()
        async with asyncio.timeout(10):
            while not server.looks:  # without a text
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert (await embedder.embed(["a text"])).shape == (1, dimensions)
        await embedder.close()


@pytest.mark.deep
async def test_asks_readiness_and_metrics_of_a_service(tmp_path: Path) -> None:
    async def seen(service: Client) -> tuple[bool, float]:
        _, ready = await service.call("GET", "/health/ready")
        return ready["checks"]["language_model"]["ok"], (await scrape(service)).value(
            "askwell_model_server_away", llm="default"
        )

    async with ChatServer() as server, gateway_to(server) as (gateway, api_base):
        async with running_service(write_config(tmp_path, api_base=api_base)) as service:
            await service.prepare()
            assert (await service.answer(QUESTION))["status"] == "finished"
            assert await seen(service) == (True, 0)
            await gateway.shut()
            results: list[dict[str, Any]] = [await service.answer(QUESTION) for _ in range(6)]
            assert {result["error"]["code"] for result in results} == {"OTHERS"}
            assert "until the server answers, questions that need it fail at once" in results[-1]["error"]["message"]
            assert await seen(service) == (False, 1)
            assert (await service.answer("How many customers are there?"))["sql_source"] == "rules"
            await gateway.open()
            async with asyncio.timeout(10):
                while await seen(service) != (True, 0):
                    await asyncio.sleep(0.05)
            assert (await service.answer(QUESTION))["status"] == "finished"


async def test_an_ask_survives_a_cut_reply_and_counts_both_calls(tmp_path: Path) -> None:
    right = Answer(json={"sql": "SELECT name FROM customers"})
    async with ChatServer({"sql_generation": [Answer(drop="middle"), right]}) as server:
        async with running_service(write_config(tmp_path, api_base=server.api_base)) as service:
            await service.prepare()
            result = await service.answer("Who among our customers is the keenest spender, roughly?")
    assert (result["status"], server.calls("sql_generation"), server.calls()) == ("finished", 2, 2)
    assert result["usage"]["llm_calls"] == 2
