"""Questions of business users on databases of which nothing but the schema and the rows is known: a good part of them
is answered, and what is answered is right. The files hold the questions with reference queries that were written by
hand; a question without one has no answer that everybody would agree on. The reader has
learned from these questions too: they hold what was reached, and say nothing of a first contact."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from askwell.evaluation.business import BusinessQuestion, answers, read_business_questions
from askwell.evaluation.drafted import DraftedModel
from askwell.evaluation.scoring import SqliteReader
from askwell.evaluation.text2sql import sampled_values
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode

FILES = Path(__file__).parent / "business_questions"
QUESTIONS = read_business_questions(FILES / "questions.jsonl")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("databases")
    for script in FILES.glob("*.sql"):
        with sqlite3.connect(folder / f"{script.stem}.sqlite") as connection:
            connection.executescript(script.read_text(encoding="utf-8"))
        connection.close()
    return folder


def _outcomes(databases: Path, db_id: str) -> list[tuple[BusinessQuestion, str | None, bool]]:
    """Each question with the SQL that answers it (none: it is not answered) and whether that is right."""
    reader = SqliteReader(databases / f"{db_id}.sqlite")
    try:
        drafted = DraftedModel(reader.connection, None)
        rules = QuestionReader(drafted.model, sampled_values(reader.connection, drafted.model), "sqlite")
        found: list[tuple[BusinessQuestion, str | None, bool]] = []
        for row in (row for row in QUESTIONS if row.db_id == db_id):
            outcome = rules.translate(row.question)
            if isinstance(outcome, Abstention) or not outcome.answers_in(RulesMode.BALANCED):
                found.append((row, None, False))
            else:
                sql = drafted.on_file(outcome.sql)
                found.append((row, sql, answers(reader, row, sql)))
        return found
    finally:
        reader.close()


@pytest.mark.parametrize(
    ("db_id", "at_least"), [("fleet", 0.6), ("hospital", 0.6), ("hr", 0.5), ("saas", 0.55), ("bike_workshop", 0.35)]
)
def test_what_is_answered_is_right(db_id: str, at_least: float, databases: Path) -> None:
    outcomes = _outcomes(databases, db_id)
    assert [(row.question, sql) for row, sql, right in outcomes if sql is not None and not right] == []
    answerable = [right for row, _, right in outcomes if row.references]
    assert sum(answerable) >= at_least * len(answerable)


def test_every_reference_runs(databases: Path) -> None:
    for row in QUESTIONS:
        reader = SqliteReader(databases / f"{row.db_id}.sqlite")
        try:
            for reference in row.references:
                assert isinstance(reader.run(reference), list), reference
        finally:
            reader.close()
