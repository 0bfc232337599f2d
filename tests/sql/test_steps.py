"""Every step of a statement runs alone, and the last one gives what the whole statement gives."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from askwell.mdl.prompt_schema import model_ddl
from askwell.mdl.semantic_model import Cardinality, ColumnRef, Relationship, SemanticModel
from askwell.providers.engine.base import ResultColumn
from askwell.sql.binder import bind
from askwell.sql.bindings import Bindings
from askwell.sql.bound import BoundSql
from askwell.sql.headings import with_headings
from askwell.sql.steps import steps_of
from askwell_evaluation.databases import introspected_model
from tests.sql.same_rows_queries import SCRIPT, TABLES, Query, queries
from tests.support.examples import examples
from tests.support.tables import case_rows

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
        ("books_2", "WITH books_2 AS (SELECT COUNT(*) AS n FROM books) SELECT * FROM books_2"),
        ("", "WITH books_2 AS (SELECT COUNT(*) AS n FROM books) SELECT books.n FROM books_2 AS books"),
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


# -- Units in drafted models and in the headings of results.


RIDES = """
CREATE TABLE rides (ride_id INTEGER PRIMARY KEY, distance_km REAL, price_cents INTEGER, battery_pct INTEGER,
    wait_min INTEGER, order_min INTEGER, ride_min INTEGER, ride_max INTEGER, name_kg TEXT, weight_kg_id INTEGER,
    latency_ms INTEGER);
"""


def test_a_draft_takes_units_from_names() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(RIDES)
        model = introspected_model(connection, None)
    units = {column.name: column.unit for column in model.tables["rides"].columns if column.unit}
    assert units == {
        "distance_km": "km",
        "price_cents": "cents",
        "battery_pct": "%",
        "wait_min": "minutes",
        "latency_ms": "ms",
    }
    assert "unit cents (divide by 100 for whole amounts)" in model_ddl(model)


@pytest.mark.parametrize(
    ("sql", "headings"),
    case_rows(__file__, "a_heading_says_the_unit", "sql", "headings"),
)
def test_a_heading_says_the_unit(sql: str, headings: list[str | None]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(RIDES)
        model = introspected_model(connection, None)
        names = [one[0] for one in connection.execute(sql).description]
    bound = bind(sqlglot.parse_one(sql, dialect="sqlite"), model, "sqlite")
    assert isinstance(bound, BoundSql)
    found = with_headings([ResultColumn(name, "") for name in names], bound, model)
    assert [column.heading for column in found][: len(headings)] == headings


# -- What was answered when an ask asked back, as the record keeps it and as it grows.


TABLES_of_bindings = st.sampled_from(["orders", "people", "shops"])
COLUMNS = st.builds(ColumnRef, TABLES_of_bindings, st.sampled_from(["id", "name"]))
LINKS = st.sampled_from(["buyer", "seller", "shop"])


def several(one: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(one, unique=True, max_size=3).map(tuple)


BINDINGS = st.builds(
    Bindings,
    tables=several(TABLES_of_bindings),
    not_tables=several(TABLES_of_bindings),
    columns=several(COLUMNS),
    relationships=several(LINKS),
    figure=st.none() | st.just("rows") | COLUMNS,
)


def link(name: str, left: str, right: str) -> Relationship:
    return Relationship(name, left, right, Cardinality.MANY_TO_ONE, ((f"{name}_id", "id"),))


MODEL = SemanticModel(
    "m",
    "SQLITE",
    {},
    (link("buyer", "orders", "people"), link("seller", "orders", "people"), link("shop", "orders", "shops")),
)


@given(BINDINGS)
def test_the_record_gives_back_what_it_keeps(bindings: Bindings) -> None:
    assert Bindings.from_json(json.loads(json.dumps(bindings.to_json()))) == bindings


@given(BINDINGS, BINDINGS)
def test_what_is_said_later_counts(earlier: Bindings, later: Bindings) -> None:
    both = earlier.merged(later, MODEL)
    assert set(later.tables) <= set(both.tables)
    assert set(later.not_tables) - set(later.tables) <= {*both.not_tables, *(ref.table for ref in later.columns)}
    assert set(later.columns) <= set(both.columns)
    assert set(later.relationships) <= set(both.relationships)
    assert later.figure is None or both.figure == later.figure
    for name in set(earlier.tables) - set(both.tables):
        assert name in later.not_tables
    for ref in set(earlier.columns) - set(both.columns):
        assert ref.table in later.not_tables


def test_two_tables_are_joined_as_was_said_last() -> None:
    both = Bindings(relationships=("buyer", "shop")).merged(Bindings(relationships=("seller",)), MODEL)
    assert both.relationships == ("shop", "seller")
