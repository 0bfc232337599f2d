"""What is denied, bounds that none meets, and what people are to each other: each was answered wrongly, and sure of it,
when people who had not seen the grammar asked about databases of their own."""

from __future__ import annotations

import sqlite3

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Turn
from askwell_evaluation.databases import DraftedModel, sampled_values
from tests.support.tables import case_rows, case_table

from .answers import Rows, answer_of, answers_rightly, database_of

ROWS = case_table(__file__, "database")


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS)


@pytest.fixture(scope="module")
def reader(database: sqlite3.Connection) -> QuestionReader:
    """As a service reads: nothing is left out for the sake of a benchmark."""
    model = DraftedModel(database, None).model
    return QuestionReader(model, sampled_values(database, model), "sqlite", bare=False)


@pytest.mark.parametrize(
    ("question", "rows"),
    case_rows(__file__, "the_answer_is_right", "question", "rows"),
)
def test_the_answer_is_right(question: str, rows: Rows, reader: QuestionReader, database: sqlite3.Connection) -> None:
    answers_rightly(reader, database, [(question, rows)], least=1)


@pytest.mark.parametrize(
    "question",
    case_table(__file__, "what_cannot_be_read_is_not_answered"),
)
def test_what_cannot_be_read_is_not_answered(question: str, reader: QuestionReader) -> None:
    """A minus and a placeholder are not passed over."""
    assert answer_of(reader, question) is None


def test_a_follow_up_keeps_the_joins(reader: QuestionReader, database: sqlite3.Connection) -> None:
    """Another table is joined beside them, and not in their place."""
    question = "Which members have both a Spin and a Yoga booking?"
    first = answer_of(reader, question)
    assert first is not None
    found = reader.translate("and in York?", before=[Turn(question, first.sql)])
    assert not isinstance(found, Abstention)
    assert database.execute(found.sql).fetchall() == [("Noor", "Yilmaz")]


def test_a_whole_question_adds_to_nothing(reader: QuestionReader) -> None:
    """Whatever was asked before; what it lacks is said."""
    question = "Which members have a Spin booking?"
    first = answer_of(reader, question)
    assert first is not None
    found = reader.translate("What does Tom Becker teach?", before=[Turn(question, first.sql)])
    assert isinstance(found, Abstention) or not found.follows


@pytest.mark.parametrize(
    ("written", "said"),
    [("how many sessions per coach_id", "how many sessions per coach id"), ("list class_name", "list class name")],
)
def test_names_may_be_said_as_they_are_written(written: str, said: str, reader: QuestionReader) -> None:
    one, other = answer_of(reader, written), answer_of(reader, said)
    assert one is not None
    assert other is not None
    assert one.sql == other.sql
