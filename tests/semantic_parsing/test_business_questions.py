"""Questions as people ask them about a business, in shapes where a reading that loses a word would give a wrong answer
that nobody sees. Each is answered with the right rows, or not at all."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, Relationship, SemanticModel, Table, TableKind
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from tests.support.tables import case_rows, case_table

from .answers import answer_of, answers_rightly, database_of

ROWS = case_table(__file__, "database")


def _model() -> SemanticModel:
    def table(name: str, *columns: tuple[str, str], **more: Any) -> Table:
        made = tuple(Column(column, kind) for column, kind in columns)
        return Table(name, TableKind.MODEL, made, primary_key=(columns[0][0],), **more)

    tables = (
        table(
            "guests",
            ("guest_id", "INTEGER"),
            ("company_name", "TEXT"),
            ("contact_name", "TEXT"),
            ("contact_title", "TEXT"),
            ("city", "TEXT"),
            ("country", "TEXT"),
            ("fax", "TEXT"),
        ),
        table(
            "staff",
            ("staff_id", "INTEGER"),
            ("first_name", "TEXT"),
            ("last_name", "TEXT"),
            ("title", "TEXT"),
            ("city", "TEXT"),
            ("reports_to", "INTEGER"),
            synonyms=("clerks",),
        ),
        table(
            "bookings",
            ("booking_id", "INTEGER"),
            ("guest_id", "INTEGER"),
            ("staff_id", "INTEGER"),
            ("booked_on", "DATE"),
            ("shipped_on", "DATE"),
            ("ship_name", "TEXT"),
            ("ship_city", "TEXT"),
            ("total", "REAL"),
        ),
        table("makers", ("maker_id", "INTEGER"), ("name", "TEXT")),
        table(
            "goods",
            ("good_id", "INTEGER"),
            ("good_name", "TEXT"),
            ("maker_id", "INTEGER"),
            ("author", "TEXT"),
            ("price", "REAL"),
            ("stock", "INTEGER"),
            ("retired", "TEXT"),
            synonyms=("products",),
        ),
    )
    many = Cardinality.MANY_TO_ONE
    relationships = (
        Relationship("booking_guest", "bookings", "guests", many, (("guest_id", "guest_id"),)),
        Relationship("booking_staff", "bookings", "staff", many, (("staff_id", "staff_id"),)),
        Relationship("boss", "staff", "staff", many, (("reports_to", "staff_id"),)),
        Relationship("good_maker", "goods", "makers", many, (("maker_id", "maker_id"),)),
    )
    return SemanticModel("inn", "SQLITE", {t.name: t for t in tables}, relationships)


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return database_of(ROWS)


@pytest.fixture(scope="module")
def rules(database: sqlite3.Connection) -> QuestionReader:
    model = _model()
    values = {}
    for table in model:
        for column in table.columns:
            rows = database.execute(f"SELECT DISTINCT {column.name} FROM {table.name}")
            texts = tuple(value for (value,) in rows if isinstance(value, str) and value)
            if texts:
                values[ColumnRef(table.name, column.name)] = texts
    return QuestionReader(model, values, "sqlite")


# Of the questions below; more is better, and what is answered must be right.
LEAST_ANSWERED = 49
ANSWERED: tuple[tuple[str, list[tuple[Any, ...]]], ...] = case_rows(__file__, "answered", "question", "rows")


def test_what_is_answered_is_right(rules: QuestionReader, database: sqlite3.Connection) -> None:
    answers_rightly(rules, database, ANSWERED, LEAST_ANSWERED)


REFUSED = case_table(__file__, "refused")


@pytest.mark.parametrize("question", REFUSED)
def test_what_would_lose_a_word_is_not_answered(question: str, rules: QuestionReader) -> None:
    assert answer_of(rules, question) is None


def test_a_value_of_two_columns_is_no_answer(rules: QuestionReader) -> None:
    assert answer_of(rules, "products from Tarn") is None


def test_whose_rows_are_the_most_ranks_the_owners(rules: QuestionReader) -> None:
    outcome = rules.translate("Which country's guests have the most bookings?")
    assert isinstance(outcome, Translation)
    assert "GROUP BY guests.country ORDER BY" in outcome.sql


def test_a_number_of_rows_limits_them(rules: QuestionReader) -> None:
    outcome = rules.translate("show 2 products")
    assert isinstance(outcome, Translation)
    assert outcome.sql.endswith("LIMIT 2")


def test_a_value_that_is_nearly_there_is_taken_and_said(rules: QuestionReader) -> None:
    outcome = rules.translate("guests from Norwey")
    assert isinstance(outcome, Translation)
    assert "'Norway'" in outcome.sql
    assert "“Norwey” was read as “norway”." in outcome.notes


def test_a_booking_is_shown_by_its_key(rules: QuestionReader) -> None:
    """A ship name stands beside a ship city: it names the ship."""
    outcome = rules.translate("bookings with the highest total")
    assert isinstance(outcome, Translation)
    assert "ship_name" not in outcome.sql.lower()


def test_total_before_a_display_name_is_a_sum() -> None:
    """ "total value", where the column is called `total` and shown as "Value", is no list of all totals."""
    orders = Table(
        "orders",
        TableKind.MODEL,
        (Column("id", "INTEGER"), Column("placed_at", "TIMESTAMP"), Column("total", "DOUBLE", display_name="Value")),
        primary_key=("id",),
    )
    model = SemanticModel("shop", "DUCKDB", {"orders": orders}, ())
    outcome = QuestionReader(model, {}, "duckdb").translate("What is the total value of orders placed last month?")
    assert isinstance(outcome, Translation)
    assert "SUM(" in outcome.sql
