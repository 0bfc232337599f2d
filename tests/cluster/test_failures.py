"""What becomes of accepted work when processes die or freeze, and when Redis, the record or a clock misbehave."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from sqlalchemy.engine import make_url

from tests.asks.test_clarification import TWINS, settled
from tests.asks.test_events import PLAN, QUESTION, RIGHT, read_events, script
from tests.cluster.conftest import Configure
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.cuts import cut_again_and_again
from tests.support.gateway import Gateway
from tests.support.redis_server import RedisServer
from tests.support.servers import ServerDatabase
from tests.support.service import Client, running_service, service_process
from tests.support.small_shops import make_small_shop

pytestmark = pytest.mark.deep

STUCK = Answer(json={"sql": RIGHT}, hang=True)
COUNT = "How many customers are there?"


async def test_without_redis_nothing_new_is_taken_and_what_goes_on_ends(
    configure: Configure, redis: RedisServer
) -> None:
    async with ChatServer(script(sql_generation=[STUCK])) as server:
        web, worker = configure("web", jobs={"work": False}), configure("worker", api_base=server.api_base)
        async with running_service(web) as web_client, running_service(worker) as worker_client:
            await web_client.prepare()
            ask = await web_client.ask(QUESTION)
            await server.arrived("sql_generation")
            seen = await read_events(web_client, f"/asks/{ask}/events", until="searching")
            redis.pause()
            async with asyncio.timeout(10):
                while (refused := await web_client.call("POST", "/v1/asks", json={"query": COUNT}))[0] != 503:
                    await asyncio.sleep(0.1)
            assert refused[1]["code"] == "UNAVAILABLE"
            assert "Redis" in refused[1]["message"]
            assert (await web_client.call("GET", "/health/ready"))[0] == 503
            assert (await web_client.call("GET", "/health/live"))[0] == 200
            server.release()
            result = await worker_client.end(ask)
            assert result["status"] == "finished"
            assert (await web_client.result(ask)) == result  # the record tells
            redis.go_on()
            rest = await read_events(web_client, f"/asks/{ask}/events", str(seen[-1][0]))
            assert rest[-1][1:] == ("done", result)
            async with asyncio.timeout(10):
                while (await web_client.call("POST", "/v1/asks", json={"query": COUNT}))[0] != 202:
                    await asyncio.sleep(0.1)


async def test_a_redis_that_has_lost_everything_loses_no_ask_and_no_event(
    configure: Configure, redis: RedisServer
) -> None:
    async with ChatServer(script(sql_generation=[STUCK])) as server:
        web, worker = configure("web", jobs={"work": False}), configure("worker", api_base=server.api_base)
        async with running_service(web) as web_client, running_service(worker) as worker_client:
            await web_client.prepare()
            ask = await web_client.ask(QUESTION)
            await server.arrived("sql_generation")
            seen = await read_events(web_client, f"/asks/{ask}/events", until="searching")
            listening = asyncio.create_task(read_events(web_client, f"/asks/{ask}/events", str(seen[-1][0])))
            redis.stop()
            await asyncio.sleep(0.5)
            await redis.start()
            server.release()
            rest = await listening
            assert [kind for _, kind, _ in rest] == ["state", "delta", "done"]
            assert rest[-1][2] == await worker_client.result(ask) == await web_client.result(ask)


async def test_accepted_while_redis_went_away_is_done_all_the_same(configure: Configure, redis: RedisServer) -> None:
    async with running_service(configure("web", jobs={"work": False})) as web:
        async with running_service(configure("worker")) as worker:
            await web.prepare()
        redis.stop()
        # Nobody has noticed yet.
        status, answer = await web.call("POST", "/v1/asks", json={"query": COUNT})
        await redis.start()
        async with running_service(configure("other")) as worker:
            if status == 202:
                assert (await worker.end(answer["query_id"]))["status"] == "finished"
            else:
                assert (status, answer["code"]) == (503, "UNAVAILABLE")


async def test_what_a_killed_process_had_another_does_and_readers_go_on(configure: Configure) -> None:
    async with ChatServer(script(sql_generation=[STUCK, Answer(json={"plan": PLAN, "sql": RIGHT})])) as server:
        config = configure("web", jobs={"work": False}), configure("killed", api_base=server.api_base)
        async with running_service(config[0]) as web:
            async with service_process(config[1]) as (process, _):
                await web.prepare()
                ask = await web.ask(QUESTION)
                await server.arrived("sql_generation")
                reading = asyncio.create_task(read_events(web, f"/asks/{ask}/events"))
                await process.kill()
                async with running_service(configure("other", api_base=server.api_base)) as other:
                    result = await other.end(ask, within=40)
                    assert result["status"] == "finished"
                    events = await reading
            ids = [number for number, _, _ in events]
            assert ids == sorted(set(ids))
            assert events[-1][1:] == ("done", result)
            assert await web.result(ask) == result
            assert await web.text(ask) == PLAN  # of the attempt that ended


async def test_an_ask_that_kills_whoever_takes_it_is_given_up_on(configure: Configure) -> None:
    async with ChatServer(script(sql_generation=[STUCK, STUCK, STUCK])) as server:
        async with running_service(configure("web", jobs={"work": False})) as web:
            async with service_process(configure("first", api_base=server.api_base)) as (process, _):
                await web.prepare()
                ask = await web.ask(QUESTION)
                await server.arrived("sql_generation")
                await process.kill()
            async with service_process(configure("second", api_base=server.api_base)) as (process, _):
                await server.arrived("sql_generation", 2, within=40)
                await process.kill()
            async with running_service(configure("third", api_base=server.api_base)) as third:
                result = await third.end(ask, within=40)
            assert result["status"] == "failed"
            assert "stopped twice" in result["error"]["message"]
            assert server.calls("sql_generation") == 2


async def test_a_process_that_was_taken_for_dead_lets_go(configure: Configure) -> None:
    """SIGSTOP for as long as the others wait, as of a machine that was put to sleep."""
    async with ChatServer(script(sql_generation=[STUCK, Answer(json={"sql": RIGHT})])) as server:
        async with AsyncExitStack() as stack:
            frozen, client = await stack.enter_async_context(service_process(configure("frozen", llm=patient(server))))
            await client.prepare()
            ask = await client.ask(QUESTION)
            await server.arrived("sql_generation")
            os.kill(frozen.pid, signal.SIGSTOP)
            other = await stack.enter_async_context(running_service(configure("other", api_base=server.api_base)))
            result = await other.end(ask, within=40)
            assert result["status"] == "finished"
            os.kill(frozen.pid, signal.SIGCONT)
            assert await client.result(ask) == result
            server.release()
            assert (await client.answer(COUNT))["status"] == "finished"  # under another name
            assert await client.result(ask) == await other.result(ask) == result
            assert server.calls("sql_generation") == 2


async def test_a_word_that_nobody_understands_leaves_the_next_ones_heard(
    configure: Configure, redis: RedisServer, record: ServerDatabase
) -> None:
    async with running_service(configure("a")) as a, running_service(configure("b")) as b:
        await a.prepare()
        question = "What does the moon weigh?"
        assert (await b.answer(question))["status"] == "failed"
        async with Redis.from_url(redis.url) as stranger:
            assert await stranger.publish(f"askwell:{record.name}:words", b"no word at all") == 2
        async with asyncio.timeout(10):
            while (await a.call("GET", "/health/ready"))[0] != 200:
                await asyncio.sleep(0.05)
        pair = {"id": "moon", "question": question, "sql": "SELECT count(*) AS n FROM customers"}
        status, saved = await a.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]})
        assert status == 202, saved
        async with asyncio.timeout(10):
            while (await b.call("GET", f"/v1/sql-pairs/{saved['event_id']}"))[1]["status"] != "finished":
                await asyncio.sleep(0.01)
        assert (await b.answer(question))["sql_source"] == "history"


async def test_what_waits_and_cannot_be_read_keeps_nothing_else_from_its_end(
    configure: Configure, record: ServerDatabase, tmp_path: Path
) -> None:
    path, model = make_small_shop("trader", tmp_path)
    sources = {"default": {"engine": "sqlite", "path": str(path), "shared": True}}
    config = configure("one", data_sources=sources, settings={"apply_lessons": False})
    async with running_service(config) as service:
        await service.prepare(model)
        unreadable, unknown, readable = [await service.ask(TWINS, interactive=True) for _ in range(3)]
        for ask in (unreadable, unknown, readable):
            assert (await settled(service, ask))["status"] == "awaiting_correction"
        spoilt = "jsonb_set(parked::jsonb, '{requirements}', '[1]')::json"
        record.ask(f"UPDATE jobs SET parked = {spoilt}, parked_until = 1 WHERE id = '{unreadable}'")
        await asyncio.sleep(4)  # it is looked at every two seconds
        record.ask(f"UPDATE jobs SET parked = '{{}}', parked_until = 1 WHERE id = '{unknown}'")  # of another version
        record.ask(f"UPDATE jobs SET parked_until = 1 WHERE id = '{readable}'")
        assert (await service.end(readable, within=10))["status"] == "failed"
        assert (await service.end(unknown, within=10))["status"] == "failed"


async def test_clocks_need_not_agree(configure: Configure) -> None:
    def late() -> datetime:
        return datetime.now(UTC) - timedelta(minutes=10)

    async with ChatServer(script(sql_generation=[STUCK])) as server:
        async with running_service(configure("web", jobs={"work": False}), now=late) as web:
            async with running_service(configure("worker", api_base=server.api_base)) as worker:
                await web.prepare()
                ask = await web.ask(QUESTION)
                await server.arrived("sql_generation")
                first = await read_events(web, f"/asks/{ask}/events", until="searching")
                server.release()
                result = await web.end(ask)
                assert result == await worker.result(ask)
                rest = await read_events(web, f"/asks/{ask}/events", str(first[-1][0]))
                assert rest[-1][1:] == ("done", result)
            status, listed = await web.call("GET", "/v1/asks")
            assert status == 200
            made = datetime.fromisoformat(listed["asks"][0]["created_at"])
            assert abs(datetime.now(UTC) - made) < timedelta(minutes=1)


async def test_connections_to_the_record_that_are_cut_lose_nothing(
    configure: Configure, record: ServerDatabase
) -> None:
    async with running_service(configure("a")) as a, running_service(configure("b")) as b:
        await a.prepare()
        async with cut_again_and_again(record.url):
            asks = []
            for number in range(60):
                status, answer = await (a, b)[number % 2].call("POST", "/v1/asks", json={"query": COUNT})
                if status == 202:
                    asks.append(answer["query_id"])
        assert len(asks) > 40
        for ask in asks:
            assert (await a.end(ask))["status"] == "finished"
            assert (await b.result(ask)) == (await a.result(ask))


# -- A record that is away for some seconds, for one process or for all, or that does not say what it has kept.


# Longer than a process may be silent before the others take it for dead.
AWAY_SECONDS = 12.0
# Longer than a process that waits for the record takes to find it again and to tell that it lives.
BACK_SECONDS = 5.0


@asynccontextmanager
async def door_to(record: ServerDatabase) -> AsyncIterator[tuple[Gateway, dict[str, str]]]:
    """A door between one process and the record, and that process's `knowledge` configuration."""
    place = make_url(record.url)
    async with Gateway(place.host or "127.0.0.1", place.port or 5432) as door:
        through = place.set(host="127.0.0.1", port=door.port).render_as_string(hide_password=False)
        yield door, {"url": through}


