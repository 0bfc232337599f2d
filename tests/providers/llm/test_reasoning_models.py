"""Models that think before they answer, that answer with something other than text, and servers that cache prompts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from askwell.providers.llm import ModelOptions, create_language_model
from askwell.providers.llm.base import LanguageModel, NoTextReply, PromptTooLong
from askwell.providers.llm.call_options import at_temperature, with_thoughts
from askwell.providers.llm.thinking import StreamWithoutThinking
from tests.fakes import openai_wire as wire
from tests.fakes.openai_server import Answer, Call, ChatRequest, ChatScript, ChatServer

STAGE = "sql_reasoning"
ASKED: dict[str, Any] = {"system": f"Task: {STAGE}", "user": "Who?"}


class Particular(ChatServer):
    """A server that knows only some fields of a request, and names the one that it does not know."""

    def __init__(self, *unknown: str, script: ChatScript | None = None) -> None:
        super().__init__(script)
        self.unknown = unknown

    def refusal(self, request: ChatRequest) -> web.Response | None:
        for field in self.unknown:
            if field in request.body:
                error = {"message": f"Unsupported parameter: '{field}'.", "param": field, "code": "unsupported"}
                return web.json_response({"error": error}, status=400)
        return super().refusal(request)


@asynccontextmanager
async def _model(server: ChatServer, **kwargs: Any) -> AsyncIterator[LanguageModel]:
    model = create_language_model(ModelOptions("openai", model="test", api_base=server.api_base, kwargs=kwargs))
    assert model is not None
    yield model
    await model.close()


def _sent(request: ChatRequest) -> dict[str, Any]:
    return {name: value for name, value in request.body.items() if name not in ("model", "messages", "stream", "n")}


async def test_a_reasoning_model_gets_its_limit_by_its_own_name_and_no_temperature() -> None:
    async with (
        Particular("max_tokens", "temperature") as server,
        _model(server, temperature=0, max_tokens=500, reasoning_effort="low") as model,
    ):
        await model.reply(**ASKED)
        first = server.calls()
        await model.reply(**ASKED)
    assert first == 3
    assert server.calls() == 4  # what was refused is remembered
    assert _sent(server.requests[-1]) == {"max_completion_tokens": 500, "reasoning_effort": "low"}


async def test_an_older_server_gets_the_limit_by_its_older_name_and_no_effort() -> None:
    async with (
        Particular("max_completion_tokens", "reasoning_effort") as server,
        _model(server, temperature=0, max_completion_tokens=500, reasoning_effort="low") as model,
    ):
        await model.reply(**ASKED)
    assert _sent(server.requests[-1]) == {"max_tokens": 500, "temperature": 0}


async def test_a_limit_that_no_name_makes_acceptable_is_a_failure_that_ends() -> None:
    async with (
        Particular("max_tokens", "max_completion_tokens") as server,
        _model(server, max_tokens=10**9) as model,
    ):
        with pytest.raises(Exception, match=r"refused the request|does not accept"):
            await model.reply(**ASKED)
    assert server.calls() == 2


async def test_a_temperature_of_the_caller_s_own_replaces_the_configured_one() -> None:
    async with ChatServer() as server, _model(server, temperature=0) as model:
        with at_temperature(0.8):
            await model.reply(**ASKED)
        await model.reply(**ASKED)
    assert [request.body["temperature"] for request in server.requests] == [0.8, 0]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_thoughts_are_told_while_they_come_and_are_no_part_of_the_reply(field: str) -> None:
    request = ChatRequest(STAGE, {"model": "test", "messages": []}, None)
    deltas = [{field: "Let me "}, {field: "see."}, {"content": "1. **Read**"}]
    raw = b"".join(wire.event(request, delta, None) for delta in deltas).decode()
    script = ChatScript({STAGE: [Answer(raw=f"{raw}data: [DONE]\n\n")]})
    told: list[str] = []
    async with ChatServer(script) as server, _model(server) as model:
        with with_thoughts(lambda piece: told.append(f"thought: {piece}")):
            reply = await model.reply(**ASKED, on_delta=told.append)
        unheard = await model.reply(**ASKED, on_delta=lambda _: None)
    assert told == ["thought: Let me ", "thought: see.", "1. **Read**"]
    assert reply.text == unheard.text == "1. **Read**"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_thoughts_inside_the_text_are_told_apart_from_it(size: int) -> None:
    text = "<think>Is a < b? </thin> Yes.</think>\n\n1. **Read**"
    words: list[str] = []
    thoughts: list[str] = []
    with with_thoughts(thoughts.append):
        stream = StreamWithoutThinking(words.append)
    for start in range(0, len(text), size):
        stream(text[start : start + size])
    stream.finish()
    assert "".join(thoughts) == "Is a < b? </thin> Yes."
    assert "".join(words) == "1. **Read**"


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [(Answer(refusal="I cannot help."), "refused to answer"), (Answer(calls=[Call("run_sql")]), "called a tool")],
    ids=["refusal", "tool call"],
)
async def test_what_is_no_text_is_said_as_what_it_is_at_once(answer: Answer, said: str, streamed: bool) -> None:
    async with ChatServer(ChatScript({STAGE: [answer]})) as server, _model(server) as model:
        with pytest.raises(NoTextReply, match=said) as failure:
            await model.reply(**ASKED, on_delta=(lambda _: None) if streamed else None)
    assert "cannot help" not in failure.value.message  # a refusal can quote the question
    assert failure.value.hint
    assert failure.value.usage.llm_calls == server.calls() == 1
    assert failure.value.usage.prompt_tokens > 0


async def test_a_prompt_that_is_too_long_is_a_failure_of_its_own() -> None:
    error = {"message": "This model's maximum context length is 100 tokens.", "code": "context_length_exceeded"}
    async with ChatServer(ChatScript({STAGE: [Answer(status=400, error=error)]})) as server, _model(server) as model:
        with pytest.raises(PromptTooLong):
            await model.reply(**ASKED)
    assert server.calls() == 1


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
async def test_tokens_from_the_server_s_cache_are_counted(streamed: bool) -> None:
    async with ChatServer(ChatScript({STAGE: [Answer(text="Yes.", cached=4)]})) as server, _model(server) as model:
        reply = await model.reply(**ASKED, on_delta=(lambda _: None) if streamed else None)
        twice = reply.usage + reply.usage
    assert (reply.usage.cached_tokens, twice.cached_tokens) == (4, 8)
    assert reply.usage.prompt_tokens > 4


async def test_the_older_field_for_cached_tokens_counts_too() -> None:
    usage = '{"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 6}'
    raw = f'data: {{"choices": [{{"delta": {{"content": "Yes"}}}}], "usage": {usage}}}\n\ndata: [DONE]\n\n'
    async with ChatServer(ChatScript({STAGE: [Answer(raw=raw)]})) as server, _model(server) as model:
        reply = await model.reply(**ASKED, on_delta=lambda _: None)
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (9, 6)
