"""One call for intent, plan and SQL: what is asked, what is read, and what is told while it is written."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from askwell.pipelines.generation.question import Intent
from askwell.pipelines.generation.sql_writing import sql_generation
from askwell.prompts.loader import PromptSet
from askwell.providers.llm.base import ModelCall, ModelReply
from tests.fakes.model_at import scripted
from tests.fakes.openai_server import Answer
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c

PLAN = '1. **Zählen**: die "offenen" Bestellungen.\n2. **Fertig**: so 😀.'
ASKS = {"asks_intent": True, "asks_plan": True}
REPLY = {"intent": "TEXT_TO_SQL", "plan": PLAN, "sql": "SELECT 1"}


async def _single(text: str, **more: Any) -> tuple[Any, RecordingModel]:
    model = RecordingModel(text)
    return await sql_generation.build(model, **more).run(c.RICH_QUESTION, c.RICH, **ASKS), model


async def test_one_call_gives_all_three_and_streams_the_words_of_the_plan() -> None:
    pieces: list[str] = []
    async with scripted("sql_generation", Answer(json=REPLY)) as (model, server):
        answer = await sql_generation.build(model).run(c.RICH_QUESTION, c.RICH, on_delta=pieces.append, **ASKS)
    assert (answer.intent, answer.plan, answer.sql, answer.problem) == (Intent.TEXT_TO_SQL, PLAN, "SELECT 1", None)
    assert "".join(pieces) == PLAN
    assert len(pieces) > 3
    (request,) = server.requests
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["intent", "plan", "sql"]
    assert answer.usage.llm_calls == 1


async def test_escapes_are_told_whole_wherever_a_piece_ends() -> None:
    for text in (json.dumps(REPLY), json.dumps(REPLY, ensure_ascii=False)):
        for at in range(len(text)):
            pieces: list[str] = []
            model = _Halves(text, at)
            await sql_generation.build(model).run(c.RICH_QUESTION, c.RICH, on_delta=pieces.append, **ASKS)
            assert "".join(pieces) == PLAN


class _Halves(RecordingModel):
    """Streams its reply in two pieces, cut anywhere."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self._at = at

    async def reply(self, call: ModelCall) -> ModelReply:
        for piece in (self.text[: self._at], self.text[self._at :]):
            assert call.on_delta is not None
            call.on_delta(piece)
        return await super().reply(replace(call, on_delta=None))


@pytest.mark.parametrize(
    ("text", "intent", "sql", "problem"),
    [
        ('{"intent": "general", "plan": "", "sql": ""}', Intent.GENERAL, None, "no SQL"),
        ('{"intent": "MISLEADING_QUERY", "plan": "", "sql": "SELECT 1"}', Intent.MISLEADING_QUERY, "SELECT 1", None),
        ('```json\n{"sql": "SELECT 1"}\n```', Intent.TEXT_TO_SQL, "SELECT 1", None),
        ('{"intent": "SOMETHING", "sql": "SELECT 1"}', Intent.TEXT_TO_SQL, "SELECT 1", None),
        ('{"intent": "TEXT_TO_SQL", "sql": ""}', Intent.TEXT_TO_SQL, None, "no SQL"),
        ("I cannot.", Intent.TEXT_TO_SQL, None, "no SQL"),
    ],
)
async def test_what_is_read(text: str, intent: Intent, sql: str | None, problem: str | None) -> None:
    answer, _ = await _single(text)
    assert (answer.intent, answer.sql) == (intent, sql)
    assert (answer.problem is None) is (problem is None)


async def test_a_small_model_is_asked_for_no_plan() -> None:
    answer, model = await _single('{"intent": "TEXT_TO_SQL", "sql": "SELECT 1"}', prompts=PromptSet("lean"))
    assert (answer.plan, answer.sql) == ("", "SELECT 1")
    schema = model.calls[0].schema
    assert schema is not None
    assert list(schema.schema["properties"]) == ["intent", "sql"]
