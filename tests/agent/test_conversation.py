"""Conversations with an agent over HTTP, its language model scripted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agent.talking import Answer, Call, Talk, names, words

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = Answer(calls=[Call("ask_data", {"question": "how many customers are there?"})])


async def test_a_question_is_answered_from_what_the_tools_give(talk: Talk) -> None:
    talk.script({"conversation": [ASK, Answer(text="There are 3 customers.")]})
    run = await talk.say("How many customers do we have?")
    assert run["status"] == "finished", run
    assert run["message"] == "There are 3 customers."
    assert len(run["suggested_questions"]) == 3
    events = await talk.events(run["run_id"])
    assert names(events)[:2] == ["RUN_STARTED", "STATE_SNAPSHOT"]
    assert "askwell.sql" in names(events)
    assert "askwell.data" in names(events)
    assert words(events) == run["message"]
    assert events[-1]["outcome"] == {"type": "success"}


OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])


async def test_what_is_asked_back_is_answered_and_the_run_goes_on(talk: Talk) -> None:
    talk.script({"conversation": [OPEN, Answer(text="Done.")]})
    run = await talk.say("How many orders are open?")
    assert run["status"] == "awaiting_input", run
    (interrupt,) = run["interrupts"]
    choice = interrupt["responseSchema"]["anyOf"][0]["const"]
    body = {"interrupt_id": interrupt["id"], "payload": choice}
    status, begun = await talk.call("POST", f"/v1/runs/{run['run_id']}/input", json=body)
    assert status == 202, begun
    run = await talk.settled(run["run_id"])
    assert run["status"] == "finished", run
    assert run["message"] == "Done."
    events = await talk.events(run["run_id"])
    assert names(events).count("RUN_STARTED") == 2
    assert events[-1]["outcome"] == {"type": "success"}
    assert list(talk.server.requests[1].tool_results) == ["call_0"]
    status, _ = await talk.call("POST", f"/v1/runs/{run['run_id']}/input", json=body)
    assert status == 409


async def test_a_figure_that_stands_in_no_result_is_never_told(talk: Talk) -> None:
    wrong = Answer(text="We have 3 customers. They spent 98765 in all.")
    right = Answer(text="What they spent is not known.")
    talk.script({"conversation": [ASK, wrong, right]})
    run = await talk.say("How many customers do we have?")
    assert run["message"] == "We have 3 customers. What they spent is not known."
    assert "98765" in talk.server.requests[2].messages[-1]["content"]
    talk.script({"conversation": [ASK, wrong]})
    run = await talk.say("How many customers do we have?")
    assert "They spent" not in run["message"]
    assert run["message"].endswith("(Left out here: what names a figure that stands in no result.)")
    assert run["warnings"]


async def test_agui_is_streamed_and_the_same_run_is_replayed(talk: Talk) -> None:
    talk.script({"conversation": [OPEN, Answer(text="Done.")]})
    first = await talk.agui("How many orders are open?", "t1", "r1")
    assert first[0]["runId"] == "r1"
    assert first[-1]["outcome"]["type"] == "interrupt"
    assert await talk.agui("How many orders are open?", "t1", "r1") == first
    interrupt = first[-1]["outcome"]["interrupts"][0]
    choice = interrupt["responseSchema"]["anyOf"][0]["const"]
    answer = [{"interruptId": interrupt["id"], "status": "resolved", "payload": choice}]
    second = await talk.agui("", "t1", "r2", resume=answer)
    assert second[0] == {"type": "RUN_STARTED", "threadId": "t1", "runId": "r2", "protocolVersion": "1.0"}
    assert second[-1]["outcome"] == {"type": "success"}
    assert await talk.agui("", "t1", "r2", resume=answer) == second
    assert len(talk.server.requests) == 3


async def test_a_stopped_run_ends_in_order_and_keeps_what_was_said(talk: Talk) -> None:
    slow = Answer(text="One two. Three four. Five six. Seven eight. Nine ten.", chunk_delay=0.1)
    talk.script({"conversation": [slow]})
    _, begun = await talk.call("POST", "/v1/chats", json={"message": "Hello?"})
    run_id = begun["run_id"]
    while not any(name == "TEXT_MESSAGE_CONTENT" for name in names(await _so_far(talk, run_id))):
        pass
    status, _ = await talk.call("PATCH", f"/v1/runs/{run_id}", json={"status": "stopped"})
    assert status == 200
    events = await talk.events(run_id)
    assert names(events)[-3:] == ["TEXT_MESSAGE_END", "STEP_FINISHED", "RUN_FINISHED"]
    assert events[-1]["outcome"] == {"type": "cancelled"}
    last = (await talk.messages(begun["thread_id"]))[-1]
    assert last["parts"][0]["is_cut"]
    assert last["parts"][0]["text"] == words(events)


async def _so_far(talk: Talk, run_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    async with talk.service.session.get(f"{talk.service.url}/v1/runs/{run_id}/events") as answer:
        async for line in answer.content:
            if line.startswith(b"data: "):
                found.append(json.loads(line[6:]))
                if found[-1]["type"] in ("TEXT_MESSAGE_CONTENT", "RUN_FINISHED", "RUN_ERROR"):
                    break
    return found


@pytest.mark.parametrize(
    "call",
    [
        Call("run_sql", {"sql": "DELETE FROM orders WHERE id = 7654321"}),
        Call("run_sql", {"sql": "SELECT 7654321 AS total"}),
        Call("run_sql", {"sql": "SELECT count(*) AS n FROM customers WHERE id <> 7654321"}),
        Call("describe_table", {"table": "t 7654321"}),
        Call("ask_data", {"question": "how many customers have an id above 7654321?"}),
        Call("remember", {"name": "total", "value": "7654321"}),
    ],
    ids=lambda call: f"{call.name} {str(call.arguments)[:40]}",
)
async def test_a_figure_is_not_known_because_the_model_wrote_it_into_a_call(talk: Talk, call: Call) -> None:
    said = Answer(text="They are worth 7,654,321 in all.")
    talk.script({"conversation": [Answer(calls=[call]), said]})
    agent = {"variables": [{"name": "total", "writable_by_model": True}]}
    assert (await talk.call("PUT", "/v1/agents/worth", json=agent))[0] == 200
    run = await talk.say("What are they worth?", agent_id="worth")
    assert run["message"] == "(Left out here: what names a figure that stands in no result.)"
    run = await talk.say("Say it again.", thread_id=run["thread_id"])
    assert run["message"] == "(Left out here: what names a figure that stands in no result.)"


async def test_years_of_a_statement_and_figures_of_people_may_be_told(talk: Talk) -> None:
    count = Call("run_sql", {"sql": "SELECT count(*) AS n FROM customers WHERE '2025-03-01' < '2026-01-01'"})
    said = Answer(text="In 2025 they spent less than 4321, as you said.")
    talk.script({"conversation": [Answer(calls=[count]), said]})
    run = await talk.say("Did they spend less than 4,321 last year?")
    assert run["message"] == "In 2025 they spent less than 4321, as you said."
