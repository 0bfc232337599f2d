"""Statements that read one thing to us and another to the database: none of them may show what is not the model's."""

from __future__ import annotations

import pytest

from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.outcome import RejectedSql
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
