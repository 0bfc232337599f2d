"""Haystack's Agent on a configured model, over real HTTP: what we rely on in its loop is tried here too."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.tools import Tool

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import UNREADABLE_ARGUMENTS, NoTextReply
from askwell.providers.llm.call_options import with_thoughts
from askwell.providers.llm.chat_generator import ChatGenerator
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer, Call, ChatServer

ASKED = [ChatMessage.from_system("Task: agent"), ChatMessage.from_user("What sells best?")]
DONE = Answer(text="Shirts sell best.")
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])


def _tool(name: str, function: Callable[..., Awaitable[Any]]) -> Tool:
    return Tool(name=name, description=f"To {name}.", parameters=SCHEMA, async_function=function)


async def _find(**arguments: Any) -> str:
    return f"found {json.dumps(arguments)}"


FIND = _tool("find_tables", _find)


@asynccontextmanager
async def _generator(*answers: Answer) -> AsyncIterator[tuple[ChatGenerator, ChatServer]]:
    async with scripted("agent", *answers, prices={"prompt": 1.0, "completion": 1.0}) as (model, server):
        yield ChatGenerator(model), server


def _agent(generator: ChatGenerator, *tools: Tool, **more: Any) -> Agent:
    chosen = {"max_agent_steps": 8, "tool_concurrency_limit": 4, "raise_on_tool_invocation_failure": False, **more}
    return Agent(chat_generator=generator, tools=list(tools or (FIND,)), **chosen)


@STREAMED
async def test_an_agent_calls_tools_and_answers(streamed: bool) -> None:
    chunks: list[StreamingChunk] = []

    async def tell(chunk: StreamingChunk) -> None:
        await asyncio.sleep(0)
        chunks.append(chunk)

    look = Answer(text="Let me look.", calls=[Call("find_tables", {"query": "a"}), Call("find_tables", {"query": "b"})])
    async with _generator(look, DONE) as (generator, server):
        result = await _agent(generator).run_async(messages=ASKED, streaming_callback=tell if streamed else None)
    first, second = server.requests
    assert first.tools == second.tools == ["find_tables"]
    assert first.body["tools"][0]["function"]["parameters"] == SCHEMA
    assert second.tool_results == {"call_0": 'found {"query": "a"}', "call_1": 'found {"query": "b"}'}
    assert second.messages[2]["content"] == "Let me look."
    assert [call["id"] for call in second.messages[2]["tool_calls"]] == ["call_0", "call_1"]

    assert (result["last_message"].text, result["exit_reason"]) == ("Shirts sell best.", "text")
    assert (result["step_count"], result["tool_call_counts"]) == (2, {"find_tables": 2})
    told = [chunk.content for chunk in chunks if chunk.tool_call_result is None]
    assert "".join(told) == ("Let me look.Shirts sell best." if streamed else "")
    assert first.streamed is second.streamed is streamed

    usage = generator.usage
    assert usage.llm_calls == 2
    assert usage.cost_usd > 0
    assert result["token_usage"] == {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }


async def test_a_failing_and_an_unknown_tool_are_told_to_the_model() -> None:
    async def fail(query: str) -> str:
        raise RuntimeError("no such table")

    calls = Answer(calls=[Call("work", {"query": "a"}), Call("guess", {"query": "b"})])
    async with _generator(calls, DONE) as (generator, server):
        result = await _agent(generator, _tool("work", fail)).run_async(messages=ASKED)
    told = server.requests[1].tool_results
    assert "no such table" in told["call_0"]
    assert "'guess' not found" in told["call_1"]
    assert result["last_message"].text == "Shirts sell best."


async def test_unreadable_arguments_reach_the_tool_as_such() -> None:
    async with _generator(Answer(calls=[Call("find_tables", '{"query": "sal')]), DONE) as (generator, server):
        await _agent(generator).run_async(messages=ASKED)
    (result,) = server.requests[1].tool_results.values()
    assert json.loads(result.removeprefix("found ")) == {UNREADABLE_ARGUMENTS: '{"query": "sal'}


@STREAMED
async def test_a_reply_cut_at_the_length_limit_ends_the_run_as_such(streamed: bool) -> None:
    async def tell(chunk: StreamingChunk) -> None: ...

    async with _generator(Answer(text="Shirts se", finish_reason="length")) as (generator, _):
        result = await _agent(generator).run_async(messages=ASKED, streaming_callback=tell if streamed else None)
    assert (result["exit_reason"], result["last_message"].text) == ("length", "Shirts se")


async def test_thinking_is_neither_text_nor_history() -> None:
    told: list[str] = []
    thoughts: list[str] = []

    async def tell(chunk: StreamingChunk) -> None:
        if chunk.content:
            told.append(chunk.content)

    thinks = Answer(text="<think>Sales, I guess.</think>\n\nLet me look.", calls=[Call("find_tables", {"query": "a"})])
    async with _generator(thinks, DONE) as (generator, server):
        with with_thoughts(thoughts.append):
            await _agent(generator).run_async(messages=ASKED, streaming_callback=tell)
    assert "".join(told) == "Let me look.Shirts sell best."
    assert "".join(thoughts) == "Sales, I guess."
    assert server.requests[1].messages[2]["content"] == "Let me look."


async def test_what_was_written_before_a_failure_is_passed_on() -> None:
    told: list[str] = []

    async def tell(chunk: StreamingChunk) -> None:
        await asyncio.sleep(0.01)
        told.append(chunk.content)

    async with _generator(Answer(text="one two three four", drop="middle", chunk_delay=0.02)) as (generator, _):
        with pytest.raises(ModelUnavailable):
            await generator.run_async(ASKED, tell)
    assert "".join(told) == "one two "


async def test_a_callback_that_fails_ends_the_run() -> None:
    async def tell(chunk: StreamingChunk) -> None:
        raise ConnectionResetError("gone")

    async with _generator(DONE) as (generator, _):
        with pytest.raises(ConnectionResetError):
            await _agent(generator).run_async(messages=ASKED, streaming_callback=tell)


async def test_cancelling_ends_a_slow_reader_too() -> None:
    async def tell(chunk: StreamingChunk) -> None:
        await asyncio.Event().wait()

    async with _generator(DONE, Answer(hang=True)) as (generator, server):
        for wanted in (1, 2):  # once with the reader behind, once with the model
            task = asyncio.create_task(_agent(generator).run_async(messages=ASKED, streaming_callback=tell))
            request = await server.arrived("agent", wanted)
            if wanted == 1:
                await server.ended(request)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


async def test_what_a_refusal_cost_is_counted() -> None:
    async with _generator(Answer(refusal="I cannot help.")) as (generator, _):
        with pytest.raises(NoTextReply):
            await _agent(generator).run_async(messages=ASKED)
    assert (generator.usage.llm_calls, generator.usage.prompt_tokens > 0) == (1, True)


async def test_there_is_no_synchronous_way_and_there_are_no_settings() -> None:
    async with _generator(DONE) as (generator, server):
        with pytest.raises(NotImplementedError, match="run_async"):
            generator.run(ASKED)
        with pytest.raises(ValueError, match="kwargs"):
            await generator.run_async(ASKED, generation_kwargs={"temperature": 2})
    assert server.calls() == 0
