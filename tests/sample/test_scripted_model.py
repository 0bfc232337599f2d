"""The stand-in for a language model, called as a service calls a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from haystack.dataclasses import ChatMessage, ToolCall

from askwell.providers.llm import ModelOptions, create_language_model
from askwell.providers.llm.base import JsonFormat, JsonSchema, LanguageModel, ToolSpec
from askwell.sample.demo import DemoScript
from askwell.sample.scripted_model import NAME, ScriptedModel
from tests.fakes.recording_model import reply_of

SCRIPT = DemoScript.model_validate(
    {
        "agent": {},
        "documents": [],
        "replies": {"capability_probe": {"answer": "Yes"}},
        "turns": [
            {
                "form": "two calls",
                "message": "And these?",
                "alone": "How many are there?",
                "replies": [
                    {
                        "calls": [
                            {"name": "orders", "tool": "ask_data", "arguments": {"question": "how many orders?"}},
                            {"name": "names", "tool": "find_values", "arguments": {"text": "Ada"}},
                        ]
                    },
                    {"calls": [{"name": "sold", "tool": "run_sql", "arguments": {"sql": "'{names.values[0]}'"}}]},
                    {"text": "There are 99 of {orders.count|count}."},
                    {"text": "There are {orders.count|count}."},
                ],
                "suggestions": ["Which are paid?"],
            }
        ],
    }
)
TOOLS = [ToolSpec(name, "", {"type": "object", "properties": {}}) for name in ("ask_data", "find_values", "run_sql")]
ASKED = [
    ChatMessage.from_system("Task: conversation\n\nBe kind."),
    ChatMessage.from_user("Hello."),
    ChatMessage.from_assistant("Hello!"),
    ChatMessage.from_user("Now: today\n<question>\nHow many are there?\n</question>"),
]


def model_at(server: ScriptedModel) -> LanguageModel:
    model = create_language_model(ModelOptions("openai", model=NAME, api_base=server.api_base, timeout=10))
    assert model is not None
    return model


def result_of(call: ToolCall, result: Any) -> ChatMessage:
    return ChatMessage.from_tool(json.dumps(result), origin=call)


async def turn(model: LanguageModel, messages: Sequence[ChatMessage]) -> tuple[ChatMessage, str]:
    """The reply, and what was heard of it while it was written."""
    heard: list[str] = []
    reply = await reply_of(model, messages=messages, tools=TOOLS, on_delta=heard.append)
    calls = [ToolCall(one.name, one.arguments, one.id) for one in reply.calls]
    return ChatMessage.from_assistant(reply.text or None, tool_calls=calls), "".join(heard)


async def test_it_is_found_to_be_a_model_that_streams_and_keeps_to_a_schema() -> None:
    async with ScriptedModel(SCRIPT) as server:
        model = model_at(server)
        await model.reach()
        found = await model.probe()
        await model.close()

    assert (found.json_format, found.streams, found.usage) == (JsonFormat.SCHEMA, True, True)


async def test_a_turn_goes_by_its_script_and_takes_its_figures_from_results() -> None:
    async with ScriptedModel(SCRIPT) as server:
        model = model_at(server)
        first, _ = await turn(model, ASKED)
        assert [(call.tool_name, call.arguments) for call in first.tool_calls] == [
            ("ask_data", {"question": "how many orders?"}),
            ("find_values", {"text": "Ada"}),
        ]
        one, other = first.tool_calls
        # The results may come in any order.
        then = [*ASKED, first, result_of(other, {"values": ["Ada"]}), result_of(one, {"count": 1234})]
        second, _ = await turn(model, then)
        assert [call.arguments for call in second.tool_calls] == [{"sql": "'Ada'"}]
        then += [second, result_of(second.tool_calls[0], {})]
        third, heard = await turn(model, then)
        assert third.text == heard == "There are 99 of 1,234."
        then += [third, ChatMessage.from_user("Your answer had figures that stand in no result: 99. Again.")]
        last, _ = await turn(model, then)
        assert last.text == "There are 1,234."
        await model.close()

    (held,) = server.held_back
    assert (held.message, held.written) == ("And these?", "There are 99 of 1,234.")
    assert "no result: 99" in held.objection


async def test_other_stages_are_answered_from_the_script_too() -> None:
    schema = JsonSchema("any", {"type": "object"})
    async with ScriptedModel(SCRIPT) as server:
        model = model_at(server)

        async def said(stage: str, question: str) -> Any:
            user = f"<question>\n{question}\n</question>"
            return json.loads((await reply_of(model, system=f"Task: {stage}", user=user, schema=schema)).text)

        assert await said("question_reformulation", "And these?") == {"question": "How many are there?"}
        assert await said("conversation_suggestion", "How many are there?") == {"questions": ["Which are paid?"]}
        assert await said("chart_generation", "Any") == {}
        await model.close()


async def test_what_is_not_in_the_script_is_said_to_be_so() -> None:
    async with ScriptedModel(SCRIPT) as server:
        model = model_at(server)
        unknown, _ = await turn(model, [ASKED[0], ChatMessage.from_user("<question>\nWho?\n</question>")])
        assert "not in the script" in (unknown.text or "")
        first, _ = await turn(model, ASKED)
        failed = [result_of(call, {"error": {"code": "OTHERS"}}) for call in first.tool_calls]
        lost, _ = await turn(model, [*ASKED, first, *failed])
        assert "The script does not fit: {names.values[0]} leads to nothing at values." in (lost.text or "")
        await model.close()