def patient(server: ChatServer) -> dict[str, Any]:
    """A language model that is waited for as long as all of this takes."""
    return {"default": {"provider": "openai", "model": "gpt-test", "api_base": server.api_base, "timeout": 120}}


async def is_ready(service: Client) -> None:
    async with asyncio.timeout(20):
        while (await service.call("GET", "/health/ready"))[0] != 200:
            await asyncio.sleep(0.05)


async def test_a_record_that_was_away_for_all_makes_nobody_dead(configure: Configure, record: ServerDatabase) -> None:
    """The first one to find it again sees that the other has told nothing for too long, as it has not itself."""
    async with (
        ChatServer(script(sql_generation=[STUCK, Answer(json={"sql": RIGHT})])) as server,
        door_to(record) as (door, first),
        door_to(record) as (other_door, second),
        running_service(configure("has-it", knowledge=first, llm=patient(server))) as has_it,
    ):
        await has_it.prepare()
        ask = await has_it.ask(QUESTION)
        await server.arrived("sql_generation")
        async with running_service(configure("other", knowledge=second, llm=patient(server))) as other:
            await asyncio.sleep(AWAY_SECONDS)  # by now it would take over what a dead process has
            await asyncio.gather(door.shut(), other_door.shut())
            await asyncio.sleep(AWAY_SECONDS)
            await other_door.open()
            await is_ready(other)
            await asyncio.sleep(BACK_SECONDS)
            await door.open()
            await is_ready(has_it)
            await asyncio.sleep(BACK_SECONDS)
            server.release()
            assert (await other.end(ask))["status"] == "finished"
            assert server.calls("sql_generation") == 1


async def test_what_was_kept_and_not_confirmed_is_done_by_the_process_that_wrote_it(
    configure: Configure, record: ServerDatabase
) -> None:
    async with door_to(record) as (door, knowledge):
        async with running_service(configure("alone", knowledge=knowledge)) as service:
            await service.prepare()
            door.shut_after(b"INSERT INTO jobs", b"COMMIT")
            key = {"headers": {"Idempotency-Key": "one"}, "json": {"query": COUNT}}
            status, answer = await service.call("POST", "/v1/asks", **key)
            assert (status, answer["code"]) == (503, "RECORD_UNAVAILABLE"), answer
            await door.open()
            await is_ready(service)
            status, answer = await service.call("POST", "/v1/asks", **key)
            assert status == 202, answer
            assert (await service.end(answer["query_id"]))["status"] == "finished"
