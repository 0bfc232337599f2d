"""What a finding says, where it is looked for, and what it may cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askwell.mdl.semantic_model import SemanticModel
from tests.sql.fanout.shop import fan_outs, model
from tests.support.tables import case_rows

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
