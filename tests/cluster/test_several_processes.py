"""Any process answers for all of them: polls, events, stops and corrections reach a job wherever it goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from tests.asks.test_clarification import SALES, TWINS, correct, settled
from tests.asks.test_events import PLAN, QUESTION, RIGHT, read_events, script
from tests.cluster.conftest import Configure
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service
from tests.support.small_shops import make_small_shop

pytestmark = pytest.mark.deep


@asynccontextmanager
async def services(configure: Configure, *names: str, **options: Any) -> AsyncIterator[list[Client]]:
    """A service for each name; those called `web…` take requests alone."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                running_service(configure(name, jobs={"work": not name.startswith("web")}, **options))
            )
            for name in names
        ]


async def test_an_ask_is_polled_at_every_process(configure: Configure) -> None:
    async with services(configure, "a", "b") as (a, b):
        assert (await a.prepare())["status"] == "finished"
        ask = await b.ask("How many customers are there?", execute=True)
        here, there = await asyncio.gather(a.end(ask), b.end(ask))
        assert here == there
        assert here["status"] == "finished", here


async def test_processes_that_take_requests_alone_leave_the_work_to_others(configure: Configure) -> None:
    async with services(configure, "web") as (web,):
        ask = await web.ask("How many customers are there?")
        status, _ = await web.call("GET", f"/v1/asks/{ask}/result?wait=1")
        assert status == 200
        assert (await web.result(ask))["status"] == "understanding"
        async with services(configure, "worker") as (worker,):
            assert (await web.end(ask))["error"]["code"] == "OTHERS"  # there is no model yet
            assert (await web.prepare())["status"] == "finished"
            answer = await worker.answer("How many customers are there?")
            assert answer["status"] == "finished", answer


async def test_events_are_the_same_at_every_process_and_resumed_at_another_one(configure: Configure) -> None:
    async with ChatServer(script()) as server:
        async with services(configure, "web", "worker", api_base=server.api_base) as (web, worker):
            await web.prepare()
            ask = await web.ask(QUESTION, execute=True)
            here, there = await asyncio.gather(*(read_events(one, f"/asks/{ask}/events") for one in (web, worker)))
            assert here == there
            ids = [number for number, _, _ in here]
            assert ids == sorted(set(ids))
            states = [data["status"] for _, kind, data in here if kind == "state"]
            assert states == ["queued", "understanding", "searching", "planning", "generating"]
            assert "".join(data["message"] for _, kind, data in here if kind == "delta") == PLAN
            assert here[-1][1:] == ("done", await web.result(ask))
            for position, (number, _, _) in enumerate(here):
                assert await read_events(web, f"/asks/{ask}/events", str(number)) == here[position + 1 :]
            assert await web.text(ask) == await worker.text(ask) == PLAN


async def test_whoever_listens_elsewhere_hears_as_it_comes(configure: Configure) -> None:
    stuck = Answer(json={"sql": RIGHT}, hang=True)
    async with ChatServer(script(sql_generation=[stuck])) as server:
        async with services(configure, "web", "worker", api_base=server.api_base) as (web, _):
            await web.prepare()
            ask = await web.ask(QUESTION)
            await server.arrived("sql_generation")
            seen = await read_events(web, f"/asks/{ask}/events", until="searching")
            listening = asyncio.create_task(read_events(web, f"/asks/{ask}/events", str(seen[-1][0])))
            polling = asyncio.create_task(web.call("GET", f"/v1/asks/{ask}/result?wait=20"))
            await asyncio.sleep(0.3)
            assert not listening.done()
            assert not polling.done()
            server.release()
            assert [kind for _, kind, _ in await listening] == ["state", "delta", "done"]
            assert (await polling)[1]["status"] in ("generating", "finished")


async def test_an_ask_is_stopped_from_elsewhere(configure: Configure) -> None:
    stuck = Answer(json={"sql": RIGHT}, hang=True)
    async with ChatServer(script(sql_generation=[stuck])) as server:
        async with services(configure, "web", "worker", api_base=server.api_base) as (web, worker):
            await web.prepare()
            ask = await web.ask(QUESTION)
            await server.arrived("sql_generation")
            await web.stop(ask)
            calls = server.calls()
            assert (await worker.result(ask))["status"] == (await web.result(ask))["status"] == "stopped"
            assert (await read_events(web, f"/asks/{ask}/events"))[-1][2]["status"] == "stopped"
            server.release()
            await asyncio.sleep(0.3)
            assert server.calls() == calls
            await worker.stop(ask)  # an ended one stays as it is


