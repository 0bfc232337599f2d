"""Random questions over random models never break the rules, and what they answer passes every check and runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from askwell.evaluation.business import read_business_questions
from askwell.sql.rules import RuleTranslator
from tests.support.random_questions import phrases_in

from .faults import Asked, Fault, faults
from .test_golden_questions import BY_FORM

_BUSINESS = read_business_questions(Path(__file__).parent / "business_questions" / "questions.jsonl")
REAL = (*(question for questions in BY_FORM.values() for question in questions), *(row.question for row in _BUSINESS))


@cache
def _known() -> tuple[str, ...]:
    return phrases_in("askwell.sql.rules")


async def _ask(seeds: range, questions: int) -> Asked:
    asked, found = Asked(), list[Fault]()
    for seed in seeds:
        found += [fault async for fault in faults(RuleTranslator, seed, questions, _known(), REAL, asked)]
    assert found == []
    return asked


def test_the_words_of_the_rules_are_found() -> None:
    assert {"how many", "most common", "sorted by", "without", "revenue"} <= set(_known())


@pytest.mark.parametrize("first", range(0, 24, 8))
async def test_random_questions(first: int) -> None:
    asked = await _ask(range(first, first + 8), 12)
    assert asked.questions == 96


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1_000, 1_250, 25))
async def test_ten_thousand_random_questions(first: int) -> None:
    asked = await _ask(range(first, first + 25), 40)
    assert asked.questions == 1_000
    assert asked.answers > 50  # questions that are all turned away would prove little
