"""A stop, or kill -9, at every stage: nothing goes on after a stop, and nothing accepted is lost to a crash."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support.processes import child_processes, forget_others
from tests.support.service import prepared_service, running_service, scripted_service, service_process, write_config
from tests.support.tables import case_table

QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
HISTORY = [{"question": "How many customers are German?", "sql": "SELECT 1"}]

# Each stage that waits for the model: what is asked, and the status while it waits.
STAGES = case_table(__file__, "stages")


# One of them quickly; all of them by make test-deep.
_STAGES = [stage if stage == "sql_generation" else pytest.param(stage, marks=pytest.mark.deep) for stage in STAGES]


def script(hanging: str) -> dict[str, list[Answer]]:
    """Everything is answered at once, but `hanging`, which waits for `release`."""
    answers = {
        "question_reformulation": Answer(text=QUESTION),
        "intent_classification": Answer(
            json={"rephrased_question": QUESTION, "reasoning": "because", "intent": "TEXT_TO_SQL"}
        ),
        "sql_generation": Answer(
            json={"plan": "1. **Rank**", "sql": "SELECT json_extract(name, 'not a path') FROM customers"}
        ),
        "sql_diagnosis": Answer(json={"diagnosis": "no such column", "suggested_fix": "use name"}),
        "sql_correction": Answer(json={"sql": RIGHT}),
    }
    stuck = answers[hanging]
    return {
        stage: [Answer(text=stuck.text, json=stuck.json, hang=True)] if stage == hanging else [answer]
        for stage, answer in answers.items()
    }


def settings(stage: str) -> dict[str, str]:
    """With the labels alone, a follow-up is rewritten by a call of its own."""
    return {"intent_mode": "fast"} if stage == "question_reformulation" else {}


@pytest.mark.parametrize("stage", _STAGES)
async def test_a_stop_at_every_stage_ends_everything(tmp_path: Path, stage: str) -> None:
    async with ChatServer(script(stage)) as server:
        async with running_service(
            write_config(tmp_path, api_base=server.api_base, settings=settings(stage))
        ) as service:
            await service.prepare()
            ask = await service.ask(QUESTION, histories=HISTORY, execute=True)
            request = await server.arrived(stage)
            await service.until(ask, STAGES[stage])
            before = server.calls()
            await service.stop(ask)
            assert (await service.result(ask))["status"] == "stopped"
            assert await server.ended(request) == "abandoned"
            assert not [task for task in asyncio.all_tasks() if task.get_name() == f"job-{ask}"]
            server.release()
            await asyncio.sleep(0.1)
            assert server.calls() == before
            assert (await service.result(ask))["status"] == "stopped"
            await service.stop(ask)
            assert await service.text(ask) in ("", "1. **Rank**")


async def test_a_stop_while_the_database_works_ends_the_query(tmp_path: Path) -> None:
    endless = (
        "SELECT count(*) FROM orders a CROSS JOIN orders b CROSS JOIN orders c CROSS JOIN orders d CROSS JOIN orders e"
        + "".join(f" CROSS JOIN orders f{n}" for n in range(20))
    )
    forget_others()
    async with scripted_service(tmp_path, {"sql_generation": [Answer(json={"sql": endless})]}) as (service, server):
        ask = await service.ask(QUESTION, execute=True)
        await server.arrived("sql_generation")
        await service.until(ask, "generating")
        await asyncio.sleep(0.3)
        await service.stop(ask)
        assert (await service.result(ask))["status"] == "stopped"
        await asyncio.sleep(0.3)
        busy = [child for child in child_processes() if child.cpu_percent(0.2) > 50]
        assert busy == []
        assert (await service.answer("How many customers are there?", execute=True))["data"]["rows"] == [[3]]


async def test_nothing_is_left_behind_when_the_service_stops(tmp_path: Path) -> None:
    forget_others()
    async with ChatServer(script("sql_generation")) as server:
        before = asyncio.all_tasks()
        async with prepared_service(tmp_path, api_base=server.api_base) as service:
            assert (await service.answer("How many customers are there?", execute=True))["status"] == "finished"
        assert child_processes() == []
        await asyncio.sleep(0.05)
        assert {task for task in asyncio.all_tasks() - before if not task.done()} == set()


@pytest.mark.deep
@pytest.mark.parametrize("stage", _STAGES)
async def test_kill_9_at_every_stage_loses_nothing(tmp_path: Path, stage: str) -> None:
    async with ChatServer(script(stage)) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings=settings(stage))
        async with service_process(config) as (process, service):
            await service.prepare()
            ask = await service.ask(QUESTION, histories=HISTORY, execute=True)
            await server.arrived(stage)
            await process.kill()
            server.release()
            await process.start()
            result = await service.end(ask)
    assert result["status"] == "finished"
    assert result["data"]["rows"] == [["Ada Lovelace"]]


@pytest.mark.deep
async def test_kill_9_loses_no_ask_that_is_still_queued(tmp_path: Path) -> None:
    async with ChatServer(script("sql_generation")) as server:
        config = write_config(tmp_path, api_base=server.api_base, settings={"concurrency": 1})
        async with service_process(config) as (process, service):
            await service.prepare()
            asks = [await service.ask(QUESTION, execute=True) for _ in range(4)]
            await server.arrived("sql_generation")
            assert (await service.result(asks[-1]))["status"] == "understanding"
            await process.kill()
            server.release()
            await process.start()
            ends = [await service.end(ask) for ask in asks]
    assert [end["data"]["rows"] for end in ends] == [[["Ada Lovelace"]]] * 4


@pytest.mark.deep
async def test_an_ask_that_kills_the_service_twice_is_given_up(tmp_path: Path) -> None:
    async with ChatServer(script("sql_generation")) as server:
        async with service_process(write_config(tmp_path, api_base=server.api_base)) as (process, service):
            await service.prepare()
            ask = await service.ask(QUESTION)
            for attempt in (1, 2):
                await server.arrived("sql_generation", attempt)
                await process.kill()
                await process.start()
            result = await service.end(ask)
    assert result["status"] == "failed"
    assert result["error"]["hint"]


@pytest.mark.deep
async def test_what_was_answered_is_still_there_after_a_crash(tmp_path: Path) -> None:
    async with service_process(write_config(tmp_path)) as (process, service):
        await service.prepare()
        first = await service.answer("How many customers are there?", execute=True)
        ask = first["trace_id"]
        await process.kill()
        await process.start()
        assert await service.result(ask) == first
        again = await service.answer("How many customers are there?", execute=True)
        assert again["data"] == first["data"]


@pytest.mark.deep
async def test_sigterm_lets_a_running_ask_end(tmp_path: Path) -> None:
    async with ChatServer(script("sql_generation")) as server:
        async with service_process(write_config(tmp_path, api_base=server.api_base)) as (process, service):
            await service.prepare()
            ask = await service.ask(QUESTION, execute=True)
            await server.arrived("sql_generation")
            stopping = asyncio.create_task(process.stop())
            await asyncio.sleep(0.2)
            server.release()
            await stopping
            calls = server.calls()
            await process.start()
            result = await service.end(ask)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert server.calls() == calls  # it ended before the service did, and was not run again


@pytest.mark.deep
async def test_restarts_on_purpose_do_not_count_against_an_ask(tmp_path: Path) -> None:
    async with ChatServer(script("sql_generation")) as server:
        async with service_process(write_config(tmp_path, api_base=server.api_base)) as (process, service):
            await service.prepare()
            ask = await service.ask(QUESTION, execute=True)
            for attempt in (1, 2, 3):
                await server.arrived("sql_generation", attempt)
                await process.stop_now()
                await process.start()
            await server.arrived("sql_generation", 4)
            server.release()
            result = await service.end(ask)
    assert result["data"]["rows"] == [["Ada Lovelace"]]
