"""Every step of a statement runs alone, and the last one gives what the whole statement gives."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import assume, given, settings

from askwell.sql.steps import steps_of
from tests.sql.same_rows_queries import SCRIPT, TABLES, Query, queries
from tests.support.examples import examples

Run = Callable[[str], list[tuple[Any, ...]]]


def _steps(sql: str, dialect: str = "duckdb") -> list[tuple[str, str]]:
    tree = sqlglot.parse_one(sql, read=dialect)
    before = tree.sql(dialect)
    steps = [(step.cte_name, " ".join(step.sql.split())) for step in steps_of(tree, dialect)]
    assert tree.sql(dialect) == before
    return steps


def test_a_statement_of_one_select_has_one_step() -> None:
    sql = "SELECT name FROM authors WHERE born > 1900"
    assert _steps(sql) == [("", sql)]


def test_ctes_come_before_derived_tables_and_the_statement_comes_last() -> None:
    sql = (
        "WITH a AS (SELECT id FROM authors) "
        "SELECT * FROM a JOIN (SELECT author_id FROM books) AS b ON a.id = b.author_id ORDER BY a.id LIMIT 2"
    )
    head = "WITH a AS ( SELECT id FROM authors ), b AS ( SELECT author_id FROM books )"
    assert _steps(sql) == [
        ("a", "WITH a AS (SELECT id FROM authors) SELECT * FROM a"),
        ("b", "WITH a AS (SELECT id FROM authors), b AS (SELECT author_id FROM books) SELECT * FROM b"),
        ("", f"{head} SELECT * FROM a JOIN b ON a.id = b.author_id ORDER BY a.id LIMIT 2"),
    ]


def test_a_derived_table_called_like_a_table_gets_a_name_of_its_own() -> None:
    steps = _steps("SELECT books.n FROM (SELECT count(*) AS n FROM books) AS books")
    assert steps == [
        ("books_1", "WITH books_1 AS (SELECT COUNT(*) AS n FROM books) SELECT * FROM books_1"),
        ("", "WITH books_1 AS (SELECT COUNT(*) AS n FROM books) SELECT books.n FROM books_1 AS books"),
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
        "SELECT a.name, b.n FROM authors AS a, LATERAL (SELECT count(*) AS n FROM books WHERE author_id = a.id) AS b",
        "SELECT a.name, b.n FROM authors AS a, (SELECT count(*) AS n FROM books WHERE author_id = a.id) AS b",
    ],
)
def test_recursive_and_correlated_parts_are_no_steps_of_their_own(sql: str) -> None:
    steps = _steps(sql)
    assert [name for name, _ in steps] == [""]
    with duckdb.connect() as connection:
        connection.execute(SCRIPT)
        assert Counter(connection.sql(steps[0][1]).fetchall()) == Counter(connection.sql(sql).fetchall())


def test_a_step_after_a_recursive_one_holds_it() -> None:
    sql = (
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3), "
        "m AS (SELECT sum(i) AS s FROM n) SELECT s FROM m"
    )
    steps = _steps(sql)
    assert [name for name, _ in steps] == ["m", ""]
    assert steps[0][1].startswith("WITH RECURSIVE n AS")


@pytest.fixture(scope="module")
def run_duckdb() -> Run:
    connection = duckdb.connect()
    connection.execute(SCRIPT)
    return lambda sql: connection.sql(sql).fetchall()


@pytest.fixture(scope="module")
def run_sqlite() -> Run:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCRIPT)
    return lambda sql: connection.execute(sql).fetchall()


@pytest.mark.deep
@given(query=queries())
@settings(max_examples=examples(800))
def test_steps_run_alone_and_end_in_the_rows_of_the_whole_on_duckdb(query: Query, run_duckdb: Run) -> None:
    _check(query.sql, "duckdb", run_duckdb, duckdb.Error)


@given(query=queries())
@settings(max_examples=examples(800))
def test_steps_run_alone_and_end_in_the_rows_of_the_whole_on_sqlite(query: Query, run_sqlite: Run) -> None:
    # SQLite itself takes no CTE that hides the table that it reads, but says so only where the CTE is read.
    assume(not any(f"WITH {name} AS" in query.sql or f", {name} AS (" in query.sql for name in TABLES))
    _check(query.sql, "sqlite", run_sqlite, sqlite3.Error)


def _check(sql: str, dialect: str, run: Run, error: type[Exception]) -> None:
    try:
        rows = run(sql)
    except error:
        return
    steps = steps_of(sqlglot.parse_one(sql, read=dialect), dialect)
    for step in steps[:-1]:
        run(step.sql)
    assert steps[-1].cte_name == ""
    assert Counter(map(repr, run(steps[-1].sql))) == Counter(map(repr, rows))
