"""A manifest that reaches for files, settings or the system's tables is a manifest with problems."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.outcome import RejectedSql
from askwell.sql.planner import Planner, unsafe_parts
from tests.mdl.shop import calculated, plain, shop_mdl
from tests.sql.planner.conftest import CONTEXT, Desk, elsewhere
from tests.support.tables import case_table

Mdl = dict[str, Any]


def said(mdl: Mdl, dialect: str = "duckdb") -> list[str]:
    """Every problem of a manifest, from reading it or from looking at its SQL."""
    reading = read_manifest({**mdl, "dataSource": dialect.upper()})
    if reading.manifest is None:
        return [str(problem) for problem in reading.problems]
    return [str(problem) for problem in unsafe_parts(reading.manifest, dialect)]


def ref_sql(statement: str) -> Mdl:
    mdl = shop_mdl()
    mdl["models"][2]["refSql"] = statement
    return mdl


REACHING = case_table(__file__, "reaching")


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize("statement", REACHING)
def test_a_ref_sql_reads_the_owners_data_only(statement: str, dialect: str) -> None:
    (problem,) = said(ref_sql(statement), dialect)
    assert problem.startswith('models[2] "Items" . refSql: it ')
    assert problem.endswith(". Use only tables and columns of your own data, and plain SQL functions.")


@pytest.mark.parametrize("expression", ["getenv('HOME')", "load_extension('x')", "read_text('/x')", "version()"])
@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda m, e: m["models"][0]["columns"].append(calculated("x", e)), 'models[0] "Customers" . columns[14] "x"'),
        (
            lambda m, e: m["models"][0]["columns"].append(plain("x", expression=e)),
            'models[0] "Customers" . columns[14] "x"',
        ),
        (
            lambda m, e: m["models"][1].update(rowLevelAccessControls=[{"name": "r", "condition": f"status = {e}"}]),
            'models[1] "Orders" . rowLevelAccessControls[0] "r"',
        ),
        (
            lambda m, e: m["metrics"][0]["measure"][0].update(expression=f"max({e})"),
            'metrics[0] "revenue_by_country" . measure[0] "revenue"',
        ),
        (
            lambda m, e: m["cubes"][0]["dimensions"][0].update(expression=e),
            'cubes[0] "order_facts" . dimensions[0] "state"',
        ),
        (
            lambda m, e: m["views"][0].update(statement=f"SELECT {e} AS x FROM Orders"),
            'views[0] "known_sales" . statement',
        ),
    ],
    ids=["calculated", "plain", "row rule", "measure", "dimension", "view"],
)
def test_expressions_call_harmless_functions_only(
    change: Callable[[Mdl, str], object], where: str, expression: str
) -> None:
    mdl = shop_mdl()
    mdl["views"].pop()
    change(mdl, expression)
    assert any(problem.startswith(f"{where}: ") and "is not allowed" in problem for problem in said(mdl))


def test_a_default_of_a_session_property_is_a_plain_value() -> None:
    mdl = shop_mdl()
    needed = {"name": "state", "required": False, "defaultExpr": "getenv('HOME')"}
    rule = {"name": "r", "condition": "status = @state", "requiredProperties": [needed]}
    mdl["models"][1]["rowLevelAccessControls"] = [rule]
    (problem,) = said(mdl)
    assert '"defaultExpr" of state is not a plain value' in problem
    needed["defaultExpr"] = "'a'"
    assert said(mdl) == []


@pytest.mark.parametrize(
    "statement",
    ["SELECT * FROM read_csv('/x')", "SELECT name FROM sqlite_master", "SELECT * FROM 'x.csv'"],
)
def test_a_view_reads_the_model_only(statement: str) -> None:
    mdl = shop_mdl()
    mdl["views"] = [{"name": "v", "statement": statement}]
    (problem,) = said(mdl)
    assert problem.startswith('views[0] "v"')


def test_a_view_that_means_a_system_table_by_a_models_name() -> None:
    mdl = shop_mdl()
    mdl["models"][3]["name"] = "tables"
    mdl["relationships"].pop(3)
    mdl["models"] = [mdl["models"][3]]
    mdl["models"][0]["columns"].pop()
    mdl |= {"relationships": [], "metrics": [], "cubes": []}
    mdl["views"] = [{"name": "v", "statement": "SELECT tag FROM information_schema.tables"}]
    (problem,) = said(mdl)
    assert "information_schema is not part of this project" in problem


def test_relationships_compare_columns_and_nothing_else() -> None:
    mdl = shop_mdl()
    mdl["relationships"][0]["condition"] = "Orders.customer_id = getenv('HOME')"
    (problem,) = said(mdl)
    assert "not an equality of two columns" in problem


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_what_reads_only_data_is_no_problem(dialect: str) -> None:
    mdl = ref_sql(
        "WITH items AS (SELECT * FROM main.items WHERE qty > 0) "
        "SELECT order_id AS oid, line, qty, strange_function(qty) AS odd FROM items"
    )
    mdl["models"][0]["columns"] += [
        calculated("x1", "upper(country) LIKE 'a%'"),
        calculated("x2", "case when country = 'a' then 1 else 2 end"),
        calculated("x3", "count(orders.id) filter (where orders.placed_at > 1)"),
        plain("x4", expression="cast(country as varchar)"),
        calculated("x5", "current_date"),
        calculated("x6", "rank() over (order by country)"),
    ]
    mdl["models"][1]["rowLevelAccessControls"] = [
        {"name": "r", "condition": "status = @s", "requiredProperties": [{"name": "s"}]}
    ]
    mdl["views"].append({"name": "v", "statement": "SELECT count(*) AS n FROM askwell.main.orders"})
    assert said(mdl, dialect) == []


PLACES = case_table(__file__, "places")


@pytest.mark.parametrize("reference", PLACES, ids=lambda place: ".".join(place.values()))
def test_a_table_reference_to_the_systems_own(reference: Mdl) -> None:
    mdl = shop_mdl()
    mdl["models"][4]["tableReference"] = reference
    (problem,) = said(mdl)
    assert problem.startswith('models[4] "Staff" . tableReference: ')
    assert "belongs to the database system" in problem


def test_a_table_of_ones_own_may_begin_with_pg() -> None:
    mdl = shop_mdl()
    mdl["models"][4]["tableReference"] = {"table": "pg_staff"}
    assert said(mdl) == []


def test_a_table_that_is_called_like_a_file() -> None:
    """DuckDB would open the file; SQLite has a table by that name or none."""
    mdl = shop_mdl()
    mdl["models"][4]["tableReference"] = {"table": "staff.csv"}
    (problem,) = said(mdl, "duckdb")
    assert '"staff.csv" is the name of a file' in problem
    assert said(mdl, "sqlite") == []


@pytest.mark.parametrize("statement", [s for s in REACHING if "information_schema" in s.lower() or "pg_" in s])
def test_a_plan_never_names_the_systems_tables(duck: Desk, statement: str) -> None:
    """Also where nobody looked at the manifest's SQL before."""
    duck.mdl = ref_sql(statement.replace("SELECT *", "SELECT 1 AS oid, 1 AS line, 1 AS qty"))
    planned = duck.plan("SELECT qty FROM Items")
    assert isinstance(planned, RejectedSql)
    assert "belongs to the database system" in planned.error


def test_a_plan_never_names_files(duck: Desk) -> None:
    duck.mdl = ref_sql("SELECT * FROM 'file.csv'")
    planned = duck.plan("SELECT qty FROM Items")
    assert isinstance(planned, RejectedSql)
    assert "the name of a file" in planned.error


def test_a_schema_map_does_not_lead_to_the_systems_tables(duck: Desk) -> None:
    mdl = copy.deepcopy(duck.mdl)
    mdl["models"][4]["tableReference"] = {"schema": "main", "table": "tables"}
    manifest = elsewhere(mdl, {"main": "Information_Schema"})
    model = authorised_view(manifest, "h")
    bound = bind(duck.bound("SELECT name FROM Staff").tree, model, "duckdb")
    assert not isinstance(bound, RejectedSql)
    planned = Planner(model, manifest, "duckdb").plan(bound, CONTEXT)
    assert isinstance(planned, RejectedSql)
    assert "belongs to the database system" in planned.error
