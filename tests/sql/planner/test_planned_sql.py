"""What planned SQL looks like. `pytest --update-golden` rewrites the files; read the diff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from askwell.mdl.view import authorised_view
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import plain, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk, elsewhere
from tests.sql.planner.databases import DIALECTS, Database
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
