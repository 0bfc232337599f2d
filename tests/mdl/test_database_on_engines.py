"""What is said of a model on a real database is what the database itself would say."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot

from askwell.mdl.validation import warnings_against
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import PhysicalSchema
from askwell.providers.engine.factory import create_engine
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import plain, read
from tests.sql.planner.conftest import CONTEXT
from tests.support.tables import case_table

_SCRIPT = case_table(__file__, "script")
_SCHEMAS = """
CREATE SCHEMA archive;
CREATE TABLE archive."Orders" (number INTEGER);
CREATE TABLE archive.returns (id INTEGER);
INSERT INTO archive.returns VALUES (1);
"""


class Place:
    """A database file, what its engine finds in it, and a connection of our own."""

    def __init__(self, data_source: str, path: Path) -> None:
        self.data_source = data_source
        self.dialect = data_source.lower()
        self.path = path
        self.physical = PhysicalSchema()

    def warnings(self, reference: dict[str, Any], *columns: dict[str, Any]) -> list[str]:
        """What is said of a model over that table; where nothing is, its rows have to come."""
        model = {"name": "m", "tableReference": reference, "columns": list(columns)}
        manifest = read({"catalog": "c", "schema": "s", "dataSource": self.data_source, "models": [model]})
        said = [str(warning) for warning in warnings_against(manifest, self.physical)]
        view = authorised_view(manifest, "h")
        bound = bind(sqlglot.parse_one("SELECT * FROM m", dialect=self.dialect), view, self.dialect)
        assert isinstance(bound, BoundSql)
        planned = Planner(view, manifest, self.dialect).plan(bound, CONTEXT)
        assert isinstance(planned, PlannedSql)
        assert self._runs(planned.sql) == (not said), (planned.sql, said)
        return said

    def _runs(self, sql: str) -> bool:
        try:
            if self.dialect == "sqlite":
                with sqlite3.connect(self.path) as connection:
                    return len(connection.execute(sql).fetchall()) == 1
            with duckdb.connect(str(self.path), read_only=True) as connection:
                return len(connection.execute(sql).fetchall()) == 1
        except (sqlite3.Error, duckdb.Error):
            return False


@pytest.fixture(params=["SQLITE", "DUCKDB"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    data_source = str(request.param)
    place = Place(data_source, tmp_path / f"shop.{data_source.lower()}")
    if data_source == "SQLITE":
        with sqlite3.connect(place.path) as connection:
            connection.executescript(_SCRIPT)
    else:
        with duckdb.connect(str(place.path)) as connection:
            connection.execute(_SCRIPT + _SCHEMAS)
    engine = create_engine(place.dialect, place.path)
    try:
        place.physical = await engine.introspect()
    finally:
        await engine.close()
    return place


@pytest.mark.deep
@pytest.mark.parametrize("written", ["Orders", "orders", "ORDERS"])
@pytest.mark.parametrize("schema", [None, "", "main", "MAIN"])
def test_a_table_in_any_spelling(place: Place, schema: str | None, written: str) -> None:
    columns = [plain("ID"), plain("paid", "DOUBLE", expression='"total paid"'), plain("Placed", "DATE")]
    assert place.warnings({"schema": schema, "table": written}, *columns) == []


@pytest.mark.parametrize("written", ["paid", "Paid"])
def test_a_view_is_a_table(place: Place, written: str) -> None:
    assert place.warnings({"schema": "main", "table": written}, plain("id"), plain("Total", "DOUBLE")) == []
    assert place.warnings({"table": "everything"}, plain("id"), plain("name", "VARCHAR")) == []


def test_a_view_lacks_what_it_does_not_select(place: Place) -> None:
    (said,) = place.warnings({"table": "paid"}, plain("id"), plain("placed", "DATE"))
    assert said == 'models[0] "m" . columns[1] "placed": the table paid has no column "placed". Valid: id, total.'


def test_what_every_table_has(place: Place) -> None:
    assert place.warnings({"table": "customers"}, plain("number", expression="rowid"), plain("name", "VARCHAR")) == []


def test_expressions_over_columns(place: Place) -> None:
    columns = [
        plain("a", "VARCHAR", expression="upper(NAME) || '!'"),
        plain("b", expression="case when id > 0 then 1 else 0 end"),
        plain("c", "DATE", expression="current_date"),
    ]
    if place.data_source == "DUCKDB":
        columns += [
            plain("d", "INTEGER[]", expression="list_transform([id], x -> x + 1)"),
            plain("e", "INTEGER[]", expression="[y * 2 for y in [id, 3] if y > 0]"),
            plain("f", "STRUCT(k INTEGER)", expression="{'k': id}"),
        ]
    assert place.warnings({"table": "Customers"}, *columns) == []


def test_a_table_that_is_not_there(place: Place) -> None:
    (said,) = place.warnings({"schema": "main", "table": "custmers"}, plain("id"))
    assert said.startswith(
        'models[0] "m" . tableReference: the database has no table "main.custmers". Nearest: customer'
    )


def test_a_table_of_another_schema(place: Place) -> None:
    (said,) = place.warnings({"schema": "archive", "table": "customers"}, plain("id"))
    assert said == (
        'models[0] "m" . tableReference: the table "customers" is not in the schema archive, but in main. '
        'Set "schema" to main.'
    )


async def test_a_table_that_is_in_two_schemas(place: Place) -> None:
    """Without a schema it is the one that the database would find, whose columns count."""
    if place.data_source == "SQLITE":
        pytest.skip("SQLite has one schema")
    assert place.warnings({"table": "orders"}, plain("id")) == []
    assert place.warnings({"schema": "Archive", "table": "RETURNS"}, plain("id")) == []
    (said,) = place.warnings({"schema": "archive", "table": "orders"}, plain("id"))
    assert 'the table Orders has no column "id"' in said
    (said,) = place.warnings({"table": "returns"}, plain("id"))
    assert "is not in the schema main, but in archive" in said
