"""Whole conversations with tools, over real HTTP: what goes out, and calls as servers write them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage, ToolCall

from askwell.observability.metrics import Metrics
from askwell.observability.operations import CalledModel
from askwell.providers.llm.base import UNREADABLE_ARGUMENTS, NoTextReply, PromptTooLong
from askwell.providers.llm.call_options import at_most
from askwell.providers.middleware import MeteredCalls, WrappedModel
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer, Call
from tests.fakes.recording_model import reply_of
from tests.observability.scraping import Scrape
from tests.providers.llm.test_calls import PARAMETERS, TOOLS

ASKED = [ChatMessage.from_system("Task: agent\nBe brief."), ChatMessage.from_user("What sells best?")]
DONE = Answer(text="Two tables.")
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])


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
    async with scripted("agent", DONE, kwargs={"temperature": 0.2}, prices={"prompt": 1.0, "completion": 2.0}) as (
        model,
        server,
    ):
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
        "function": {"name": "find_tables", "description": "Finds tables.", "parameters": PARAMETERS},
    }
    assert (request.tools, request.tool_results) == (["find_tables", "count_rows"], {"call_7": "sales"})
    assert "parallel_tool_calls" not in request.body
    assert request.body["temperature"] == 0.2
    assert (turn.text, turn.calls, turn.truncated) == ("Two tables.", (), False)
    usage = turn.usage
    assert usage.llm_calls == 1
    assert usage.cost_usd == pytest.approx((usage.prompt_tokens + usage.completion_tokens * 2.0) / 1_000_000) != 0


async def test_a_message_that_cannot_be_sent_is_the_callers_mistake() -> None:
    async with scripted("agent", DONE) as (model, server):
        with pytest.raises(ValueError, match="id"):
            await reply_of(
                model, messages=[*ASKED, ChatMessage.from_assistant(tool_calls=[ToolCall("find_tables", {})])]
            )
    assert server.calls() == 0


async def test_arguments_are_bounded() -> None:
    fits, long = {"query": "x" * (2**16 - 20)}, {"query": "é" * (2**15)}
    nested = '{"a":' * 30_000
    calls = [Call("find_tables", arguments) for arguments in (fits, long, nested)]
    async with scripted("agent", Answer(calls=calls, whole_calls=True)) as (model, _):
        turn = await reply_of(model, messages=ASKED, tools=TOOLS)
    assert turn.calls[0].arguments == fits
    (unreadable,) = turn.calls[1].arguments.items()
    assert unreadable == (UNREADABLE_ARGUMENTS, ('{"query": "' + "é" * 500)[:500])
    assert turn.calls[2].arguments == {UNREADABLE_ARGUMENTS: nested[:500]}


@pytest.mark.parametrize("way", [{}, {"omitted": ["index"]}], ids=["numbered", "not numbered"])
async def test_calls_are_bounded(way: dict[str, Any]) -> None:
    many = Answer(calls=[Call("find_tables", {"query": str(number)}) for number in range(40)], **way)
    async with scripted("agent", many) as (model, _):
        turn = await reply_of(model, messages=ASKED, tools=TOOLS)
    assert [call.arguments["query"] for call in turn.calls] == [str(number) for number in range(32)]


async def test_a_call_within_a_callers_limit_is_not_taken_for_thinking() -> None:
    async with scripted("agent", Answer(calls=[Call("find_tables", '{"q')], finish_reason="length")) as (
        model,
        server,
    ):
        with at_most(100):
            turn = await reply_of(model, messages=ASKED, tools=TOOLS)
    assert (turn.truncated, server.calls(), server.requests[0].body["max_tokens"]) == (True, 1, 100)


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
    async with scripted(
        "agent", DONE, cut, Answer(refusal="No."), Answer(hang=True), prices={"prompt": 1.0, "completion": 1.0}
    ) as (
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
