"""What came out when people who had read nothing but the pages tried several processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.agent.talking import ASK
from tests.asks.test_events import QUESTION, RIGHT, read_events, script
from tests.cluster.conftest import Configure
from tests.cluster.test_conversations import talking_at_two
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.redis_server import RedisServer
from tests.support.service import Client, running_service, service_process

pytestmark = pytest.mark.deep

WORDS = " ".join(f"word{number}" for number in range(200))
STUCK = Answer(json={"sql": RIGHT}, hang=True)


async def answer_in_words(service: Client) -> str:
    body = {"query": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}
    status, answer = await service.call("POST", "/v1/sql-answers", json=body)
    assert status == 202, answer
    return str(answer["query_id"])


async def told(service: Client, job: str) -> tuple[list[int], str, str]:
    """The ids of a job's events, its text, and the name of the last one."""
    events = await read_events(service, f"/sql-answers/{job}/events")
    text = "".join(data["message"] for _, kind, data in events if kind == "delta")
    return [number for number, _, _ in events], text, events[-1][1]


async def test_stopping_what_is_being_written_leaves_its_events_in_order(configure: Configure) -> None:
    slow = Answer(text=WORDS, chunk_delay=0.01)
    async with ChatServer({"sql_answer": [slow] * 6}) as server:
        web, worker = configure("web", jobs={"work": False}), configure("worker", api_base=server.api_base)
        async with running_service(web) as at_web, running_service(worker) as at_worker:
            await at_web.prepare()
            for moment in (0.1, 0.3, 0.6):
                job = await answer_in_words(at_web)
                await server.arrived("sql_answer", within=20)
                reading = asyncio.create_task(told(at_web, job))
                await asyncio.sleep(moment)
                status, _ = await at_web.call("PATCH", f"/v1/sql-answers/{job}", json={"status": "stopped"})
                assert status == 200
                ids, text, last = await reading
                assert ids == sorted(set(ids))
                assert last == "done"
                assert WORDS.startswith(text)
                assert (ids, text, last) == await told(at_worker, job)
                server.requests.clear()


async def test_held_polls_outlive_redis(configure: Configure, redis: RedisServer) -> None:
    async with ChatServer(script(sql_generation=[STUCK])) as server:
        web, worker = configure("web", jobs={"work": False}), configure("worker", api_base=server.api_base)
        async with running_service(web) as at_web, running_service(worker):
            await at_web.prepare()
            ask = await at_web.ask(QUESTION)
            await server.arrived("sql_generation")
            polls = [asyncio.create_task(at_web.call("GET", f"/v1/asks/{ask}/result?wait=3")) for _ in range(10)]
            await asyncio.sleep(0.5)
            redis.stop()
            answers = await asyncio.gather(*polls)
            assert {status for status, _ in answers} == {200}
            await redis.start()
            server.release()
            assert (await at_web.end(ask))["status"] == "finished"


async def test_what_is_deleted_is_forgotten_by_every_process(configure: Configure, tmp_path: Path) -> None:
    answer = [ASK, Answer(text="There are 3 customers.")]
    async with talking_at_two(configure, tmp_path, conversation=answer) as (web, worker, _):
        run = await worker.settled((await web.begin("How many customers are there?"))["run_id"])
        status, listed = await worker.call("GET", "/v1/asks")
        assert status == 200
        assert listed["asks"], "the run has asked the data"
        paths = [f"/v1/runs/{run['run_id']}", *(f"/v1/asks/{one['query_id']}/result" for one in listed["asks"])]
        for path in paths:
            assert [(await one.call("GET", path))[0] for one in (web, worker)] == [200, 200]
        assert (await web.call("DELETE", f"/v1/threads/{run['thread_id']}"))[0] == 200
        async with asyncio.timeout(5):
            for path in paths:
                while [(await one.call("GET", path))[0] for one in (web, worker)] != [404, 404]:
                    await asyncio.sleep(0.02)


async def test_what_was_deleted_while_redis_was_away_is_forgotten_when_it_is_back(
    configure: Configure, redis: RedisServer, tmp_path: Path
) -> None:
    answer = [ASK, Answer(text="There are 3 customers.")]
    async with talking_at_two(configure, tmp_path, conversation=answer) as (web, worker, _):
        run = await worker.settled((await web.begin("How many customers are there?"))["run_id"])
        redis.stop()
        assert (await web.call("DELETE", f"/v1/threads/{run['thread_id']}"))[0] == 200
        await redis.start()
        async with asyncio.timeout(10):
            while (await worker.call("GET", f"/v1/runs/{run['run_id']}"))[0] != 404:
                await asyncio.sleep(0.05)


async def test_held_polls_are_answered_when_the_process_is_stopped(configure: Configure) -> None:
    async with ChatServer(script(sql_generation=[STUCK])) as server:
        async with running_service(configure("worker", api_base=server.api_base)) as worker:
            await worker.prepare()
            async with service_process(configure("web", jobs={"work": False})) as (process, web):
                ask = await web.ask(QUESTION)
                await server.arrived("sql_generation")
                poll = f"/v1/asks/{ask}/result?wait=30"
                polls = [asyncio.create_task(web.call("GET", poll)) for _ in range(3)]
                await asyncio.sleep(0.5)
                await process.stop()
                answers = await asyncio.gather(*polls)
            assert [status for status, _ in answers] == [200, 200, 200]
            assert {answer["status"] for _, answer in answers} == {"searching"}
            server.release()
            assert (await worker.end(ask))["status"] == "finished"
