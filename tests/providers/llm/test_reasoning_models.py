"""Models that think before they answer, that answer with something other than text, and servers that cache prompts."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from askwell.providers.llm.base import LanguageModel
from askwell.providers.llm.call_options import at_temperature, with_thoughts
from tests.fakes import openai_wire as wire
from tests.fakes.model_at import model_at
from tests.fakes.openai_server import Answer, ChatRequest, ChatScript, ChatServer
from tests.fakes.recording_model import reply_of
from tests.support.tables import case_table

STAGE = "sql_answer"
ASKED: dict[str, Any] = {"system": f"Task: {STAGE}", "user": "Who?"}


def _model(server: ChatServer, **kwargs: Any) -> AbstractAsyncContextManager[LanguageModel]:
    return model_at(server, kwargs=kwargs)


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


MARKS = case_table(__file__, "marks")


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


@pytest.mark.parametrize("draft", ['{"sql": "SELECT 1"}', "```sql\nSELECT 1\n```"], ids=["json", "fence"])
@pytest.mark.parametrize("before", case_table(__file__, "dresses"))
async def test_thoughts_in_other_dress_are_no_part_of_the_reply(before: str, draft: str) -> None:
    text = f"{before.replace('{draft}', draft)}SELECT 2"
    async with ChatServer(ChatScript({STAGE: [Answer(text=text)]})) as server, _model(server) as model:
        assert (await reply_of(model, **ASKED)).text == "SELECT 2"


@pytest.mark.parametrize("closing", ["</think>", "[/THINK]", "◁/think▷", "</mulling>\n", "assistantfinal"])
async def test_a_closing_mark_alone_makes_a_thought_of_all_before_it(closing: str) -> None:
    text = f"Perhaps SELECT 1.{closing}SELECT 2"
    words: list[str] = []
    async with ChatServer(ChatScript({STAGE: [Answer(text=text), Answer(raw=_pieces(text, 2))]})) as server:
        async with _model(server) as model:
            assert (await reply_of(model, **ASKED)).text == "SELECT 2"
            # By now it is known that this model leaves out the opening mark.
            assert (await reply_of(model, **ASKED, on_delta=words.append)).text == "".join(words) == "SELECT 2"


@pytest.mark.parametrize("text", case_table(__file__, "no_marks"))
async def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    words: list[str] = []
    async with ChatServer(ChatScript({STAGE: [Answer(raw=_pieces(text, 1))]})) as server, _model(server) as model:
        reply = await reply_of(model, **ASKED, on_delta=words.append)
    assert reply.text == "".join(words) == text
