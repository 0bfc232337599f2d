"""Views built on views, each twice as large as the one below."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import sqlglot

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import BoundSql, bind
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql, RejectionKind
from askwell.sql.planner import PlannedSql, Planner

_CONTEXT = QueryContext(now=datetime(2024, 6, 1, tzinfo=UTC))


def plan(levels: int) -> PlannedSql | RejectedSql:
    views = {f"{side}0": "SELECT id FROM parcels" for side in "ab"}
    for n in range(levels):
        views |= {f"{side}{n + 1}": f"SELECT a.id FROM a{n} a JOIN b{n} b ON a.id = b.id" for side in "ab"}
    manifest = {
        "catalog": "askwell",
        "schema": "public",
        "dataSource": "DUCKDB",
        "models": [
            {
                "name": "parcels",
                "tableReference": {"table": "parcels"},
                "primaryKey": "id",
                "columns": [{"name": "id", "type": "INTEGER"}],
            }
        ],
        "views": [{"name": name, "statement": text} for name, text in views.items()],
    }
    reading = read_manifest(manifest, data_source="DUCKDB")
    assert reading.manifest is not None, reading.problems
    model = authorised_view(reading.manifest, "views")
    bound = bind(sqlglot.parse_one(f"SELECT * FROM a{levels}", dialect="duckdb"), model, "duckdb")
    assert isinstance(bound, BoundSql)
    return Planner(model, reading.manifest, "duckdb").plan(bound, _CONTEXT)


@pytest.mark.parametrize("levels", [1, 5])
def test_some_levels_are_planned(levels: int) -> None:
    assert isinstance(plan(levels), PlannedSql)


def test_too_many_are_refused_before_they_fill_the_memory() -> None:
    outcome = plan(14)
    assert isinstance(outcome, RejectedSql)
    assert outcome.kind is RejectionKind.DRY_PLAN
    assert "too large" in outcome.error
