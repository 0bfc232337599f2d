"""The SQL gives the right rows: asked of real DuckDB and SQLite files that hold the bookshop."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from askwell.semantic_parsing.translation import Translation
from askwell_evaluation.databases import shows
from tests.support.tables import case_rows

from .bookshop import ROWS, translator

Rows = list[tuple[Any, ...]]


def _duckdb() -> Callable[[str], Rows]:
    import duckdb

    connection = duckdb.connect()
    connection.execute(ROWS)
    return lambda sql: connection.execute(sql).fetchall()


def _sqlite() -> Callable[[str], Rows]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(ROWS)
    return lambda sql: connection.execute(sql).fetchall()


DATABASES = {"duckdb": _duckdb, "sqlite": _sqlite}

EXPECTED: tuple[tuple[str, Rows], ...] = case_rows(__file__, "expected", "question", "rows")


@pytest.mark.parametrize("dialect", sorted(DATABASES))
def test_rows(dialect: str) -> None:
    rules, run = translator(dialect), DATABASES[dialect]()
    for question, expected in EXPECTED:
        outcome = rules.translate(question)
        assert isinstance(outcome, Translation), question
        rows = [tuple(_plain(value) for value in row) for row in run(outcome.sql)]
        assert shows(expected, rows, ordered=False), (question, outcome.sql)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, datetime) else value


@pytest.mark.parametrize(
    ("question", "value"),
    case_rows(__file__, "what_is_quoted_is_compared_as_it_is_written", "question", "value"),
)
def test_what_is_quoted_is_compared_as_it_is_written(question: str, value: str) -> None:
    outcome = translator("duckdb").translate(question)
    assert isinstance(outcome, Translation), question
    assert value.replace("'", "''") in outcome.sql


@pytest.mark.parametrize("dialect", sorted(DATABASES))
def test_periods_counted_from_today_run(dialect: str) -> None:
    rules, run = translator(dialect), DATABASES[dialect]()
    for period in (
        "today",
        "yesterday",
        "this week",
        "last week",
        "last month",
        "this quarter",
        "last quarter",
        "last year",
        "in March last year",
        "in Q3 of last year",
        "between May and July last year",
    ):
        for words in (f"how many orders {period}", f"how many orders were placed {period}"):
            outcome = rules.translate(words)
            assert isinstance(outcome, Translation), words
            assert "2026" not in outcome.sql, "a saved query has to mean the same again later"
            assert run(outcome.sql) == [(0,)]


@pytest.mark.parametrize("dialect", sorted(DATABASES))
def test_a_period_counted_from_today_finds_what_lies_in_it(dialect: str) -> None:
    rules, run = translator(dialect), DATABASES[dialect]()
    today = "CURRENT_TIMESTAMP" if dialect == "sqlite" else "now()::TIMESTAMP"
    run(f"INSERT INTO orders SELECT 9, 1, 1, 1, {today}, NULL, 'open', 1.0")
    for period, found in (
        ("today", 1),
        ("this month", 1),
        ("this year", 1),
        ("in the last 7 days", 1),
        ("yesterday", 0),
    ):
        outcome = rules.translate(f"how many orders {period}")
        assert isinstance(outcome, Translation)
        assert run(outcome.sql) == [(found,)], outcome.sql
