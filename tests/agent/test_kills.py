"""kill -9 at every step of a run: what was told and written is kept, nothing hangs, and the thread goes on."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.agent.reference import verified
from tests.agent.talking import (
    ASK,
    Answer,
    Call,
    ChatServer,
    Talk,
    names,
    results,
    trader_config,
    words,
)
from tests.agent.test_streams import OPEN, SLOW, STEPS, begun_at
from tests.support.service import ServiceProcess, service_process

pytestmark = pytest.mark.deep


@asynccontextmanager
async def talked_to(
    folder: Path, script: dict[str, Any], **settings: Any
) -> AsyncIterator[tuple[ServiceProcess, Talk]]:
    """A service as a process of its own."""
    async with ChatServer() as server:
        config, model = trader_config(folder, server, **settings)
        async with service_process(config) as (process, service):
            assert (await service.prepare(model))["status"] == "finished"
            talk = Talk(service, server, folder, model)
            talk.script(script)
            yield process, talk
            await talk.check()


async def again(process: ServiceProcess, talk: Talk) -> None:
    await process.kill()
    talk.server.release()
    await process.start()


async def interrupted(talk: Talk, run_id: str, seen: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The run has failed, all that was `seen` of it is kept, and its thread takes another message."""
    run = await talk.settled(run_id)
    assert (run["status"], run["error"]["code"]) == ("failed", "INTERRUPTED"), run
    assert run["error"]["hint"]
    events = await talk.events(run_id)
    assert events[: len(seen)] == seen
    assert (events[-1]["type"], events[-1]["code"]) == ("RUN_ERROR", "INTERRUPTED")
    verified(events)
    messages = await talk.messages(run["thread_id"])
    assert messages[-1]["run_id"] == run_id
    talk.script(conversation=["Hello again."])
    assert (await talk.say("What is there?", thread_id=run["thread_id"]))["message"] == "Hello again."
    return events


@pytest.mark.parametrize("step", STEPS)
async def test_a_kill_at_every_step(tmp_path: Path, step: str) -> None:
    async with talked_to(tmp_path, {}) as (process, talk):
        run_id = await begun_at(talk, step)
        seen = await talk.so_far(run_id, lambda one: one.get("stepName") == STEPS[step][2])
        await again(process, talk)
        events = await interrupted(talk, run_id, seen)
        if step == "suggesting":
            assert words(events) == "There are 3."
        for one in (await talk.call("GET", "/v1/asks"))[1]["asks"]:
            await talk.service.end(one["query_id"])  # none is left hanging either


async def test_a_kill_while_text_is_written(tmp_path: Path) -> None:
    async with talked_to(tmp_path, {"conversation": [ASK, SLOW]}) as (process, talk):
        begun = await talk.begin("How many customers?")
        seen = await talk.so_far(begun["run_id"], lambda one: one["type"] == "TEXT_MESSAGE_CONTENT")
        await again(process, talk)
        events = await interrupted(talk, begun["run_id"], seen)
        own = [one for one in await talk.messages(begun["thread_id"]) if one["run_id"] == begun["run_id"]]
        assert [one["role"] for one in own] == ["user", "assistant", "tool", "assistant"]
        assert own[-1]["parts"] == [{"type": "text", "text": words(events), "is_cut": True}]


async def test_a_kill_while_it_is_queued(tmp_path: Path) -> None:
    script = {"conversation": [Answer(text="Hello.", hang=True)]}
    async with talked_to(tmp_path, script, agent={"concurrency": 1}) as (process, talk):
        first = await talk.begin("Hello?")
        await talk.server.arrived("conversation")
        await talk.so_far(first["run_id"], lambda one: one.get("stepName") == "think")
        second = await talk.begin("Are you there?")
        await again(process, talk)
        assert (await talk.settled(first["run_id"]))["error"]["code"] == "INTERRUPTED"
        assert (await talk.settled(second["run_id"]))["message"] == "Hello."


async def test_a_kill_while_something_is_asked_back(tmp_path: Path) -> None:
    async with talked_to(tmp_path, {"conversation": [OPEN, "3 are open."]}) as (process, talk):
        run = await talk.say("How many orders are open?")
        assert run["status"] == "awaiting_input"
        before = await talk.so_far(run["run_id"], lambda one: False)
        for _ in range(2):
            await again(process, talk)
            assert await talk.settled(run["run_id"]) == run
        body = {"message": "And?", "thread_id": run["thread_id"]}
        assert (await talk.call("POST", "/v1/chats", json=body))[0] == 409
        end = await talk.give(run, "2")
        assert end["message"] == "3 are open.", end
        events = await talk.events(run["run_id"])
        assert events[: len(before)] == before
        assert results(events)[0]["table"]["rows"] == [[3]]


async def test_a_kill_after_the_answer_was_given(tmp_path: Path) -> None:
    script = {"conversation": [OPEN, Answer(text="3 are open.", hang=True)]}
    async with talked_to(tmp_path, script) as (process, talk):
        thread, run_id = uuid.uuid4().hex, uuid.uuid4().hex
        first = await talk.agui("How many orders are open?", thread)
        [interrupt] = first[-1]["outcome"]["interrupts"]
        answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": "2"}
        body = {"threadId": thread, "runId": run_id, "messages": [], "resume": [answer]}
        async with talk.service.session.post(f"{talk.service.url}/v1/agent", json=body) as streaming:
            await streaming.content.readline()
            await talk.server.arrived("conversation", 2)
            [*_, last] = await talk.messages(thread)
            await again(process, talk)
        await talk.settled(last["run_id"])
        second = await talk.agui("", thread, run_id, resume=[answer])  # the same segment, replayed
        assert second[-1]["type"] == "RUN_ERROR"
        events = await interrupted(talk, last["run_id"], first)
        assert names(events).count("RUN_STARTED") == 2


async def test_a_kill_after_the_end_loses_nothing(tmp_path: Path) -> None:
    async with talked_to(tmp_path, {"conversation": [ASK, "There are 3."]}) as (process, talk):
        run = await talk.say("How many customers?")
        events, messages = await talk.events(run["run_id"]), await talk.messages(run["thread_id"])
        await again(process, talk)
        assert await talk.settled(run["run_id"]) == run
        assert await talk.events(run["run_id"]) == events
        for place in range(len(events)):
            assert await talk.events(run["run_id"], place) == events[place:]
        assert await talk.messages(run["thread_id"]) == messages


async def test_many_kills_and_no_run_is_left_hanging(tmp_path: Path) -> None:
    steady = Answer(calls=[Call("run_sql", {"sql": "SELECT COUNT(*) AS n FROM customers"})])
    async with talked_to(tmp_path, {}) as (process, talk):
        runs = []
        for number in range(4):
            talk.script(conversation=[steady, SLOW])
            runs += [await talk.begin(f"How many customers, {number}, {n}?") for n in range(5)]
            await talk.so_far(runs[-1]["run_id"], lambda one: one["type"] == "TEXT_MESSAGE_CONTENT")
            await again(process, talk)
        for one in runs:
            run = await talk.settled(one["run_id"])
            assert run["status"] in ("finished", "failed"), run
            verified(await talk.events(one["run_id"]))
