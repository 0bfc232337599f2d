"""Models that think before they answer, that answer with something other than text, and servers that cache prompts."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from aiohttp import web

from askwell.providers.llm.base import LanguageModel, NoTextReply, PromptTooLong, UnfinishedReply
from askwell.providers.llm.call_options import at_temperature, with_thoughts
from tests.fakes import openai_wire as wire
from tests.fakes.model_at import model_at
from tests.fakes.openai_server import Answer, Call, ChatRequest, ChatScript, ChatServer
from tests.fakes.recording_model import reply_of

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


def _model(server: ChatServer, **kwargs: Any) -> AbstractAsyncContextManager[LanguageModel]:
    return model_at(server, kwargs=kwargs)


def _sent(request: ChatRequest) -> dict[str, Any]:
    return {name: value for name, value in request.body.items() if name not in ("model", "messages", "stream", "n")}


async def test_a_reasoning_model_gets_its_limit_by_its_own_name_and_no_temperature() -> None:
    async with (
        Particular("max_tokens", "temperature") as server,
        _model(server, temperature=0, max_tokens=500, reasoning_effort="low") as model,
    ):
        await reply_of(model, **ASKED)
        first = server.calls()
        await reply_of(model, **ASKED)
    assert first == 3
    assert server.calls() == 4  # what was refused is remembered
    assert _sent(server.requests[-1]) == {"max_completion_tokens": 500, "reasoning_effort": "low"}


async def test_an_older_server_gets_the_limit_by_its_older_name_and_no_effort() -> None:
    async with (
        Particular("max_completion_tokens", "reasoning_effort") as server,
        _model(server, temperature=0, max_completion_tokens=500, reasoning_effort="low") as model,
    ):
        await reply_of(model, **ASKED)
    assert _sent(server.requests[-1]) == {"max_tokens": 500, "temperature": 0}


async def test_a_limit_that_no_name_makes_acceptable_is_a_failure_that_ends() -> None:
    async with (
        Particular("max_tokens", "max_completion_tokens") as server,
        _model(server, max_tokens=10**9) as model,
    ):
        with pytest.raises(Exception, match=r"refused the request|does not accept"):
            await reply_of(model, **ASKED)
    assert server.calls() == 2


async def test_a_temperature_of_the_caller_s_own_replaces_the_configured_one() -> None:
    async with ChatServer() as server, _model(server, temperature=0) as model:
        with at_temperature(0.8):
            await reply_of(model, **ASKED)
        await reply_of(model, **ASKED)
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
            reply = await reply_of(model, **ASKED, on_delta=told.append)
        unheard = await reply_of(model, **ASKED, on_delta=lambda _: None)
    assert told == ["thought: Let me ", "thought: see.", "1. **Read**"]
    assert reply.text == unheard.text == "1. **Read**"


_CHANNEL = "<|end|><|start|>assistant<|channel|>final<|message|>"
MARKS = [
    ("<think>", "</think>"),
    ("<THINK >", "</THINK >"),
    ("<seed:think>", "</seed:think>"),
    ("<reasoning>", "</reasoning>\n<answer>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("【思考】", "【/思考】"),
    ("<|channel|>analysis<|message|>", _CHANNEL),
    ("<|start|>assistant<|channel|>analysis<|message|>", f"<|end|><|channel|>commentary<|message|>Hm.{_CHANNEL}"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<mulling-over>", "</mulling-over>"),
    ('<details type="reasoning">\n', "</details>"),
    ("<thinking>Is <think>a</think> < b? ", "</thinking>"),
    ("<think><think>", "</think>"),
    ("<think>", "</thinking>"),
]


def _pieces(text: str, size: int) -> str:
    request = ChatRequest(STAGE, {"model": "test", "messages": []}, None)
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return b"".join(wire.event(request, {"content": part}, None) for part in parts).decode() + "data: [DONE]\n\n"


@pytest.mark.parametrize("draft", ['{"sql": "SELECT 1"}', "```sql\nSELECT 1\n```"], ids=["json", "fence"])
@pytest.mark.parametrize(("opening", "closing"), MARKS)
async def test_thoughts_in_any_marks_are_no_part_of_the_reply(opening: str, closing: str, draft: str) -> None:
    text = f"{opening}Perhaps {draft} or so.{closing}\nSELECT 2"
    for size in (1, 7, len(text)):
        words: list[str] = []
        async with (
            ChatServer(ChatScript({STAGE: [Answer(raw=_pieces(text, size))]})) as server,
            _model(server) as model,
        ):
            reply = await reply_of(model, **ASKED, on_delta=words.append)
        assert ("".join(words), reply.text) == ("SELECT 2", "SELECT 2")


@pytest.mark.parametrize("closing", ["</think>", "[/THINK]", "◁/think▷", "</mulling>\n", "assistantfinal"])
async def test_a_closing_mark_alone_makes_a_thought_of_all_before_it(closing: str) -> None:
    text = f"Perhaps SELECT 1.{closing}SELECT 2"
    words: list[str] = []
    async with ChatServer(ChatScript({STAGE: [Answer(text=text), Answer(raw=_pieces(text, 2))]})) as server:
        async with _model(server) as model:
            assert (await reply_of(model, **ASKED)).text == "SELECT 2"
            # By now it is known that this model leaves out the opening mark.
            assert (await reply_of(model, **ASKED, on_delta=words.append)).text == "".join(words) == "SELECT 2"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t WHERE b < c AND note LIKE '%</think>%' OR note = '<think>'",
        '{"sql": "SELECT 1", "why": "<think>x</think>"}',
        "SELECT a FROM t WHERE b < c AND d > 2 AND note = 'see </think> and\n<think> there'",
        '{"sql": "SELECT a FROM t WHERE note = \'a </mulling>\\n</think> b\'"}',
        "`<think>` and `</think>` are marks",
        "[Note] <b>Total</b>: 5 [1]",
        "<schema> has no weights",
        "x <note>hey</note>\nMore",
    ],
)
async def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    words: list[str] = []
    async with ChatServer(ChatScript({STAGE: [Answer(raw=_pieces(text, 1))]})) as server, _model(server) as model:
        reply = await reply_of(model, **ASKED, on_delta=words.append)
    assert reply.text == "".join(words) == text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "SELECT "}, {"type": "output_text", "text": "2"}], "SELECT 2"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "SELECT 1"}]}, "SELECT 2"], "SELECT 2"),
        ([{"type": "text", "thought": True, "text": "SELECT 1"}, {"type": "text", "text": "SELECT 2"}], "SELECT 2"),
        ({"type": "text", "text": {"value": "SELECT 2"}}, "SELECT 2"),
    ],
)
async def test_content_in_parts_is_read_without_its_thoughts(content: Any, text: str) -> None:
    request = ChatRequest(STAGE, {"model": "test", "messages": []}, None)
    raw = wire.event(request, {"content": content}, None).decode()
    async with (
        ChatServer(ChatScript({STAGE: [Answer(raw=f"{raw}data: [DONE]\n\n")]})) as server,
        _model(server) as model,
    ):
        assert (await reply_of(model, **ASKED, on_delta=lambda _: None)).text == text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(text="<think>Let me see"), "thoughts only"),
        (Answer(text="", reasoning="SELECT 1"), "thoughts only"),
        (Answer(text="", finish_reason="length"), "length limit"),
    ],
)
async def test_a_reply_without_words_says_why_and_what_to_change(answer: Answer, said: str) -> None:
    async with ChatServer(ChatScript({STAGE: [answer]})) as server, _model(server) as model:
        with pytest.raises(UnfinishedReply, match=said) as failure:
            await reply_of(model, **ASKED)
    assert "max_tokens" in failure.value.hint
    assert (server.calls(), failure.value.usage.llm_calls) == (1, 1)


class NoSystemRole(ChatServer):
    """A server whose chat template knows no system message."""

    def refusal(self, request: ChatRequest) -> web.Response | None:
        if any(message["role"] == "system" for message in request.body["messages"]):
            return web.json_response({"detail": "System role not supported"}, status=400)
        return super().refusal(request)


async def test_a_model_that_takes_no_system_message_gets_it_as_the_user_s() -> None:
    async with NoSystemRole(ChatScript({STAGE: [Answer(text="Four.")]})) as server, _model(server) as model:
        for _ in range(2):
            assert (await reply_of(model, **ASKED)).text == "Four."
    assert server.calls() == 3  # what was refused is remembered
    assert [message["role"] for message in server.requests[-1].body["messages"]] == ["user"]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("answer", "said"),
    [(Answer(refusal="I cannot help."), "refused to answer"), (Answer(calls=[Call("run_sql")]), "called a tool")],
    ids=["refusal", "tool call"],
)
async def test_what_is_no_text_is_said_as_what_it_is_at_once(answer: Answer, said: str, streamed: bool) -> None:
    async with ChatServer(ChatScript({STAGE: [answer]})) as server, _model(server) as model:
        with pytest.raises(NoTextReply, match=said) as failure:
            await reply_of(model, **ASKED, on_delta=(lambda _: None) if streamed else None)
    assert "cannot help" not in failure.value.message  # a refusal can quote the question
    assert failure.value.hint
    assert failure.value.usage.llm_calls == server.calls() == 1
    assert failure.value.usage.prompt_tokens > 0


async def test_a_prompt_that_is_too_long_is_a_failure_of_its_own() -> None:
    error = {"message": "This model's maximum context length is 100 tokens.", "code": "context_length_exceeded"}
    async with ChatServer(ChatScript({STAGE: [Answer(status=400, error=error)]})) as server, _model(server) as model:
        with pytest.raises(PromptTooLong):
            await reply_of(model, **ASKED)
    assert server.calls() == 1


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "stream"])
async def test_tokens_from_the_server_s_cache_are_counted(streamed: bool) -> None:
    async with ChatServer(ChatScript({STAGE: [Answer(text="Yes.", cached=4)]})) as server, _model(server) as model:
        reply = await reply_of(model, **ASKED, on_delta=(lambda _: None) if streamed else None)
        twice = reply.usage + reply.usage
    assert (reply.usage.cached_tokens, twice.cached_tokens) == (4, 8)
    assert reply.usage.prompt_tokens > 4


async def test_the_older_field_for_cached_tokens_counts_too() -> None:
    usage = '{"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 6}'
    raw = f'data: {{"choices": [{{"delta": {{"content": "Yes"}}}}], "usage": {usage}}}\n\ndata: [DONE]\n\n'
    async with ChatServer(ChatScript({STAGE: [Answer(raw=raw)]})) as server, _model(server) as model:
        reply = await reply_of(model, **ASKED, on_delta=lambda _: None)
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (9, 6)
