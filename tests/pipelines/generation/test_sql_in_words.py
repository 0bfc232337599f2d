"""Questions, summaries, answers from rows and SQL for edited plans: what is made of a model's replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askwell.pipelines.generation.build import GenerationPipelines
from askwell.providers.engine.base import QueryRows, ResultColumn
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.tables import case_rows


def _pipelines(text: str, *, context_window: int = 8_000) -> tuple[GenerationPipelines, RecordingModel]:
    model = RecordingModel(text, context_window=context_window)
    return GenerationPipelines(lambda _: model), model


async def test_summaries_are_one_for_each_step() -> None:
    reply = json.dumps({"description": " Der Umsatz. ", "summaries": ["Bezahlte Bestellungen.", "Ihre Summe."]})
    p, model = _pipelines(reply)
    found = await p.summaries.run(c.RICH_QUESTION, steps=c.STEPS)
    assert (found.value.description, found.value.summaries) == (
        "Der Umsatz.",
        ("Bezahlte Bestellungen.", "Ihre Summe."),
    )
    assert found.value.problem is None
    assert found.usage.llm_calls == len(model.calls) == 1


@pytest.mark.parametrize(("reply", "problem"), case_rows(__file__, "other_replies_are_not_used", "reply", "problem"))
async def test_other_replies_are_not_used(reply: object, problem: str) -> None:
    p, _ = _pipelines(reply if isinstance(reply, str) else json.dumps(reply))
    found = await p.summaries.run(c.RICH_QUESTION, steps=c.STEPS)
    assert (found.value.description, found.value.summaries) == ("", ())
    assert problem in str(found.value.problem)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ('{"question": "Wie hoch ist der Umsatz je Stadt?"}', "Wie hoch ist der Umsatz je Stadt?"),
        ("Wie hoch ist der Umsatz?", "Wie hoch ist der Umsatz?"),
        ('{"question": ""}', ""),
        ('{"question": null}', ""),
        ('{"question": "One?\\nTwo?"}', ""),
        ('{"question": "Wie ho', ""),
        ("x" * 2_001, ""),
    ],
)
async def test_the_question_of_a_statement(reply: str, question: str) -> None:
    p, _ = _pipelines(reply)
    assert (await p.question.run(sql=c.SQL)).value == question


async def test_regeneration_reads_sql_as_generation_does() -> None:
    p, _ = _pipelines("```sql\nSELECT 1\n```")
    assert (await p.regeneration.run(c.RICH_QUESTION, c.RICH, plan=c.PLAN)).sql == "SELECT 1"
    p, _ = _pipelines("No.")
    assert (await p.regeneration.run(c.RICH_QUESTION, c.RICH, plan=c.PLAN)).sql is None


async def test_the_answer_is_streamed() -> None:
    p, _ = _pipelines("In Berlin 1234.5.")
    pieces: list[str] = []
    rows = await p.rows_for_answer(c.RICH_QUESTION, sql=c.SQL, result=c.RESULT)
    answer = await p.answer.run(c.RICH_QUESTION, sql=c.SQL, rows=rows, on_delta=pieces.append)
    assert answer.value == "".join(pieces) == "In Berlin 1234.5."
    assert (rows.shown, rows.total, rows.more) == (2, 2, True)


def _result(count: int, cell: Any = "x") -> QueryRows:
    return QueryRows((ResultColumn("n", ""), ResultColumn("t", "")), tuple((n, cell) for n in range(count)))


@pytest.mark.parametrize("window", [2_000, 4_000, 8_000, 32_000, 128_000])
async def test_rows_fit_into_what_the_model_reads_at_once(window: int) -> None:
    p, model = _pipelines("Some.", context_window=window)
    result = _result(500, "word " * 40)
    rows = await p.rows_for_answer(c.PLAIN_QUESTION, sql=c.SQL, result=result)
    await p.answer.run(c.PLAIN_QUESTION, sql=c.SQL, rows=rows)
    asked = model.calls[0]
    assert (len(asked.system) + len(asked.user)) / 4 + min(2_000, window // 4) <= window * 0.9
    assert rows.shown in (500, 250, 125, 62, 31, 15, 7, 3, 1)
    assert rows.shown == 500 or f"The first {rows.shown} of 500 rows are shown." in asked.user


async def test_a_row_that_never_fits_leaves_none() -> None:
    p, _ = _pipelines("", context_window=1_000)
    wide = QueryRows(tuple(ResultColumn(f"c{n}", "") for n in range(200)), (tuple("y" * 400 for _ in range(200)),))
    rows = await p.rows_for_answer(c.PLAIN_QUESTION, sql=c.SQL, result=wide)
    assert (rows.shown, rows.total) == (0, 1)
