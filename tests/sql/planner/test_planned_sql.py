"""What planned SQL looks like. `pytest --update-golden` rewrites the files; read the diff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.validation import read_manifest, warnings_against
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import ForeignKey, PhysicalColumn, PhysicalSchema, PhysicalTable
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import calculated, handle, link, plain, read, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk, elsewhere
from tests.sql.planner.databases import DIALECTS, Database, a_database
from tests.support.tables import case_table

GOLDEN = Path(__file__).parent / "golden"
CASES = case_table(__file__, "cases")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_planned_sql(name: str, dialect: str, golden: Callable[[Path, str], None]) -> None:
    desk = Desk(dialect, shop_mdl(), Database(dialect, None))
    if name == "rules":
        rule = {"name": "r", "condition": "country = @country", "requiredProperties": [{"name": "country"}]}
        desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
        desk.context = replace(CONTEXT, session_properties={"country": "'O''Hara \\'"})
    desk.mdl["models"][1]["columns"].append(plain("placed_on", "DATE"))
    planned = desk.planned(CASES[name])
    golden(GOLDEN / dialect / f"{name}.sql", planned.tree.sql(dialect=dialect, pretty=True) + "\n")
    assert planned.sql == planned.tree.sql(dialect=dialect, comments=False)


def test_only_the_columns_that_are_used_are_read(duck: Desk) -> None:
    assert duck.planned("SELECT name FROM customers WHERE id = 1").physical == {"cust": frozenset({"full name", "id"})}


def test_the_physical_tables_of_everything_that_is_read(duck: Desk) -> None:
    planned = duck.planned("SELECT k.name FROM known_sales AS k, items AS i WHERE i.tag_count > 0")
    assert planned.physical == {
        "cust": frozenset({"id", "full name", "secret"}),
        "orders": frozenset({"customer_id", "amount"}),
        "items": None,
        "tags": frozenset({"order_id", "line", "tag"}),
    }
    assert planned.qualifiers == {"main"}


def test_generated_names_do_not_clash_with_the_statements(duck: Desk) -> None:
    sql = "WITH mdl_orders AS (SELECT 7 AS mdl_orders_2) SELECT max(mdl_orders_2), count(*) FROM mdl_orders, orders"
    planned = duck.planned(sql)
    assert '"mdl_orders_3"' in planned.sql
    assert duck.direct(planned.sql) == [(7, 4)]


def test_names_keep_their_letters_where_quoted(duck: Desk) -> None:
    duck.mdl["models"][0]["tableReference"] = {"catalog": "memory", "schema": "main", "table": "cust"}
    assert 'FROM "memory"."main"."cust"' in duck.planned("SELECT id FROM customers").sql


def test_schemas_that_are_called_something_else_here(duck: Desk) -> None:
    manifest = elsewhere(duck.mdl, {"MAIN": "lake.gold", "": "raw"})
    planner = Planner(authorised_view(manifest, "h"), manifest, "duckdb")
    planned = planner.plan(duck.bound("SELECT c.id FROM customers AS c, tags"), CONTEXT)
    assert isinstance(planned, PlannedSql)
    assert 'FROM "lake"."gold"."cust"' in planned.sql
    assert 'FROM "raw"."tags"' in planned.sql
    assert planned.qualifiers == {"lake.gold", "raw"}


@pytest.mark.parametrize(("dialect", "hint"), [("duckdb", True), ("sqlite", True), ("mysql", False)])
def test_bodies_are_not_materialized_where_one_can_say_so(dialect: str, hint: bool, duck: Desk) -> None:
    desk = Desk(dialect, duck.mdl, duck.database)
    assert ("AS NOT MATERIALIZED (" in desk.planned("SELECT id FROM Orders").sql) == hint


# -- What a database declares becomes a model that needs no correction, and whose plans run.


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


# -- Of which columns everybody reads the same values: no rule with a session property stands on the way to them.


ANYBODY = {"name": "r", "condition": "area = 'South'", "requiredProperties": []}
OWN = {"name": "r", "condition": "area = @area", "requiredProperties": [{"name": "area"}]}
DEFAULT = OWN | {"requiredProperties": [{"name": "area", "required": False, "defaultExpr": "'South'"}]}
COLUMN = {"name": "c", "operator": "=", "threshold": 1, "requiredProperties": DEFAULT["requiredProperties"]}


def _same(table: str, team_rule: dict[str, Any] | None = None, staff_rule: dict[str, Any] | None = None) -> set[str]:
    staff = {
        "name": "Staff",
        "primaryKey": "id",
        "tableReference": {"table": "staff"},
        "columns": [plain("id"), plain("name", "VARCHAR"), plain("team"), handle("squad", "Teams", "of")],
        "rowLevelAccessControls": [staff_rule] if staff_rule else [],
    }
    staff["columns"].append(calculated("area", "squad.area", "VARCHAR"))
    rule = {"columnLevelAccessControl": COLUMN} if team_rule is COLUMN else {}
    teams = {
        "name": "Teams",
        "primaryKey": "id",
        "tableReference": {"table": "teams"},
        "columns": [plain("id"), plain("area", "VARCHAR") | rule, plain("lead", "VARCHAR")],
        "rowLevelAccessControls": [team_rule] if team_rule and not rule else [],
    }
    based = [
        {"name": "OnStaff", "baseObject": "Staff", "columns": [plain("name", "VARCHAR"), plain("area", "VARCHAR")]},
        {"name": "OnView", "baseObject": "Seen", "columns": [plain("lead", "VARCHAR")]},
    ]
    manifest = read(
        {
            "catalog": "c",
            "schema": "s",
            "dataSource": "duckdb",
            "models": [staff, teams, *based],
            "relationships": [link("of", "Staff", "MANY_TO_ONE", "Teams", "Staff.team = Teams.id")],
            "views": [{"name": "Seen", "statement": "SELECT lead FROM Teams"}],
        }
    )
    planner = Planner(authorised_view(manifest, "h"), manifest, "duckdb")
    columns = {"Staff": ["name", "area"], "Teams": ["area", "lead"], "OnStaff": ["name", "area"], "OnView": ["lead"]}
    return set(planner.same_for_all(table, columns[table]))


@pytest.mark.parametrize("rule", [OWN, DEFAULT], ids=["required", "default"])
def test_a_property_in_a_rule_of_the_rows_decides_wherever_they_are_read(rule: dict[str, Any]) -> None:
    assert _same("Teams", rule) == set()
    assert _same("Staff", rule) == {"name"}
    assert _same("OnStaff", rule) == {"name"}
    assert _same("OnView", rule) == set()
    assert _same("Staff", None, rule) == set()
    assert _same("OnStaff", None, rule) == set()
    assert _same("Teams", None, rule) == {"area", "lead"}


def test_a_rule_of_everybody_that_leads_to_one_of_somebody_decides() -> None:
    assert _same("Staff", DEFAULT, ANYBODY) == set()


def test_a_column_rule_decides_for_its_column() -> None:
    assert _same("Teams", COLUMN) == {"lead"}
    assert _same("Staff", COLUMN) == {"name"}


def test_a_rule_without_a_property_is_the_same_for_all() -> None:
    for table, same in {"Teams": {"area", "lead"}, "Staff": {"name", "area"}, "OnView": {"lead"}}.items():
        assert _same(table, ANYBODY) == same
