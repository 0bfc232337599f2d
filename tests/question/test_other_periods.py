"""The period that a question says, and what is asked with another one in its place."""

from __future__ import annotations

from datetime import date

import pytest

from askwell.question.other_periods import period_said
from tests.support.tables import case_rows, case_table

TODAY = date(2026, 11, 26)
# A question, its period, one that could be said instead, what is asked then, and what without any.
SAID: list[tuple[str, str, str, str, str | None]] = case_rows(
    __file__, "said", "question", "said", "label", "other", "without"
)
# Nothing can be said instead.
UNSAID = case_table(__file__, "unsaid")


@pytest.mark.parametrize(("question", "said", "label", "other", "without"), SAID, ids=[row[0] for row in SAID])
def test_the_words_of_a_period_are_replaced(
    question: str, said: str, label: str, other: str, without: str | None
) -> None:
    found = period_said(question, TODAY)
    assert found is not None
    assert found.said == said
    assert {one.label: one.question for one in found.others}[label] == other
    assert (found.everything.question if found.everything is not None else None) == without
    assert len(found.others) <= 5
    assert said.lower() not in {one.label for one in found.others}


@pytest.mark.parametrize("question", UNSAID)
def test_one_period_alone_has_others(question: str) -> None:
    assert period_said(question, TODAY) is None


@pytest.mark.parametrize(
    ("question", "labels"),
    case_rows(__file__, "what_has_not_begun_is_not_offered", "question", "labels"),
)
def test_what_has_not_begun_is_not_offered(question: str, labels: list[str]) -> None:
    found = period_said(question, TODAY)
    assert found is not None
    assert [one.label for one in found.others] == labels
