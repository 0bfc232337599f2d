"""What questions of people who had not seen the grammar broke: each was answered wrongly, and sure of it."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation
from askwell_evaluation.databases import DraftedModel
from tests.semantic_parsing.answers import answer_of, answers_rightly, database_of, reader_of
from tests.support.tables import case_rows, case_table

ROWS = case_table(__file__, "database")
ANSWERED: tuple[tuple[str, list[tuple[Any, ...]]], ...] = case_rows(__file__, "answered", "question", "rows")
# Why each is not answered, as an abstention says it.
REFUSED = case_rows(__file__, "refused", "question", "reason")


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS)


@pytest.fixture(scope="module")
def reader(database: sqlite3.Connection) -> QuestionReader:
    return reader_of(database)


def test_figures_that_the_draft_defines_are_answered(reader: QuestionReader, database: sqlite3.Connection) -> None:
    answers_rightly(reader, database, ANSWERED, least=len(ANSWERED))


@pytest.mark.parametrize(("question", "reason"), REFUSED)
def test_what_would_be_a_guess_is_not_answered(question: str, reason: str, reader: QuestionReader) -> None:
    found = reader.translate(question)
    assert isinstance(found, Abstention), found
    assert found.reason == reason
    assert answer_of(reader, question) is None


def test_what_is_too_unsure_says_what_it_would_have_been(reader: QuestionReader) -> None:
    question = "How many products do orders of Casa Bella have?"
    found = reader.translate(question)
    assert isinstance(found, Translation), found
    assert found.modes == frozenset()
    assert found.sql.startswith("SELECT COUNT(DISTINCT products.id) AS number_of_products FROM products JOIN reviews")
    assert found.sql.endswith("WHERE clients.company = 'Casa Bella'")
    assert answer_of(reader, question) is None


def test_what_was_cancelled_is_said_to_count_or_not(reader: QuestionReader) -> None:
    for question, said in (("revenue by year", "are not counted"), ("number of orders per year", "are counted too")):
        found = reader.translate(question, unsure=True)
        assert isinstance(found, Translation)
        assert f"Orders that are “cancelled” {said}." in found.notes


def test_since_is_no_name_of_a_column(reader: QuestionReader) -> None:
    found = reader.translate("orders since January 2025")
    assert isinstance(found, Translation)
    assert "client_since" not in found.sql


def test_ages_are_counted_from_a_day_of_birth(reader: QuestionReader, database: sqlite3.Connection) -> None:
    found = reader.translate("what is the average age of our clients?")
    assert isinstance(found, Translation)
    assert found.answers_in(RulesMode.BALANCED)
    drafted = DraftedModel(database, None)
    (age,) = database.execute(drafted.on_file(found.sql)).fetchone()
    (expected,) = database.execute(
        "SELECT avg(floor((julianday('now') - julianday(birth_date)) / 365.25)) FROM clients"
    ).fetchone()
    assert abs(age - expected) < 1.1  # a birthday may be today


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        (
            "What percentage of what we invoiced since 2025 is for Casa Bella?",
            [("how many invoices", "rows are counted"), ("the total amount", "")],
        ),
        ("Which promotions can people use today?", [("Valid from", ""), ("Valid to", "")]),
    ],
)
def test_what_may_be_meant_is_offered_by_name(
    question: str, offered: list[tuple[str, str]], reader: QuestionReader
) -> None:
    found = reader.translate(question)
    assert isinstance(found, Abstention)
    assert [(choice.label, choice.detail) for choice in found.choices] == offered
