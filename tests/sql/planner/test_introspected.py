"""What a database declares becomes a model that needs no correction, and whose plans run."""

from __future__ import annotations

import pytest

from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.validation import read_manifest, warnings_against
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.sql.planner.conftest import Desk
from tests.sql.planner.databases import Database, a_database
from tests.support.tables import case_table

# fmt: off
TYPES = case_table(__file__, "types")
# fmt: on
MADE = case_table(__file__, "made")


def _introspected(database: Database, *tables: PhysicalTable) -> Desk:
    """A desk with the model of these tables; nothing about it is to be said."""
    physical = PhysicalSchema(tables)
    wire = manifest_from_schema(physical, data_source=database.dialect.upper()).wire()
    reading = read_manifest(wire)
    assert reading.manifest is not None
    assert (reading.problems, reading.warnings) == ((), ())
    assert warnings_against(reading.manifest, physical) == ()
    return Desk(database.dialect, wire, database)


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_columns_of_every_type(dialect: str) -> None:
    with a_database(dialect) as database:
        database.script(MADE[dialect])
        columns = tuple(PhysicalColumn(f"c{number}", kind) for number, kind in enumerate(TYPES[dialect]))
        database.execute(f"create table everything ({', '.join(f'{c.name} {c.type}' for c in columns)})")
        desk = _introspected(database, PhysicalTable("everything", database.schema, columns))
        assert desk.rows("SELECT * FROM everything") == []
        for column in columns:
            assert desk.rows(
                f"SELECT count({column.name}), max(CASE WHEN {column.name} IS NULL THEN 1 END) FROM everything"
            ) == [(0, None)]


def test_an_enum_of_the_database_is_one_of_the_model() -> None:
    with a_database("mysql") as database:
        database.execute("create table t (state enum('open','it''s paid','a,b'))")
        database.execute("insert into t values ('it''s paid')")
        column = PhysicalColumn("state", "enum('open','it''s paid','a,b')")
        desk = _introspected(database, PhysicalTable("t", database.schema, (column,)))
        reading = read_manifest(desk.mdl)
        assert reading.manifest is not None
        state = authorised_view(reading.manifest, "h").tables["t"].columns[0]
        assert (state.type, state.values) == ("VARCHAR", ("open", "it's paid", "a,b"))
        assert desk.rows("SELECT state FROM t WHERE state = 'it''s paid'") == [("it's paid",)]


@pytest.mark.parametrize("dialect", ["postgres", "mysql"])
def test_names_that_only_this_database_has(dialect: str) -> None:
    with a_database(dialect) as database:
        names = ["Order Lines", "user", "performance_schema", "dual", "mysql", "sys", "pg_class2", "TABLES"]
        tables = []
        for number, name in enumerate(names):
            quoted = f'"{name}"' if dialect == "postgres" else f"`{name}`"
            database.execute(f"create table {quoted} (id int, up int, {quoted} int)")
            database.execute(f"insert into {quoted} values ({number}, {number}, 1)")
            columns = (PhysicalColumn("id", "int"), PhysicalColumn("up", "int"), PhysicalColumn(name, "int"))
            key = ForeignKey(("up",), names[0], ("id",))
            tables.append(PhysicalTable(name, database.schema, columns, ("id",), (key,)))
        desk = _introspected(database, *tables)
        assert len(desk.mdl["models"]) == len(names)
        for number, model in enumerate(desk.mdl["models"]):
            name, column = model["name"], model["columns"][2]["name"]
            assert desk.rows(f'SELECT id, "{column}" FROM "{name}" AS x') == [(number, 1)]


def test_letters_that_postgresql_tells_apart() -> None:
    """A plan quotes names, and a quoted name in other letters is another name there."""
    physical = PhysicalSchema((PhysicalTable("Orders", "public", (PhysicalColumn("Id", "int"),)),))
    columns = [
        {"name": "Id", "type": "int"},
        {"name": "a", "type": "int", "expression": '"Id" + 1'},
        {"name": "b", "type": "int", "expression": "Id + 1"},
    ]
    mdl = {"catalog": "c", "schema": "s", "dataSource": "POSTGRES"}
    good = {"name": "m", "tableReference": {"table": "Orders"}, "columns": columns}
    bad = {"name": "n", "tableReference": {"table": "orders"}, "columns": columns}
    reading = read_manifest({**mdl, "models": [good, bad]})
    assert reading.manifest is not None
    said = [str(warning) for warning in warnings_against(reading.manifest, physical)]
    assert said == [
        'models[0] "m" . columns[2] "b": the table Orders has no column "id". Nearest: Id.',
        'models[1] "n" . tableReference: the database has no table "orders". Nearest: Orders.',
    ]
