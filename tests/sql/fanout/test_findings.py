"""What a finding says, where it is looked for, and what it may cost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from askwell.mdl.semantic_model import SemanticModel
from askwell.sql.outcome import ValidSql
from tests.sql.fanout.shop import DDL, fan_outs, model
from tests.sql.repair.clinic import checked
from tests.support.tables import case_rows, case_table

LINES = "FROM orders o JOIN order_lines l ON l.order_id = o.id"


@pytest.fixture(scope="module")
def shop() -> SemanticModel:
    return model()


def sentences(sql: str, over: SemanticModel, dialect: str = "duckdb") -> list[str]:
    return [found.sentence for found in fan_outs(sql, over, dialect)]


@pytest.mark.parametrize(
    ("sql", "sentence"),
    case_rows(__file__, "the_sentence_names_the_aggregate_the_rows_the_join_and_the_way_out", "sql", "sentence"),
)
def test_the_sentence_names_the_aggregate_the_rows_the_join_and_the_way_out(
    sql: str, sentence: str, shop: SemanticModel
) -> None:
    assert sentences(sql, shop) == [sentence]


def test_what_is_named_is_the_join_that_repeats_and_not_one_behind_it(shop: SemanticModel) -> None:
    sql = (
        "SELECT SUM(b.price) FROM authors a JOIN book_authors x ON x.author_id = a.id JOIN books b ON b.id = x.book_id"
    )
    (sentence,) = sentences(sql, shop)
    assert "the join with book_authors (x) on b.id = x.book_id repeats it" in sentence


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql", "trino", "bigquery", "snowflake", "tsql"])
def test_names_are_found_in_any_letter_case_and_dialect(dialect: str, shop: SemanticModel) -> None:
    upper = "SELECT SUM(O.TOTAL) FROM ORDERS AS O JOIN ORDER_LINES AS L ON L.ORDER_ID = O.ID"
    right = "SELECT SUM(L.QTY) FROM ORDERS AS O JOIN ORDER_LINES AS L ON L.ORDER_ID = O.ID GROUP BY O.ID"
    assert [found.inflates for found in fan_outs(upper, shop, dialect)] == [True]
    assert fan_outs(right, shop, dialect) == ()


def test_an_aggregate_is_found_once_wherever_it_stands(shop: SemanticModel) -> None:
    grouped = f"SELECT o.status, SUM(o.total) {LINES} GROUP BY 1 HAVING SUM(o.total) > 1 ORDER BY SUM(o.total)"
    assert [found.aggregate for found in fan_outs(grouped, shop)] == ["SUM(o.total)"]
    inside = f"WITH t AS (SELECT o.status, SUM(o.total) AS s {LINES} GROUP BY 1) SELECT MAX(s) FROM t"
    assert len(fan_outs(inside, shop)) == 1
    sides = f"SELECT SUM(o.total) {LINES} UNION ALL SELECT SUM(o.tax) {LINES}"
    assert [found.aggregate for found in fan_outs(sides, shop)] == ["SUM(o.total), SUM(o.tax)"]


def test_a_relationship_makes_up_for_a_missing_key_and_without_either_nothing_is_said(shop: SemanticModel) -> None:
    keyless = replace(shop, tables={name: replace(table, primary_key=()) for name, table in shop.tables.items()})
    unrelated = replace(keyless, relationships=())
    repeated, right = f"SELECT SUM(o.total) {LINES}", f"SELECT SUM(l.qty) {LINES}"
    assert len(fan_outs(repeated, keyless)) == 1
    assert fan_outs(right, keyless) == ()
    assert fan_outs(repeated, unrelated) == fan_outs(right, unrelated) == ()


def test_a_recursive_cte_is_not_judged(shop: SemanticModel) -> None:
    sql = (
        "WITH RECURSIVE chain AS (SELECT id, boss_id, salary FROM employees UNION ALL "
        "SELECT e.id, e.boss_id, c.salary FROM employees e JOIN chain c ON c.id = e.boss_id) "
        "SELECT SUM(o.total) FROM orders o JOIN chain ON chain.id = o.customer_id"
    )
    assert fan_outs(sql, shop) == ()


def test_many_queries_inside_one_another_are_no_danger(shop: SemanticModel) -> None:
    chain = ", ".join(
        f"t{n} AS (SELECT a.id, a.total FROM t{n - 1} a JOIN t{n - 1} b ON a.id = b.id)" for n in range(1, 300)
    )
    start = "WITH t0 AS (SELECT id, total FROM orders)"
    assert fan_outs(f"{start}, {chain} SELECT SUM(total) FROM t299", shop) == ()
    nested = "SELECT id, total FROM orders"
    for n in range(40):
        nested = f"SELECT x{n}.id, x{n}.total FROM ({nested}) x{n} JOIN customers c{n} ON c{n}.id = x{n}.id"
    assert fan_outs(f"SELECT SUM(z.total) FROM ({nested}) z JOIN regions r ON r.id = z.id", shop) == ()
    union = " UNION ALL ".join(["SELECT id, total FROM orders"] * 500)
    assert len(fan_outs(f"SELECT SUM(c.credit) FROM customers c JOIN ({union}) u ON u.id = c.id", shop)) == 1


# -- Columns beside groups that are neither grouped nor aggregated, and have several values there.


BARE = case_rows(__file__, "bare", "sql", "column")
DETERMINED = case_table(__file__, "determined")


async def notes(sql: str, dialect: str) -> list[str]:
    outcome = await checked(sql, dialect)
    assert isinstance(outcome, ValidSql), outcome
    return [note for note in outcome.warnings if "neither grouped nor aggregated" in note]


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize(("sql", "column"), BARE)
async def test_it_is_said_that_one_of_several_values_is_shown(sql: str, column: str, dialect: str) -> None:
    (note,) = await notes(sql, dialect)
    assert note.startswith(f"{column} is neither")


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize("sql", DETERMINED)
async def test_nothing_is_said_of_what_has_one_value(sql: str, dialect: str) -> None:
    assert await notes(sql, dialect) == []


async def test_beside_a_single_extreme_sqlite_shows_its_row_and_mysql_any() -> None:
    sql = "SELECT first_name, MAX(id) FROM owners"
    assert await notes(sql, "sqlite") == []
    assert len(await notes(sql, "mysql")) == 1


# -- What is found in queries of every shape, and that the text says what a person and a model have to know.


_QUERIES = Path(__file__).with_name("queries.txt")
_SHORT = re.compile(r"# (@\w+): (.+)")


def _cases() -> Iterator[tuple[str, str]]:
    text = _QUERIES.read_text(encoding="utf-8")
    short = dict(_SHORT.findall(text))
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            expected, _, sql = line.partition("| ")
            yield " ".join(expected.split()), re.sub(r"@\w+", lambda found: short[found[0]], sql.strip())


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(DDL)
        yield connection


@pytest.mark.parametrize(("expected", "sql"), list(_cases()))
def test_what_is_found(expected: str, sql: str, shop: SemanticModel, database: duckdb.DuckDBPyConnection) -> None:
    database.execute(f"EXPLAIN {sql}")
    found = " ".join(f"{'!' if one.inflates else '~'} {one.aggregate}" for one in fan_outs(sql, shop))
    assert found == expected


def test_there_are_enough_queries_of_each_kind() -> None:
    marks = [re.findall("[!~]", expected)[:1] for expected, _ in _cases()]
    assert [marks.count(kind) >= 12 for kind in (["!"], ["~"], [])] == [True, True, True]
    assert len(marks) >= 120
