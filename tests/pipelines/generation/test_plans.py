"""What a correction sees of a plan: its words, not its SQL."""

from __future__ import annotations

import re

import pytest

from askwell.pipelines.generation.build import GenerationPipelines
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.tables import case_rows

WORDS = "1. **Filter**: keep the paid orders.\n2. **Sum**: add up `column: orders.total`, select from last year."


@pytest.mark.parametrize(
    ("plan", "seen"),
    case_rows(__file__, "sql_in_a_plan_is_not_shown", "plan", "seen"),
    ids=[
        "words",
        "fenced",
        "open fence",
        "backticks",
        "in a step",
        "with",
        "names",
        "only SQL",
        "only a fence",
        "empty",
    ],
)
async def test_sql_in_a_plan_is_not_shown(plan: str, seen: str | None) -> None:
    model = RecordingModel('{"sql": "SELECT 1"}')
    p = GenerationPipelines(lambda _: model)
    await p.correction.run(c.PLAIN_QUESTION, c.PLAIN, plan=plan, rejected=c.UNKNOWN_TABLE)
    shown = re.search(r"<plan>\n(.*)\n</plan>", model.calls[0].user, re.DOTALL)
    assert (shown[1] if shown else None) == seen


async def test_an_edited_plan_is_what_the_person_wrote() -> None:
    model = RecordingModel('{"sql": "SELECT 1"}')
    await GenerationPipelines(lambda _: model).regeneration.run(
        c.PLAIN_QUESTION, c.PLAIN, plan="1. Use SELECT 1 FROM orders."
    )
    assert "1. Use SELECT 1 FROM orders." in model.calls[0].user
