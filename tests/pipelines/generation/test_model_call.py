"""Calls that a second try saves: late ones, halves of objects, and words that break off while somebody reads them."""

from __future__ import annotations

import asyncio
import time

import pytest

from askwell.errors import ModelTimedOut, ModelUnavailable
from askwell.pipelines.generation.nodes import ModelCall
from askwell.pipelines.generation.pipeline import TEXT, object_schema
from askwell.pipelines.generation.reading import is_cut_object
from askwell.prompts.loader import PromptText
from askwell.providers.llm.chat_generator import ChatGenerator
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer

PROMPT = PromptText(system="Task: sql_generation\njson", user="u")
SCHEMA = object_schema("sql_generation", sql=TEXT)
HALF, WHOLE = Answer(text='{"sql": "SELECT na'), Answer(json={"sql": "SELECT name FROM customers"})
LATE = Answer(hang=True)
BROKEN = Answer(text="one two three four", drop="middle", chunk_delay=0.02)


@pytest.mark.parametrize("failures", [1, 2])
async def test_half_an_object_is_asked_for_again(failures: int) -> None:
    async with scripted("sql_generation", *[HALF] * failures, WHOLE) as (model, server):
        reply = await ModelCall(ChatGenerator(model)).ask(PROMPT, SCHEMA)
    assert (reply.text, reply.usage.llm_calls, server.calls()) == (WHOLE.content, failures + 1, failures + 1)


async def test_and_given_as_it_is_after_three_tries() -> None:
    async with scripted("sql_generation", HALF) as (model, server):
        reply = await ModelCall(ChatGenerator(model)).ask(PROMPT, SCHEMA)
    assert (reply.text, server.calls()) == (HALF.text, 3)


@pytest.mark.parametrize(
    "answer",
    [Answer(text='{"sql": "SEL', finish_reason="length"), Answer(text="I cannot."), Answer(text="SELECT 1")],
    ids=["at its length limit", "words", "a statement"],
)
async def test_what_would_be_the_same_again_is_not(answer: Answer) -> None:
    async with scripted("sql_generation", answer) as (model, server):
        await ModelCall(ChatGenerator(model)).ask(PROMPT, SCHEMA)
    assert server.calls() == 1


async def test_a_late_call_is_made_again_and_counted() -> None:
    async with scripted("sql_generation", LATE, WHOLE, timeout=0.3) as (model, server):
        reply = await ModelCall(ChatGenerator(model)).ask(PROMPT, SCHEMA)
    assert (reply.text, reply.usage.llm_calls, server.calls()) == (WHOLE.content, 2, 2)


async def test_no_longer_than_the_call_may_take() -> None:
    async with scripted("sql_generation", LATE, timeout=10) as (model, server):
        began = time.monotonic()
        with pytest.raises(ModelTimedOut):
            await ModelCall(ChatGenerator(model), timeout=0.3).ask(PROMPT, SCHEMA)
        assert (server.calls(), time.monotonic() - began < 5) == (1, True)


async def test_a_refusal_is_not_asked_for_again() -> None:
    async with scripted("sql_generation", Answer(status=401)) as (model, server):
        with pytest.raises(ModelUnavailable):
            await ModelCall(ChatGenerator(model)).ask(PROMPT, SCHEMA)
    assert server.calls() == 1


@pytest.mark.parametrize(
    ("answers", "read"),
    [
        ((BROKEN, Answer(text="one two three four")), "one two three four"),
        ((BROKEN, BROKEN, Answer(text="one two three four")), "one two three four"),
        ((BROKEN, Answer(text="there are four")), "one two …\n\nthere are four"),
        ((BROKEN, Answer(text="one for all")), "one two …\n\none for all"),
        ((BROKEN, Answer(text="one")), "one two …\n\none"),
    ],
    ids=["the same", "broken twice", "other words", "other words after the first", "fewer words"],
)
async def test_a_reader_goes_on_where_the_words_broke_off(answers: tuple[Answer, ...], read: str) -> None:
    pieces: list[str] = []
    async with scripted("sql_generation", *answers) as (model, _):
        reply = await ModelCall(ChatGenerator(model), on_delta=pieces.append).ask(PROMPT)
    assert ("".join(pieces), reply.text) == (read, answers[-1].text)


async def test_a_call_that_was_stopped_is_not_made_again() -> None:
    async with scripted("sql_generation", LATE) as (model, server):
        call = asyncio.create_task(ModelCall(ChatGenerator(model)).ask(PROMPT, SCHEMA))
        await server.arrived("sql_generation")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert server.calls() == 1


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ('{"sql": "SELECT 1"}', False),
        ('```json\n{"sql": "SELECT 1"}\n```', False),
        ('{"sql": "SELECT 1"} and so on', False),
        ("{'sql': 'SELECT 1'}", False),
        ("sql: SELECT 1", False),
        ("", False),
        ('{"sql": "SELECT 1', True),
        ('```json\n{"sql": "SELECT 1', True),
        ('{"questions": [{"question": "a"}', True),
        ("{", True),
        ("{" * 100_000, True),
    ],
    ids=lambda value: str(value)[:40],
)
def test_which_objects_are_cut(text: str, is_cut: bool) -> None:
    assert is_cut_object(text) is is_cut
