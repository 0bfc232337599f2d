"""Units in drafted models and in the headings of results."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
import sqlglot

from askwell.mdl.ddl import model_ddl
from askwell.providers.engine.base import ResultColumn
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.headings import with_headings
from askwell_evaluation.databases import introspected_model
from tests.support.tables import case_rows

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
