"""The UI message stream of the Vercel AI SDK, held against its protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest

from tests.agent.talking import Answer, Call, Talk
from tests.support.tables import case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = Answer(text="Let me look.", calls=[Call("ask_data", {"question": "how many customers are there?"})])
OPEN = Answer(calls=[Call("ask_data", {"question": "how many orders are open?"})])

TEXT, FLAG, ANY = {"type": "string"}, {"type": "boolean"}, True
TOOL = {"toolCallId": TEXT, "providerExecuted": FLAG, "dynamic": FLAG}
# By type, the fields of a part, and after the colon those that may be left out:
# https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#ui-message-stream-protocol
PARTS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = case_table(__file__, "parts")


def require_protocol(parts: list[dict[str, Any]]) -> None:
    """Each part is as it has to be, and what is ended was begun."""
    assert parts[0]["type"] == "start"
    open_texts: set[str] = set()
    calls: set[str] = set()
    for part in parts:
        kind = part["type"]
        must, may = PARTS["data" if kind.startswith("data-") else kind]
        schema = {"properties": {"type": TEXT, **must, **may}, "required": [*must], "additionalProperties": False}
        jsonschema.validate(part, schema)
        if kind == "text-start":
            open_texts.add(part["id"])
        elif kind in ("text-delta", "text-end"):
            assert part["id"] in open_texts
            open_texts -= {part["id"]} if kind == "text-end" else set()
        elif kind == "tool-input-start":
            calls.add(part["toolCallId"])
        elif kind.startswith("tool-"):
            assert part["toolCallId"] in calls
    assert not open_texts


async def said(talk: Talk, text: str, **more: Any) -> list[dict[str, Any]]:
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": text}]}
    body = {"id": "chat-1", "messages": [message], "trigger": "submit-message", "messageId": None, **more}
    async with talk.service.session.post(f"{talk.service.url}/v1/ui-messages", json=body) as answer:
        told = await answer.text()
        assert answer.status == 200, told
        assert answer.headers["x-vercel-ai-ui-message-stream"] == "v1"
        assert answer.headers["Content-Type"].startswith("text/event-stream")
    *frames, end = [line.removeprefix("data: ") for line in told.splitlines() if line.startswith("data: ")]
    assert end == "[DONE]"
    parts = [json.loads(frame) for frame in frames]
    require_protocol(parts)
    return parts


def words(parts: list[dict[str, Any]]) -> str:
    return "".join(part["delta"] for part in parts if part["type"] == "text-delta")


async def test_an_answer_with_its_calls_and_data(talk: Talk) -> None:
    talk.script({"conversation": [ASK, Answer(text="There are 3 customers.")]})
    parts = await said(talk, "How many customers do we have?")
    kinds = [part["type"] for part in parts]
    assert words(parts) == "Let me look.There are 3 customers."
    assert kinds[-1] == "finish"
    (made,) = [part for part in parts if part["type"] == "tool-input-available"]
    assert (made["toolName"], made["input"]) == ("ask_data", {"question": "how many customers are there?"})
    (gave,) = [part for part in parts if part["type"] == "tool-output-available"]
    assert gave["output"]["status"] == "finished"
    data = {part["type"]: part["data"] for part in parts if part["type"].startswith("data-")}
    assert {"data-sql", "data-data", "data-suggestions"} <= data.keys()
    assert all(part.get("transient") for part in parts if part["type"] == "data-progress")


async def test_what_is_asked_back_is_answered_by_the_next_message(talk: Talk) -> None:
    talk.script({"conversation": [OPEN, Answer(text="Done.")]})
    first = await said(talk, "How many orders are open?", id="chat-2")
    assert "\n1. " in words(first)
    (asked,) = [part for part in first if part["type"] == "data-clarification"]
    label = asked["data"]["metadata"]["clarification"]["options"][0]["label"]
    second = await said(talk, label, id="chat-2")
    assert words(second) == "Done."
    assert [part["type"] for part in second].count("data-sql") == 1


async def test_failures_are_told_in_the_stream_and_refusals_before_it(talk: Talk) -> None:
    broken = Answer(status=400, error={"message": "no"})
    talk.script({"conversation": [broken]})
    parts = await said(talk, "How many?", id="chat-3")
    (error,) = [part for part in parts if part["type"] == "error"]
    assert "refused the request" in error["errorText"]
    body = {"id": "c", "messages": [{"role": "user", "parts": [{"type": "file", "url": "x"}]}]}
    status, refused = await talk.call("POST", "/v1/ui-messages", json=body)
    assert (status, refused["code"]) == (422, "INVALID_REQUEST")
    body = {"id": "c", "messages": [{"role": "user", "parts": [{"text": "x"}]}], "agent_id": "nobody"}
    status, refused = await talk.call("POST", "/v1/ui-messages", json=body)
    assert (status, refused["code"]) == (404, "NOT_FOUND")
