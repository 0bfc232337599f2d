"""Questions of business users on databases of which nothing but the schema and the rows is known: a good part of them
is answered, and what is answered is right. The files hold the questions with reference queries that were written by
hand; a question without one has no answer that everybody would agree on. The reader has
learned from these questions too: they hold what was reached, and say nothing of a first contact."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode
from askwell_evaluation.databases import Judge, SqliteReader, drafted_model
from askwell_evaluation.questions import Question, read_questions

FILES = Path(__file__).parent / "business_questions"
QUESTIONS = read_questions(FILES / "questions.jsonl")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("databases")
    for script in FILES.glob("*.sql"):
        with sqlite3.connect(folder / f"{script.stem}.sqlite") as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
        connection.close()
    return folder


def _outcomes(databases: Path, db_id: str) -> list[tuple[Question, str | None, bool]]:
    """Each question with the SQL that answers it (none: it is not answered) and whether that is right."""
    path = databases / f"{db_id}.sqlite"
    drafted, values = drafted_model(path, None)
    rules = QuestionReader(drafted.model, values, "sqlite")
    found: list[tuple[Question, str | None, bool]] = []
    with closing(SqliteReader(path)) as reader:
        judge = Judge(reader, drafted)
        for row in (row for row in QUESTIONS if row.db_id == db_id):
            outcome = rules.translate(row.question)
            if isinstance(outcome, Abstention) or not outcome.answers_in(RulesMode.BALANCED):
                found.append((row, None, False))
            else:
                found.append((row, drafted.on_file(outcome.sql), judge.verdict(row, outcome.sql)[1]))
    return found


@pytest.mark.parametrize(
    ("db_id", "at_least"), [("fleet", 0.6), ("hospital", 0.6), ("hr", 0.5), ("saas", 0.55), ("bike_workshop", 0.35)]
)
def test_what_is_answered_is_right(db_id: str, at_least: float, databases: Path) -> None:
    outcomes = _outcomes(databases, db_id)
    assert [(row.question, sql) for row, sql, right in outcomes if sql is not None and not right] == []
    answerable = [right for row, _, right in outcomes if row.golds]
    assert sum(answerable) >= at_least * len(answerable)


def test_every_reference_runs(databases: Path) -> None:
    for row in QUESTIONS:
        with closing(SqliteReader(databases / f"{row.db_id}.sqlite")) as reader:
            for reference in row.golds:
                assert isinstance(reader.run(reference), list), reference