async def test_an_ask_that_nobody_has_begun_is_stopped(configure: Configure) -> None:
    async with services(configure, "web") as (web,):
        ask = await web.ask("How many customers are there?")
        await web.stop(ask)
        assert (await web.result(ask))["status"] == "stopped"
        async with services(configure, "worker") as (worker,):
            await asyncio.sleep(1.5)
            assert (await worker.result(ask))["status"] == "stopped"


async def test_what_is_asked_back_is_answered_at_any_process(configure: Configure, tmp_path: Any) -> None:
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    options = {"data_sources": sources, "settings": {"apply_lessons": False}}
    async with services(configure, "a", "b", "web", **options) as (a, b, web):
        assert (await a.prepare(model))["status"] == "finished"
        for asker, answerer in ((a, b), (b, web), (web, a)):
            ask = await asker.ask(TWINS, interactive=True, execute=True)
            asked = await settled(answerer, ask)
            assert asked["status"] == "awaiting_correction"
            assert await settled(asker, ask) == asked
            assert await correct(answerer, ask, {"text": "the tenth of them all"}) == 202
            again = await settled(asker, ask)
            assert again["clarification"] != asked["clarification"]
            statuses = await asyncio.gather(
                *(correct(one, ask, {"text": "sales orders"}) for one in (a, b, web)),
            )
            assert sorted(statuses) == [202, 409, 409]
            result = await asker.end(ask)
            assert result["data"]["rows"] == SALES
            assert await answerer.result(ask) == result


async def test_a_key_is_used_once_for_all(configure: Configure) -> None:
    async with services(configure, "a", "b") as (a, b):
        await a.prepare()
        body = {"json": {"query": "How many customers are there?"}, "headers": {"Idempotency-Key": "one"}}
        answers = await asyncio.gather(*(one.call("POST", "/v1/asks", **body) for one in (a, b) * 5))
        assert len({answer["query_id"] for _, answer in answers}) == 1


async def test_what_one_process_saves_the_others_use_at_once(configure: Configure) -> None:
    async with services(configure, "a", "b") as (a, b):
        await a.prepare()
        question = "What does the moon weigh?"
        assert (await b.answer(question))["status"] == "failed"
        pair = {"id": "moon", "question": question, "sql": "SELECT count(*) AS n FROM customers"}
        status, saved = await a.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        assert status == 202
        async with asyncio.timeout(10):
            while (await b.call("GET", f"/v1/sql-pairs/{saved['event_id']}"))[1]["status"] != "finished":
                await asyncio.sleep(0.01)
        answer = await b.answer(question)
        assert (answer["status"], answer["sql_source"]) == ("finished", "history"), answer


async def test_a_preparation_is_done_once_and_all_processes_use_it(configure: Configure) -> None:
    async with services(configure, "a", "b", "c") as (a, b, c):
        ends = await asyncio.gather(*(one.prepare(mdl_hash=f"m{n}") for n, one in enumerate((a, b, c))))
        assert [end["status"] for end in ends] == ["finished"] * 3
        answers = await asyncio.gather(*(one.answer("How many customers are there?") for one in (a, b, c)))
        assert [answer["status"] for answer in answers] == ["finished"] * 3


async def test_what_a_process_puts_down_when_it_is_stopped_another_goes_on_with(configure: Configure) -> None:
    stuck = [Answer(json={"sql": RIGHT}, hang=True), Answer(json={"sql": RIGHT})]
    async with ChatServer(script(sql_generation=stuck)) as server:
        async with services(configure, "web", api_base=server.api_base) as (web,):
            async with services(configure, "first", api_base=server.api_base) as (first,):
                await first.prepare()
                ask = await web.ask(QUESTION)
                await server.arrived("sql_generation")
            # It had ten seconds to end the ask.
            async with services(configure, "second", api_base=server.api_base):
                began = time.monotonic()
                assert (await web.end(ask))["status"] == "finished"
                assert time.monotonic() - began < 10


async def test_a_service_alone_does_not_share_a_record(configure: Configure, record: Any, tmp_path: Any) -> None:
    from askwell.errors import RecordUnavailable
    from askwell.knowledge.record import Record

    async with services(configure, "a"):
        with pytest.raises(RecordUnavailable, match="Another Askwell service"):
            await Record.open(record.url, tmp_path)
