"""The period that a question says, and what is asked with another one in its place."""

from __future__ import annotations

from datetime import date

import pytest

from askwell.question.other_periods import period_said

TODAY = date(2026, 11, 26)
# A question, its period, one that could be said instead, what is asked then, and what without any.
SAID: list[tuple[str, str, str, str, str | None]] = [
    ("orders in 2024", "2024", "2025", "orders in 2025", "orders"),
    ("what is the 2024 revenue?", "2024", "2023", "what is the 2023 revenue?", "what is the revenue?"),
    ("Orders of the year 2024 by city", "2024", "2023", "Orders of the year 2023 by city", "Orders by city"),
    ("orders since 2023", "2023", "2022", "orders since 2022", "orders"),
    ("revenue in Q1 2024", "Q1 2024", "Q4 2023", "revenue in Q4 2023", "revenue"),
    ("the first quarter of 2024", "first quarter of 2024", "2024", "2024", "the"),
    (
        "Sales in the second half of 2025?",
        "second half of 2025",
        "first half of 2026",
        "Sales in the first half of 2026?",
        "Sales?",
    ),
    ("orders in March", "March", "February", "orders in February", "orders"),
    ("orders in Dec 2024 by day", "Dec 2024", "Jan 2025", "orders in Jan 2025 by day", "orders by day"),
    ("orders last month", "last month", "last 30 days", "orders in the last 30 days", "orders"),
    ("orders in the last 30 days", "last 30 days", "last month", "orders last month", "orders"),
    ("revenue of last year", "last year", "last 12 months", "revenue of the last 12 months", "revenue"),
    ("Last year, who paid?", "Last year", "last 12 months", "In the last 12 months, who paid?", "Who paid?"),
    ("today's orders", "today", "yesterday", "yesterday's orders", "orders"),
    ("and this year?", "this year", "last year", "and last year?", "and?"),
    ("in 2024", "2024", "2023", "in 2023", None),
    ('"a  2023 b" in 2024', "2024", "2025", '"a  2023 b" in 2025', '"a  2023 b"'),
]
# Nothing can be said instead.
UNSAID = (
    "how many orders",
    "orders in 2023 and 2024",
    "orders from March 2024 to May 2024",
    "orders between January and March 2024",
    "this year vs last year",
    "orders on 5 March 2024",
    "orders on March 5, 2024",
    "orders on 2024-03-05",
    "sales of 2024-25",
    "orders over 2,024",
    "orders of “Model 2024”",
    "the last 5 orders",
    "it may be last",
)


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
    [
        ("orders in 2026", ["2025", "2024"]),
        ("orders in Q4 2026", ["Q3 2026", "Q4 2025", "2026"]),
        ("orders in 2030", []),
        ("orders in November 2026", ["October 2026", "November 2025", "2026"]),
    ],
)
def test_what_has_not_begun_is_not_offered(question: str, labels: list[str]) -> None:
    found = period_said(question, TODAY)
    assert found is not None
    assert [one.label for one in found.others] == labels
