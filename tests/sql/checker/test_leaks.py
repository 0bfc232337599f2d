"""Statements that read one thing to us and another to the database: none of them may show what is not the model's."""

from __future__ import annotations

import pytest

from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.outcome import RejectedSql, RejectionKind
from tests.sql.checker.shop import CONTEXT
from tests.support.tables import case_rows, case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def run(checker: SqlChecker, text: str) -> Executed | RejectedSql:
    return await checker.execute(text, context=CONTEXT, row_limit=100, timeout=20.0)


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "an_alias_list_does_not_name_hidden_columns"),
)
async def test_an_alias_list_does_not_name_hidden_columns(checker: SqlChecker, sql: str) -> None:
    outcome = await run(checker, sql)
    if isinstance(outcome, Executed):
        assert "HIDDEN" not in str(outcome.rows.rows)
        assert "margin" not in outcome.valid.planned_sql.partition("FROM")[0]
        assert outcome.rows.rows != ((3,),)


@pytest.mark.parametrize(
    "sql",
    case_table(__file__, "no_name_after_in_is_a_table"),
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
    case_table(__file__, "a_cte_does_not_stand_for_the_table_it_is_called_after"),
)
async def test_a_cte_does_not_stand_for_the_table_it_is_called_after(
    checker: SqlChecker, union: str, body: str
) -> None:
    outcome = await run(checker, f"WITH RECURSIVE payroll AS ({body.format(union=union)}) SELECT * FROM payroll")
    assert isinstance(outcome, RejectedSql), outcome


@pytest.mark.parametrize(
    ("sql", "rows"),
    case_rows(__file__, "ctes_mean_what_they_meant", "sql", "rows"),
)
async def test_ctes_mean_what_they_meant(checker: SqlChecker, sql: str, rows: list[tuple[object, ...]]) -> None:
    outcome = await run(checker, sql)
    assert isinstance(outcome, Executed), outcome
    assert list(outcome.rows.rows) == rows
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
