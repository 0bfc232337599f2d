"""Whole conversations with tools, over real HTTP: what goes out, and calls as servers write them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage, ToolCall

from askwell.errors import ModelUnavailable
from askwell.observability.metrics import Metrics
from askwell.observability.operations import CalledModel
from askwell.providers.llm.base import UNREADABLE_ARGUMENTS, ModelReply, NoTextReply, PromptTooLong, ToolSpec
from askwell.providers.llm.call_options import at_most
from askwell.providers.middleware import MeteredCalls, WrappedModel
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer, Call
from tests.fakes.recording_model import reply_of
from tests.observability.scraping import Scrape

FIND = ToolSpec(
    "find_tables",
    "Finds tables.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
ROWS = ToolSpec("count_rows", "Counts rows.", {"type": "object", "properties": {}})
TOOLS = (FIND, ROWS)
ASKED = [ChatMessage.from_system("Task: agent\nBe brief."), ChatMessage.from_user("What sells best?")]
SALES, RETURNS = Call("find_tables", {"query": "sales"}), Call("find_tables", {"query": "Rücksendungen 🙂"})
DONE = Answer(text="Two tables.")
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])


async def _turn(
    *answers: Answer, streamed: bool = True, tools: tuple[ToolSpec, ...] = TOOLS
) -> tuple[ModelReply, list[str]]:
    pieces: list[str] = []
    async with scripted("agent", *answers) as (model, _):
        turn = await reply_of(model, messages=ASKED, tools=tools, on_delta=pieces.append if streamed else None)
    return turn, pieces


def _calls(turn: ModelReply) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in turn.calls]


@STREAMED
async def test_a_conversation_goes_out_as_openai_writes_it(streamed: bool) -> None:
    call = ToolCall("find_tables", {"query": "Größe"}, "call_7")
    history = [
        *ASKED,
        ChatMessage.from_assistant(tool_calls=[call]),
        ChatMessage.from_tool("sales", origin=call),
        ChatMessage.from_assistant("Shirts."),
        ChatMessage.from_user("And then?"),
    ]
    async with scripted("agent", DONE, kwargs={"temperature": 0.2}, prices=(1.0, 2.0)) as (model, server):
        turn = await reply_of(model, messages=history, tools=TOOLS, on_delta=print if streamed else None)
    (request,) = server.requests
    function = {"name": "find_tables", "arguments": '{"query": "Größe"}'}
    assert request.messages == [
        {"role": "system", "content": "Task: agent\nBe brief."},
        {"role": "user", "content": "What sells best?"},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": function, "id": "call_7"}]},
        {"role": "tool", "content": "sales", "tool_call_id": "call_7"},
        {"role": "assistant", "content": "Shirts."},
        {"role": "user", "content": "And then?"},
    ]
    assert request.body["tools"][0] == {
        "type": "function",
        "function": {"name": "find_tables", "description": "Finds tables.", "parameters": FIND.parameters},
    }
    assert (request.tools, request.tool_results) == (["find_tables", "count_rows"], {"call_7": "sales"})
    assert "parallel_tool_calls" not in request.body
    assert request.body["temperature"] == 0.2
    assert (turn.text, turn.calls, turn.truncated) == ("Two tables.", (), False)
    usage = turn.usage
    assert usage.llm_calls == 1
    assert usage.cost_usd == pytest.approx((usage.prompt_tokens + usage.completion_tokens * 2.0) / 1_000_000) != 0


async def test_without_tools_none_are_sent() -> None:
    async with scripted("agent", DONE) as (model, server):
        await reply_of(model, messages=ASKED)
    assert "tools" not in server.requests[0].body


async def test_a_message_that_cannot_be_sent_is_the_callers_mistake() -> None:
    async with scripted("agent", DONE) as (model, server):
        with pytest.raises(ValueError, match="id"):
            await reply_of(
                model, messages=[*ASKED, ChatMessage.from_assistant(tool_calls=[ToolCall("find_tables", {})])]
            )
    assert server.calls() == 0


# What a call looks like beside OpenAI's own way.
WAYS: dict[str, dict[str, Any]] = {
    "fragments": {},
    "whole": {"whole_calls": True},
    "objects": {"object_arguments": True},
    "no index": {"omitted": ["index"]},
    "no id": {"omitted": ["id"]},
    "neither": {"omitted": ["index", "id"]},
    "neither, whole": {"omitted": ["index", "id"], "whole_calls": True},
    "neither, objects": {"omitted": ["index", "id"], "object_arguments": True},
    "all are 0": {"calls_by_index_0": True},
    "all are 0, without ids": {"calls_by_index_0": True, "omitted": ["id"], "whole_calls": True},
}


@STREAMED
@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
async def test_text_and_then_parallel_calls(way: dict[str, Any], streamed: bool) -> None:
    answer = Answer(text="Let me look.", calls=[SALES, RETURNS, Call("count_rows")], **way)
    turn, pieces = await _turn(answer, streamed=streamed)
    assert _calls(turn) == [
        ("find_tables", {"query": "sales"}),
        ("find_tables", {"query": "Rücksendungen 🙂"}),
        ("count_rows", {}),
    ]
    assert turn.text == "Let me look."
    assert "".join(pieces) == ("Let me look." if streamed else "")
    ids = [call.id for call in turn.calls]
    assert all(ids)
    assert len(set(ids)) == 3
    if "id" not in way.get("omitted", ()):
        assert ids == ["call_0", "call_1", "call_2"]
    assert not turn.truncated


@STREAMED
async def test_ids_that_are_not_unique_are_replaced(streamed: bool) -> None:
    same = Answer(calls=[Call("find_tables", {"query": "a"}, "c"), Call("find_tables", {"query": "b"}, "c")])
    turn, _ = await _turn(same, streamed=streamed)
    first, second = turn.calls
    assert (first.id, first.arguments, second.arguments) == ("c", {"query": "a"}, {"query": "b"})
    assert second.id not in ("c", None)


@STREAMED
@pytest.mark.parametrize("empty", ["", "  ", "{}", {}])
async def test_no_arguments(empty: Any, streamed: bool) -> None:
    turn, _ = await _turn(Answer(calls=[Call("count_rows", empty)]), streamed=streamed)
    assert _calls(turn) == [("count_rows", {})]
    assert turn.text == ""


@STREAMED
@pytest.mark.parametrize(
    "broken",
    ['{"query": "sal', "sales", '["sales"]', '{"a": 1} {"b": 2}', '{"a": NaN}', '{"a": 1e400}', '{"a":' * 30_000],
    ids=lambda text: text[:20],
)
async def test_arguments_that_nobody_can_read_are_kept_as_they_are(broken: str, streamed: bool) -> None:
    turn, _ = await _turn(Answer(calls=[Call("find_tables", broken), SALES], whole_calls=True), streamed=streamed)
    assert _calls(turn) == [
        ("find_tables", {UNREADABLE_ARGUMENTS: broken[:500]}),
        ("find_tables", {"query": "sales"}),
    ]
    # And it can go back to the server.
    assert turn.calls[0].id


async def test_arguments_are_bounded() -> None:
    fits, long = {"query": "x" * (2**16 - 20)}, {"query": "é" * (2**15)}
    turn, _ = await _turn(Answer(calls=[Call("find_tables", fits), Call("find_tables", long)], whole_calls=True))
    assert turn.calls[0].arguments == fits
    (unreadable,) = turn.calls[1].arguments.items()
    assert unreadable == (UNREADABLE_ARGUMENTS, ('{"query": "' + "é" * 500)[:500])


@pytest.mark.parametrize("way", [{}, {"omitted": ["index"]}], ids=["numbered", "not numbered"])
async def test_calls_are_bounded(way: dict[str, Any]) -> None:
    many = Answer(calls=[Call("find_tables", {"query": str(number)}) for number in range(40)], **way)
    turn, _ = await _turn(many)
    assert [call.arguments["query"] for call in turn.calls] == [str(number) for number in range(32)]


async def test_halves_of_characters_never_get_through() -> None:
    turn, _ = await _turn(Answer(calls=[Call("find_tables", r'{"query": "\ud83d\ude42 \ud83d"}')]))
    assert _calls(turn) == [("find_tables", {"query": "🙂 \ufffd"})]


async def test_a_nameless_call_can_be_answered() -> None:
    turn, _ = await _turn(Answer(calls=[Call("", {"query": "sales"})]))
    assert _calls(turn) == [("unknown", {"query": "sales"})]


_DELTA = 'data: {"choices": [{"index": 0, "delta": {"tool_calls": [%s]}}]}\n\n'


@pytest.mark.parametrize(
    "fragments",
    [
        # an id of its own for each fragment, as vLLM once did
        [
            '{"index": 0, "id": "a", "function": {"name": "find_tables", "arguments": ""}}',
            '{"index": 0, "id": "b", "function": {"arguments": "{\\"query\\": "}}',
            '{"index": 0, "id": "c", "function": {"arguments": "\\"sales\\"}"}}',
        ],
        # the name again and again
        [
            '{"index": 0, "id": "a", "function": {"name": "find_tables", "arguments": "{\\"query\\""}}',
            '{"index": 0, "id": "a", "function": {"name": "find_tables", "arguments": ": \\"sales\\"}"}}',
        ],
        # nothing where something could be
        [
            '{"index": 0, "id": "a", "type": "function", "function": {"name": "find_tables", "arguments": null}}',
            '{"index": 0, "id": "", "type": null, "function": {"name": "", "arguments": "{\\"query\\": \\"sales\\"}"}}',
            '{"index": 0, "id": null, "function": null}',
        ],
        # an id, then a name
        [
            '{"index": 0, "id": "a"}',
            '{"index": 0, "function": {"name": "find_tables"}}',
            '{"index": 0, "function": {"arguments": {"query": "sales"}}}',
        ],
    ],
    ids=["ids", "names", "nulls", "piecemeal"],
)
async def test_fragments_of_every_server(fragments: list[str]) -> None:
    raw = "".join(_DELTA % fragment for fragment in fragments) + "data: [DONE]\n\n"
    turn, _ = await _turn(Answer(raw=raw))
    assert _calls(turn) == [("find_tables", {"query": "sales"})]
    assert turn.calls[0].id == "a"


async def test_a_function_call_of_the_first_protocol() -> None:
    said = '{"choices": [{"message": {"function_call": {"name": "find_tables", "arguments": "{}"}}}]}'
    turn, _ = await _turn(Answer(raw=said, headers={"Content-Type": "application/json"}), streamed=False)
    assert _calls(turn) == [("find_tables", {})]


@STREAMED
@pytest.mark.parametrize("cut", ['{"query": "sal', ""])
async def test_a_call_that_is_cut_at_the_length_limit(cut: str, streamed: bool) -> None:
    turn, _ = await _turn(Answer(calls=[SALES, Call("find_tables", cut)], finish_reason="length"), streamed=streamed)
    assert turn.truncated
    assert _calls(turn) == [("find_tables", {"query": "sales"}), ("find_tables", {UNREADABLE_ARGUMENTS: cut})]


async def test_a_call_within_a_callers_limit_is_not_taken_for_thinking() -> None:
    async with scripted("agent", Answer(calls=[Call("find_tables", '{"q')], finish_reason="length")) as (
        model,
        server,
    ):
        with at_most(100):
            turn = await reply_of(model, messages=ASKED, tools=TOOLS)
    assert (turn.truncated, server.calls(), server.requests[0].body["max_tokens"]) == (True, 1, 100)


@STREAMED
async def test_a_refusal_fails_as_it_does_for_a_reply(streamed: bool) -> None:
    async with scripted("agent", Answer(refusal="I cannot help.")) as (model, server):
        with pytest.raises(NoTextReply, match="refused to answer") as failure:
            await reply_of(model, messages=ASKED, tools=TOOLS, on_delta=print if streamed else None)
    assert "cannot help" not in failure.value.message
    assert failure.value.usage.llm_calls == server.calls() == 1


async def test_calls_of_tools_that_were_not_offered_are_not_passed_on() -> None:
    turn, _ = await _turn(Answer(text="Let me look.", calls=[SALES]), tools=())
    assert (turn.text, turn.calls) == ("Let me look.", ())
    with pytest.raises(NoTextReply, match="called a tool"):
        await _turn(Answer(calls=[SALES]), tools=())


NO_TOOLS = {
    "OpenAI": (400, {"message": "Unsupported parameter: 'tools'.", "param": "tools", "code": "unsupported_parameter"}),
    "Ollama": (400, {"message": "registry.ollama.ai/library/gemma:latest does not support tools"}),
    "vLLM": (400, {"message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'}),
    "llama.cpp": (500, {"message": "tools param requires --jinja flag"}),
    "OpenRouter": (404, {"message": "No endpoints found that support tool use.", "code": 404}),
}


@pytest.mark.parametrize(("status", "error"), NO_TOOLS.values(), ids=list(NO_TOOLS))
async def test_a_model_without_tools_is_named_at_once(status: int, error: dict[str, Any]) -> None:
    async with scripted("agent", Answer(status=status, error=error)) as (model, server):
        with pytest.raises(ModelUnavailable, match="The language model test does not call tools") as failure:
            await reply_of(model, messages=ASKED, tools=TOOLS)
    assert server.calls() == 1
    assert "`agent`" in failure.value.hint


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Invalid schema for function 'find_tables'", "param": "tools[0].function.parameters"},
        {
            "message": "An assistant message with 'tool_calls' must be followed by tool messages",
            "param": "messages.[3]",
        },
        {"message": "messages with role 'tool' must follow 'tool_calls'"},
    ],
    ids=["a schema", "a message", "a message without a field"],
)
async def test_a_complaint_about_one_tool_is_not_taken_for_that(error: dict[str, Any]) -> None:
    async with scripted("agent", Answer(status=400, error=error)) as (model, _):
        with pytest.raises(ModelUnavailable, match="refused the request"):
            await reply_of(model, messages=ASKED, tools=TOOLS)


@STREAMED
async def test_a_failure_before_any_text_is_tried_again_and_counted(streamed: bool) -> None:
    async with scripted("agent", Answer(status=500), Answer(calls=[SALES], drop="middle"), Answer(calls=[SALES])) as (
        model,
        server,
    ):
        turn = await reply_of(model, messages=ASKED, tools=TOOLS, on_delta=print if streamed else None)
    assert (server.calls(), turn.usage.llm_calls) == (3, 3)
    assert _calls(turn) == [("find_tables", {"query": "sales"})]


async def test_a_conversation_that_cannot_fit_is_not_sent() -> None:
    long = ChatMessage.from_user("x" * 1_000)
    call = ToolCall("find_tables", {"query": "y" * 3_000}, "c")
    async with scripted("agent", DONE, context_window=1_000) as (model, server):
        await reply_of(model, messages=[*ASKED, long], tools=TOOLS)
        with pytest.raises(PromptTooLong):
            await reply_of(model, messages=[*ASKED, long, ChatMessage.from_assistant(tool_calls=[call])], tools=TOOLS)
    assert server.calls() == 1


async def test_calls_are_counted_by_what_became_of_them() -> None:
    metrics = Metrics()
    cut = Answer(text="Let", finish_reason="length")
    async with scripted("agent", DONE, cut, Answer(refusal="No."), Answer(hang=True), prices=(1.0, 1.0)) as (
        model,
        server,
    ):
        metered = WrappedModel(model, MeteredCalls("agent", metrics, CalledModel(model.name, "openai")))
        charged = [(await reply_of(metered, messages=ASKED, tools=TOOLS)).usage for _ in range(2)]
        with pytest.raises(NoTextReply) as refused:
            await reply_of(metered, messages=ASKED, tools=TOOLS)
        task = asyncio.create_task(reply_of(metered, messages=ASKED, tools=TOOLS))
        await server.arrived("agent", 4)
        task.cancel()
        await asyncio.wait([task])
    seen = Scrape(metrics.exposition()[0].decode())
    for outcome in ("ok", "truncated", "failed", "cancelled"):
        assert seen.value("askwell_model_calls_total", model="test", pipeline="agent", outcome=outcome) == 1
    tokens = sum(usage.prompt_tokens for usage in (*charged, refused.value.usage))
    assert seen.value("askwell_tokens_total", model="test", kind="prompt") == tokens > 0
