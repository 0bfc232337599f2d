"""Messages that are told apart by configured kinds, with a reason and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.talking import Answer, Talk, results, talking, told, words

INTENTS = [
    {"id": "figures", "description": "Asks for figures.", "route": "sql"},
    {"id": "greeting", "description": "Says hello.", "route": "answer", "message": "Hello! Ask about 3 orders."},
    {"id": "advice", "description": "Asks for advice.", "route": "refuse", "message": "We give no advice."},
    {"id": "rest", "description": "Everything else.", "route": "agent"},
]


def way(name: str, mode: str) -> Answer:
    return Answer(json={"reason": "It says so.", "id": name} if mode == "standard" else {"id": name})


@pytest.mark.parametrize("mode", ["standard", "fast"])
async def test_every_way(tmp_path: Path, mode: str) -> None:
    settings = {"agent": {"intents": INTENTS, "intent_mode": mode}}
    async with talking(tmp_path, {}, **settings) as talk:
        await _data_alone(talk, mode)
        await _asked_back(talk, mode)
        for name, message in (("greeting", INTENTS[1]["message"]), ("ADVICE ", INTENTS[2]["message"])):
            talk.script(conversation_routing=[way(name, mode)])
            run = await talk.say("Well?")
            assert run["message"] == message
            assert [one.stage for one in talk.server.requests] == ["conversation_routing"]
            assert "suggested_questions" not in run
            assert (await talk.messages(run["thread_id"]))[-1]["parts"] == [{"type": "text", "text": message}]
        for answer in (way("rest", mode), way("unknown", mode), Answer(text="I would say so."), Answer(text="")):
            talk.script(conversation_routing=[answer], conversation=["Hello."])
            run = await talk.say("Well?")
            assert run.get("message", run["status"]) in ("Hello.", "failed"), run
        talk.script(conversation_routing=[Answer(status=500)], conversation=["Hello."])
        run = await talk.say("Well?")
        assert run["status"] == "failed" or run["message"] == "Hello."


async def _data_alone(talk: Talk, mode: str) -> None:
    talk.script(conversation_routing=[way("figures", mode)])
    run = await talk.say("how many customers are there?")
    assert "3" in run["message"]
    assert talk.asked() == []
    asked = talk.asked("conversation_routing")[0]
    assert ('"reason"' in asked.system) is (mode == "standard")
    assert "- figures: Asks for figures." in asked.system
    events = await talk.events(run["run_id"])
    assert told(events, "route") == [{"id": "figures", "reason": "It says so." if mode == "standard" else ""}]
    assert results(events)[0]["table"]["rows"] == [[3]]
    assert words(events) == run["message"]
    assert len(run["suggested_questions"]) == 3
    talk.script(conversation_routing=[way("rest", mode)], conversation=["As I said."])
    await talk.say("What did I ask?", thread_id=run["thread_id"])
    [routed] = talk.asked("conversation_routing")
    assert "<earlier>\n- how many customers are there?\n</earlier>" in routed.user


async def _asked_back(talk: Talk, mode: str) -> None:
    talk.script(conversation_routing=[way("figures", mode)])
    run = await talk.say("how many orders are open?")
    assert run["status"] == "awaiting_input", run
    run = await talk.give(run, "2")
    assert "3" in run["message"], run
    assert talk.asked() == []
    found: list[Any] = results(await talk.events(run["run_id"]))
    assert [one["table"]["rows"] for one in found] == [[[3]]]
    assert len(talk.asked("conversation_routing")) == 1
