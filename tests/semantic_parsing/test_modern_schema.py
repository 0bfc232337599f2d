"""A schema as services have them today: surrogate keys, statuses, flags, several dates a row, references in two roles
and to the own table. What one word decides is answered by it, and what nobody decides is not answered."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from tests.support.tables import case_rows, case_table

from .answers import answer_of, answers_rightly, database_of, reader_of

ROWS = case_table(__file__, "database")


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS)


@pytest.fixture(scope="module")
def rules(database: sqlite3.Connection) -> QuestionReader:
    return reader_of(database)


# Of the questions below; more is better, and what is answered must be right.
LEAST_ANSWERED = 26
ANSWERED: tuple[tuple[str, list[tuple[Any, ...]]], ...] = case_rows(__file__, "answered", "question", "rows")


def test_what_is_answered_is_right(rules: QuestionReader, database: sqlite3.Connection) -> None:
    answers_rightly(rules, database, ANSWERED, LEAST_ANSWERED)


REFUSED = case_table(__file__, "refused")


@pytest.mark.parametrize("question", REFUSED)
def test_what_nobody_decides_is_not_answered(question: str, rules: QuestionReader) -> None:
    assert answer_of(rules, question) is None


def test_negations_are_written_as_people_do(rules: QuestionReader) -> None:
    outcome = rules.translate("accounts that are not active")
    assert isinstance(outcome, Translation)
    assert (
        outcome.sql
        == "SELECT accounts.name FROM accounts WHERE (accounts.is_active IS NULL OR NOT accounts.is_active = 1)"
    )
