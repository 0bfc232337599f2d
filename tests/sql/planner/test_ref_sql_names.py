"""Names in the SQL of a model are read as its database reads them."""

from __future__ import annotations

import pytest

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.checker import SqlChecker
from askwell.sql.outcome import ValidSql
from askwell.sql.planner import Planner
from tests.sql.repair.clinic import PaperEngine, checked


def way(ref_sql: str) -> SqlChecker:
    columns = [{"name": "id", "type": "INTEGER"}]
    written = {"catalog": "c", "schema": "s", "models": [{"name": "sales", "refSql": ref_sql, "columns": columns}]}
    manifest = read_manifest({**written, "dataSource": "POSTGRES"}, data_source="POSTGRES").manifest
    assert manifest is not None
    model = authorised_view(manifest, "sales")
    return SqlChecker(model, Planner(model, manifest, "postgres"), PaperEngine("postgres"))


@pytest.mark.parametrize(
    ("ref_sql", "read"),
    [
        ("SELECT id FROM ORDERS", '"orders"'),
        ('SELECT id FROM "ORDERS"', '"ORDERS"'),
        ("SELECT id FROM Public.Orders", '"public"."orders"'),
    ],
)
async def test_a_name_without_quotes_is_folded(ref_sql: str, read: str) -> None:
    outcome = await checked("SELECT id FROM sales", "postgres", way(ref_sql))

    assert isinstance(outcome, ValidSql), outcome
    assert read in outcome.planned_sql
