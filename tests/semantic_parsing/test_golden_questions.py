"""Questions and the SQL they become, kept where a reviewer reads the diff."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention
from tests.support.tables import case_table

from .bookshop import translator

GOLDEN = Path(__file__).parent / "golden"

BY_FORM: dict[str, tuple[str, ...]] = case_table(__file__, "by_form")

TIMES = case_table(__file__, "times")


def _written(rules: QuestionReader, question: str) -> str:
    outcome = rules.translate(question)
    if isinstance(outcome, Abstention):
        return f"? {question}\n  abstains: {outcome.reason} {', '.join(outcome.words)}\n"
    kinds = ", ".join(assumption.kind for assumption in outcome.assumptions)
    return f"? {question}\n  {outcome.sql}\n" + (f"  assuming: {kinds}\n" if kinds else "")


def test_questions_of_every_form(golden: Callable[[Path, str], None]) -> None:
    rules = translator("duckdb")
    parts = [
        f"## {form}\n\n" + "\n".join(_written(rules, question) for question in questions)
        for form, questions in BY_FORM.items()
    ]
    golden(GOLDEN / "questions.txt", "\n".join(parts))


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
def test_times_in_each_dialect(dialect: str, golden: Callable[[Path, str], None]) -> None:
    rules = translator(dialect)
    golden(GOLDEN / f"times.{dialect}.txt", "\n".join(_written(rules, question) for question in TIMES))


@pytest.mark.parametrize("question", [q for questions in BY_FORM.values() for q in questions] + list(TIMES))
def test_none_of_them_abstains(question: str) -> None:
    assert not isinstance(translator().translate(question), Abstention)
