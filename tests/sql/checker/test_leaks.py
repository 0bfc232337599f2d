"""Statements that read one thing to us and another to the database: none of them may show what is not the model's."""

from __future__ import annotations

import pytest

from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.outcome import RejectedSql, RejectionKind
from tests.sql.checker.shop import CONTEXT

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def run(checker: SqlChecker, text: str) -> Executed | RejectedSql:
    return await checker.execute(text, context=CONTEXT, row_limit=100, timeout=20.0)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT margin FROM shipments t(a, b, c, d, e, margin)",
        "SELECT margin FROM shipments t(a, margin)",
        "SELECT t.margin FROM shipments AS t(a, b, c, d, e, margin)",
        "SELECT x.f, x.margin FROM shipments AS x(margin, b, c, d, e, f)",
        "SELECT t FROM shipments t(a, b, c, d, e, margin)",
        "SELECT s.id FROM shipments s JOIN shipments t(a, b, c, d, e, margin) ON t.margin = 'HIDDEN' AND s.id = t.a",
        "SELECT count(*) FROM shipments t(a, b, c, d, e, margin) WHERE margin = 'HIDDEN'",
    ],
)
async def test_an_alias_list_does_not_name_hidden_columns(checker: SqlChecker, sql: str) -> None:
    outcome = await run(checker, sql)
    if isinstance(outcome, Executed):
        assert "HIDDEN" not in str(outcome.rows.rows)
        assert "margin" not in outcome.valid.planned_sql.partition("FROM")[0]
        assert outcome.rows.rows != ((3,),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name AS payroll FROM people WHERE (1, 'HIDDEN') IN payroll",
        "SELECT name AS payroll FROM people WHERE (1, 'HIDDEN') NOT IN payroll",
        "SELECT name FROM people WHERE 'Ulm' IN town",
        "SELECT town FROM people main WHERE 'Ulm' IN main.town",
        "SELECT (SELECT 1 WHERE (1, 'HIDDEN') IN payroll) FROM (SELECT 1 AS payroll) x",
        "SELECT 1 IN json_each('[1, 2]')",
        "SELECT name AS sqlite_master FROM people WHERE (1, 2, 3, 4, 5) IN sqlite_master",
    ],
)
async def test_no_name_after_in_is_a_table(checker: SqlChecker, kind: str, sql: str) -> None:
    outcome = await run(checker, sql)
    if kind == "sqlite":
        assert isinstance(outcome, RejectedSql), outcome
        assert outcome.kind in (RejectionKind.GUARD, RejectionKind.BIND)
    elif isinstance(outcome, Executed):
        assert "payroll" not in outcome.valid.planned_sql  # there it is a column, if anything


async def test_lists_and_subqueries_after_in_stay_allowed(checker: SqlChecker) -> None:
    sql = (
        "SELECT name FROM people WHERE town IN ('Bonn') OR name IN (town)"
        " OR id NOT IN (SELECT sender_id FROM shipments) ORDER BY id"
    )
    outcome = await run(checker, sql)
    assert isinstance(outcome, Executed), outcome
    assert outcome.rows.rows == (("Bo",), ("Cy",))


async def test_a_list_column_after_in_is_a_list_on_duckdb(checker: SqlChecker, kind: str) -> None:
    outcome = await run(checker, "SELECT 'x' IN towns FROM (SELECT array_agg(town) AS towns FROM people) t")
    assert isinstance(outcome, RejectedSql if kind == "sqlite" else Executed)


@pytest.mark.parametrize("union", ["UNION ALL BY NAME", "UNION BY NAME"])
@pytest.mark.parametrize(
    "body",
    [
        "SELECT 1 AS person_id, NULL AS amount {union} SELECT person_id, amount FROM payroll",
        "SELECT 1 AS person_id {union} SELECT amount FROM payroll",
        "SELECT 1 AS person_id, 'a' AS amount UNION ALL"
        " (SELECT person_id, amount FROM payroll {union} SELECT person_id, amount FROM payroll)",
        "SELECT 1 AS person_id {union} SELECT (SELECT max(amount) FROM payroll) AS amount FROM people",
    ],
)
async def test_a_cte_does_not_stand_for_the_table_it_is_called_after(
    checker: SqlChecker, union: str, body: str
) -> None:
    outcome = await run(checker, f"WITH RECURSIVE payroll AS ({body.format(union=union)}) SELECT * FROM payroll")
    assert isinstance(outcome, RejectedSql), outcome


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("WITH payroll AS (SELECT 7 AS amount) SELECT amount FROM payroll", ((7,),)),
        ("WITH payroll AS (SELECT 7 AS amount) SELECT payroll.amount FROM payroll", ((7,),)),
        (
            "WITH a AS (SELECT 1 AS x), b AS (WITH a AS (SELECT 2 AS x) SELECT x FROM a) SELECT a.x, b.x FROM a, b",
            ((1, 2),),
        ),
        ("WITH a AS (SELECT 1 AS x) SELECT x FROM (WITH a AS (SELECT 2 AS x) SELECT x FROM a) t", ((2,),)),
        (
            "WITH RECURSIVE payroll(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM payroll WHERE n < 3)"
            " SELECT sum(p.n) FROM payroll p",
            ((6,),),
        ),
        (
            "WITH RECURSIVE payroll AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM payroll WHERE n < 3)"
            " SELECT count(*) FROM payroll JOIN payroll AS other ON other.n = payroll.n",
            ((3,),),
        ),
        ('WITH "odd name" AS (SELECT id FROM people) SELECT count("odd name".id) FROM "odd name"', ((3,),)),
        (
            "WITH people AS (SELECT id FROM people), shipments AS (SELECT id FROM people)"
            " SELECT count(*) FROM shipments",
            ((3,),),
        ),
    ],
)
async def test_ctes_mean_what_they_meant(checker: SqlChecker, sql: str, rows: tuple[tuple[object, ...], ...]) -> None:
    outcome = await run(checker, sql)
    assert isinstance(outcome, Executed), outcome
    assert outcome.rows.rows == rows
    assert '"payroll"' not in outcome.valid.planned_sql.replace('AS "payroll"', "").replace('"payroll".', "")


@pytest.mark.parametrize(
    "sql",
    ["SELECT x FROM people t(x, y)", "SELECT a FROM (SELECT id FROM people) t(a)", "SELECT x FROM people AS t(x)"],
)
async def test_an_alias_list_is_kept_or_refused(checker: SqlChecker, kind: str, sql: str) -> None:
    outcome = await run(checker, sql)
    if kind == "sqlite":
        assert isinstance(outcome, RejectedSql)
        assert outcome.kind is RejectionKind.BIND
    else:
        assert isinstance(outcome, Executed)
        assert sorted(outcome.rows.rows) == [(1,), (2,), (3,)]
