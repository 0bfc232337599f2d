"""Questions about databases with short names, foreign letters, and dates and amounts that only their values tell."""

from __future__ import annotations

import sqlite3

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from tests.support.tables import case_rows, case_table

from .answers import Rows, answer_of, answers_rightly, database_of, reader_of


@pytest.fixture(scope="module")
def databases() -> dict[str, tuple[sqlite3.Connection, QuestionReader]]:
    made = {name: database_of(script) for name, script in case_table(__file__, "databases").items()}
    return {name: (database, reader_of(database)) for name, database in made.items()}


@pytest.mark.parametrize(("name", "question", "rows"), case_rows(__file__, "answered", "database", "question", "rows"))
def test_the_answer_is_right(
    name: str, question: str, rows: Rows, databases: dict[str, tuple[sqlite3.Connection, QuestionReader]]
) -> None:
    database, reader = databases[name]
    answers_rightly(reader, database, [(question, rows)], least=1)


@pytest.mark.parametrize(("name", "question"), case_rows(__file__, "refused", "database", "question"))
def test_what_has_no_figure_is_not_answered(
    name: str, question: str, databases: dict[str, tuple[sqlite3.Connection, QuestionReader]]
) -> None:
    assert answer_of(databases[name][1], question) is None
