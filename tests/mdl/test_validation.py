"""Every kind of mistake is found, all of them at once, and each is said with its place and what to do."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from askwell.mdl.problems import MAX_PROBLEMS
from askwell.mdl.validation import Problem, read_manifest
from tests.mdl.shop import calculated, handle, link, plain, shop_mdl

Mdl = dict[str, Any]
Change = Callable[[Mdl], object]


def _problems(change: Change) -> list[Problem]:
    mdl = shop_mdl()
    change(mdl)
    reading = read_manifest(json.dumps(mdl))
    assert (reading.manifest is None) == bool(reading.problems)
    return list(reading.problems)


def _add_column(mdl: Mdl, column: Mdl, model: int = 0) -> None:
    mdl["models"][model]["columns"].append(column)


def _set(*path: Any) -> Change:
    """A change that sets the value at a path: the last item is the value."""

    def change(mdl: Mdl) -> None:
        here: Any = mdl
        for step in path[:-2]:
            here = here[step]
        here[path[-2]] = path[-1]

    return change


def _drop(*path: Any) -> Change:
    def change(mdl: Mdl) -> None:
        here: Any = mdl
        for step in path[:-1]:
            here = here[step]
        del here[path[-1]]

    return change


MISTAKES: list[tuple[str, Change, str, str, str]] = [
    # what, the change, where it is found, words of what is wrong, words of what to do
    ("no catalog", _drop("catalog"), "manifest", '"catalog" is missing', "Add"),
    ("a blank schema", _set("schema", " "), "manifest", '"schema" is empty', "name"),
    (
        "a wrong type",
        _set("models", 0, "cached", "maybe"),
        'models[0] "Customers"',
        '"cached" has to be true or false, not text',
        "value",
    ),
    ("no column name", _drop("models", 1, "columns", 3, "name"), 'models[1] "Orders" . columns[3]', "name", "Add"),
    (
        "models that are no list",
        _set("models", {"a": 1}),
        "manifest",
        '"models" has to be a list, not an object',
        "value",
    ),
    ("a model that is no object", _set("models", 2, 7), "models[2]", "not a JSON object", "object"),
    ("an unknown data source", _set("dataSource", "DUKDB"), "manifest", "DUKDB", "DUCKDB"),
    (
        "the same model twice",
        lambda m: m["models"].append({**m["models"][3], "name": "TAGS"}),
        'models[6] "TAGS"',
        'already, at models[3] "Tags"',
        "Rename",
    ),
    (
        "a view called like a model",
        lambda m: m["views"].append({"name": "orders", "statement": "SELECT 1 AS one"}),
        'views[2] "orders"',
        'already, at models[1] "Orders"',
        "Rename",
    ),
    (
        "the same column twice",
        lambda m: _add_column(m, plain("ID")),
        'models[0] "Customers" . columns[14] "ID"',
        'already, at models[0] "Customers" . columns[0] "id"',
        "Rename",
    ),
    ("an empty name", _set("models", 3, "name", " "), "models[3]", "the name is empty", "Give"),
    ("a quote in a name", _set("models", 3, "name", 'Ta"gs'), 'models[3] "Ta"gs"', "no query can carry", "another"),
    (
        "a system name",
        _set("models", 4, "name", "sqlite_master"),
        'models[4] "sqlite_master"',
        "own catalogue",
        "tableRef",
    ),
    (
        "no rows",
        _drop("models", 3, "tableReference"),
        'models[3] "Tags"',
        "does not say where its rows are",
        "exactly one",
    ),
    (
        "rows from two places",
        _set("models", 3, "refSql", "SELECT 1 AS tag"),
        'models[3] "Tags"',
        "tableReference and refSql",
        "exactly one",
    ),
    (
        "SQL that is no SELECT",
        _set("models", 2, "refSql", "DELETE FROM items"),
        'models[2] "Items" . refSql',
        "it is not a SELECT",
        "one SELECT",
    ),
    (
        "two statements",
        _set("models", 2, "refSql", "SELECT 1; DROP TABLE items"),
        'models[2] "Items" . refSql',
        "more than one statement",
        "one SELECT",
    ),
    (
        "a base that is not there",
        _set("models", 5, "baseObject", "Ordres"),
        'models[5] "Shipments" . baseObject',
        '"Ordres" is not',
        "Nearest: Orders",
    ),
    (
        "a base that is built on itself",
        _set("models", 5, "baseObject", "Shipments"),
        'models[5] "Shipments" . baseObject',
        "Shipments → Shipments",
        "circle",
    ),
    (
        "a key that is no column",
        _set("models", 1, "primaryKey", "idd"),
        'models[1] "Orders" . primaryKey',
        '"idd" is not a column of Orders',
        "id",
    ),
    ("no columns", _set("models", 3, "columns", []), 'models[3] "Tags"', "no columns", "at least one"),
    (
        "an empty type",
        _set("models", 3, "columns", 2, "type", ""),
        'models[3] "Tags" . columns[2] "tag"',
        '"type" is empty',
        "SQL type",
    ),
    (
        "a handle without a relationship",
        _set("models", 0, "columns", 4, "relationship", "orders_custmer"),
        'models[0] "Customers" . columns[4] "orders"',
        "is not a relationship",
        "Nearest: orders_customer",
    ),
    (
        "a handle of the wrong type",
        _set("models", 0, "columns", 4, "type", "Items"),
        'models[0] "Customers" . columns[4] "orders"',
        "leads to Orders",
        'Set "type" to "Orders"',
    ),
    (
        "a handle of somebody else's relationship",
        lambda m: _add_column(m, handle("boss", "Staff", "staff_boss")),
        'models[0] "Customers" . columns[14] "boss"',
        "is between Staff and Staff, not Customers",
        "this model",
    ),
    (
        "a calculated field without expression",
        lambda m: _add_column(m, {"name": "x", "type": "INT", "isCalculated": True}),
        'models[0] "Customers" . columns[14] "x"',
        "has no expression",
        "expression",
    ),
    (
        "an expression that cannot be read",
        lambda m: _add_column(m, calculated("x", "sum(orders.amount")),
        'models[0] "Customers" . columns[14] "x"',
        "its expression cannot be used",
        "one SQL expression",
    ),
    (
        "a subquery in an expression",
        lambda m: _add_column(m, calculated("x", "(SELECT 1)")),
        'models[0] "Customers" . columns[14] "x"',
        "a subquery",
        "one SQL expression",
    ),
    (
        "an unknown handle in an expression",
        lambda m: _add_column(m, calculated("x", "sum(oders.amount)")),
        'models[0] "Customers" . columns[14] "x"',
        '"oders" is not a relationship column of Customers',
        "Nearest: orders",
    ),
    (
        "an unknown column in an expression",
        lambda m: _add_column(m, calculated("x", "sum(orders.amout)")),
        'models[0] "Customers" . columns[14] "x"',
        '"amout" is not a column of Orders',
        "Nearest: amount",
    ),
    (
        "several values without an aggregate",
        lambda m: _add_column(m, calculated("x", "orders.amount + 1")),
        'models[0] "Customers" . columns[14] "x"',
        "several values for one row of Customers",
        "aggregate",
    ),
    (
        "an aggregate of the model's own rows",
        lambda m: _add_column(m, calculated("x", "sum(id)")),
        'models[0] "Customers" . columns[14] "x"',
        "aggregates rows of Customers itself",
        "metric",
    ),
    (
        "an aggregate over two relationships",
        lambda m: _add_column(m, calculated("x", "sum(customer.id * items.qty)"), model=1),
        'models[1] "Orders" . columns[14] "x"',
        "mixes values of different relationships",
        "Split",
    ),
    (
        "an aggregate without a primary key",
        _drop("models", 0, "primaryKey"),
        'models[0] "Customers" . columns[5] "order_count"',
        "no primary key",
        "primaryKey",
    ),
    (
        "a circle of calculated fields over two models",
        lambda m: (
            _add_column(m, calculated("x", "sum(orders.y)")),
            _add_column(m, calculated("y", "customer.x"), model=1),
        ),
        'models[0] "Customers" . columns[14] "x"',
        "Customers.x → Orders.y → Customers.x",
        "out of it",
    ),
    (
        "an expression over a handle that is not marked",
        lambda m: _add_column(m, {"name": "x", "type": "INT", "expression": "customer.country"}, model=1),
        'models[1] "Orders" . columns[14] "x"',
        "follows the relationship column",
        "isCalculated",
    ),
    (
        "a relationship of three models",
        _set("relationships", 0, "models", ["Orders", "Customers", "Items"]),
        'relationships[0] "orders_customer"',
        "has 3 names",
        "two models",
    ),
    (
        "a relationship to nothing",
        _set("relationships", 0, "models", ["Orders", "Custmers"]),
        'relationships[0] "orders_customer"',
        '"Custmers" is not a model',
        "Nearest: Customers",
    ),
    (
        "a join type that is none",
        _set("relationships", 0, "joinType", "MANY_ONE"),
        'relationships[0] "orders_customer"',
        "is not a joinType",
        "MANY_TO_ONE",
    ),
    (
        "a condition that is no equality",
        _set("relationships", 0, "condition", "Orders.customer_id > Customers.id"),
        'relationships[0] "orders_customer"',
        "not an equality",
        "a.x = b.y",
    ),
    (
        "a condition over other models",
        _set("relationships", 0, "condition", "Orders.id = Items.order_id"),
        'relationships[0] "orders_customer" . condition',
        "compares Orders and Items",
        "the other",
    ),
    (
        "a condition over no column",
        _set("relationships", 0, "condition", "Orders.custmer_id = Customers.id"),
        'relationships[0] "orders_customer" . condition',
        '"custmer_id" is not a column of Orders',
        "customer_id",
    ),
    (
        "a metric on nothing",
        _set("metrics", 0, "baseObject", "Order"),
        'metrics[0] "revenue_by_country" . baseObject',
        '"Order" is not',
        "Nearest: Orders",
    ),
    (
        "a time grain",
        _set("metrics", 0, "timeGrain", [{"name": "m", "refColumn": "ordered", "dateParts": ["MONTH"]}]),
        'metrics[0] "revenue_by_country" . timeGrain',
        "not supported",
        "dimension",
    ),
    (
        "a metric of an unknown column",
        _set("metrics", 0, "measure", 0, "expression", "sum(amout)"),
        'metrics[0] "revenue_by_country"',
        'reads "amout"',
        "amount",
    ),
    (
        "a measure without expression",
        _drop("metrics", 0, "measure", 0, "expression"),
        'metrics[0] "revenue_by_country" . measure[0] "revenue"',
        "needs an expression",
        "sum",
    ),
    (
        "a cube of nothing",
        lambda m: m["cubes"][0].update(dimensions=[], measures=[]),
        'cubes[0] "order_facts"',
        "neither dimensions nor measures",
        "at least one",
    ),
    (
        "a view of an unknown table",
        _set("views", 1, "statement", "SELECT Name FROM known_sale"),
        'views[1] "sales_by_name"',
        'reads "known_sale"',
        "known_sales",
    ),
    (
        "a view of an unknown column",
        _set("views", 1, "statement", "SELECT Nme FROM known_sales"),
        'views[1] "sales_by_name"',
        'reads "Nme"',
        "Name",
    ),
    (
        "a view that writes",
        _set("views", 1, "statement", "DROP TABLE cust"),
        'views[1] "sales_by_name"',
        "not a SELECT",
        "one SELECT",
    ),
    (
        "views in a circle",
        _set("views", 0, "statement", "SELECT * FROM sales_by_name"),
        'views[1] "sales_by_name"',
        "built on itself (known_sales → sales_by_name → known_sales)",
        "circle",
    ),
    (
        "a hidden column under a star",
        _set("views", 0, "statement", "SELECT * FROM Customers WHERE secret = 'x'"),
        'views[0] "known_sales"',
        'hidden column "secret"',
        "List",
    ),
    (
        "an enum without values",
        _set("enumDefinitions", 0, "values", []),
        'enumDefinitions[0] "country_code"',
        "no values",
        "List",
    ),
    (
        "a rule that uses what it does not declare",
        lambda m: m["models"][1].update(
            rowLevelAccessControls=[{"name": "own", "condition": "status = @state", "requiredProperties": []}]
        ),
        'models[1] "Orders" . rowLevelAccessControls[0] "own"',
        "@state",
        "List it",
    ),
    (
        "a column rule with a strange operator",
        lambda m: m["models"][1]["columns"][3].update(
            columnLevelAccessControl={
                "name": "senior",
                "operator": "ABOUT",
                "threshold": "3",
                "requiredProperties": [{"name": "level"}],
            }
        ),
        'models[1] "Orders" . columns[3] "amount" . columnLevelAccessControl',
        '"ABOUT" is not an operator',
        "",
    ),
]


@pytest.mark.parametrize(("change", "where", "what", "todo"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_found_where_it_is(change: Change, where: str, what: str, todo: str) -> None:
    problems = _problems(change)
    matching = [p for p in problems if p.where == where and what in p.what]
    assert matching, [str(problem) for problem in problems]
    assert todo in matching[0].todo
    assert matching[0].todo


def test_one_mistake_is_one_problem() -> None:
    """What merely follows from a mistake elsewhere is not reported again."""
    assert len(_problems(_set("relationships", 0, "condition", "Orders.custmer_id = Customers.id"))) == 1
    assert len(_problems(_set("models", 1, "columns", 3, "type", 5))) == 1
    assert len(_problems(_set("models", 1, "columns", 0, {"name": "id"}))) == 1


def test_every_mistake_of_a_manifest_is_found_at_once() -> None:
    def change(mdl: Mdl) -> None:
        for _, one, *_ in MISTAKES:
            if one is not MISTAKES[4][1]:
                try:
                    one(mdl)
                except (KeyError, IndexError, TypeError, AttributeError):
                    continue

    assert len(_problems(change)) > 20


def test_the_shop_has_no_problems_and_no_warnings() -> None:
    reading = read_manifest(shop_mdl(), data_source="duckdb")
    assert (reading.problems, reading.warnings) == ((), ())


@pytest.mark.parametrize(
    "condition",
    [
        "Orders.customer_id=Customers.id",
        "( orders . customer_id\n= CUSTOMERS.ID )",
        '"Customers"."id" = "Orders"."customer_id"',
        "`Orders`.`customer_id` = `Customers`.`id`",
        "[Orders].[customer_id] = [Customers].[id]",
        "Orders.customer_id = Customers.id AND Orders.id = Customers.id",
    ],
)
def test_conditions_in_any_spacing_and_quoting(condition: str) -> None:
    assert _problems(_set("relationships", 0, "condition", condition)) == []


def test_null_is_the_same_as_nothing() -> None:
    def change(mdl: Mdl) -> None:
        mdl.update(enumDefinitions=None, metrics=None, cubes=None, views=None)
        mdl["models"] = mdl["models"][3:5]
        mdl["relationships"] = mdl["relationships"][4:]
        mdl["models"][0]["columns"].pop()
        for model in mdl["models"]:
            model.update(refSql=None, baseObject=None, cached=None, properties=None)
            for column in model["columns"]:
                column.setdefault("expression", None)
                column.setdefault("isCalculated", None)

    assert _problems(change) == []


def test_a_manifest_of_another_engine_is_refused() -> None:
    reading = read_manifest(shop_mdl(), data_source="SQLITE")
    assert [problem.where for problem in reading.problems] == ["manifest"]
    assert "DUCKDB" in reading.problems[0].what
    assert "SQLITE" in reading.problems[0].what


def test_a_manifest_without_a_data_source_takes_the_engines() -> None:
    mdl = shop_mdl()
    del mdl["dataSource"]
    reading = read_manifest(mdl, data_source="sqlite")
    assert reading.manifest is not None
    assert reading.manifest.data_source == "SQLITE"


def test_spellings_of_a_data_source() -> None:
    for written in ("postgresql", "Postgres", "POSTGRES"):
        models = [{"name": "t", "tableReference": {"table": "t"}, "columns": [plain("a")]}]
        mdl = {"catalog": "a", "schema": "b", "dataSource": written, "models": models}
        reading = read_manifest(mdl, data_source="POSTGRES")
        assert reading.manifest is not None
        assert reading.manifest.data_source == "POSTGRES"


def test_warnings_do_not_stand_in_the_way() -> None:
    mdl = shop_mdl()
    mdl["models"][1]["columns"][1]["type"] = "VARCHAR"
    mdl["models"][1]["columns"][5]["properties"]["epoch"] = "fortnights"
    mdl["models"][0]["columns"][0]["isHiden"] = True
    mdl["views"].append({"name": "unnamed", "statement": "SELECT count(*), sum(amount) FROM Orders"})
    mdl["views"].append({"name": "opaque", "statement": "SELECT * FROM (PIVOT Orders ON status USING sum(amount))"})
    mdl["views"].append({"name": "twice", "statement": "SELECT o.id, i.line AS id FROM Orders o, Items i"})
    reading = read_manifest(mdl)
    assert reading.manifest is not None
    said = " | ".join(map(str, reading.warnings))
    assert "Orders.customer_id is VARCHAR, but Customers.id is INTEGER" in said
    assert "fortnights" in said
    assert 'If "isHidden" was meant' in said
    assert 'views[2] "unnamed": 2 of its columns have no name' in said
    assert 'views[3] "opaque": its columns cannot be told' in said
    assert 'views[4] "twice": several of its columns have the same name' in said


JUNK: list[tuple[str, Any]] = [
    ("nothing", ""),
    ("prose", "Here is the model you asked for:"),
    ("not UTF-8", b"\xff\xfe{}"),
    ("a list", "[]"),
    ("a number", "7"),
    ("null", "null"),
    ("NaN", '{"catalog": NaN}'),
    ("a lone surrogate", '{"catalog": "\\ud800"}'),
    ("a bomb of brackets", "[" * 200_000),
    ("a bomb of objects", '{"models":' * 5_000 + "1" + "}" * 5_000),
    ("a number of a million digits", "1" * 1_000_000),
    ("a text of five megabytes", json.dumps({"catalog": "x" * 5_000_000})),
    ("a million models that are none", '{"catalog":"c","schema":"s","models":[' + "1," * 1_000_000 + "1]}"),
    ("many models without anything", '{"catalog":"c","schema":"s","models":[' + "{}," * 300_000 + "{}]}"),
    ("something that is no JSON value", {"catalog": {1, 2}}),
]


@pytest.mark.parametrize("source", [source for _, source in JUNK], ids=[name for name, _ in JUNK])
def test_junk_is_refused_in_words(source: Any) -> None:
    reading = read_manifest(source)
    assert reading.manifest is None
    assert 1 <= len(reading.problems) <= MAX_PROBLEMS + 1
    assert all(problem.where and problem.what and problem.todo for problem in reading.problems)
    assert all(len(str(problem)) < 2_000 for problem in reading.problems)


def test_looking_for_problems_ends() -> None:
    mdl = shop_mdl()
    mdl["models"] = [{"name": f"m{number}", "columns": []} for number in range(2_000)]
    started = time.monotonic()
    reading = read_manifest(mdl)
    assert len(reading.problems) == MAX_PROBLEMS + 1
    assert "more than" in reading.problems[-1].what
    assert time.monotonic() - started < 60


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert read_manifest(json.dumps(shop_mdl()).encode("utf-8-sig")).problems == ()


def test_a_calculated_field_may_come_back_to_its_own_model() -> None:
    """Orders.x → Customers.revenue → Orders.amount leads through Orders twice, but in no circle."""
    mdl = shop_mdl()
    _add_column(mdl, calculated("customer_revenue", "customer.revenue"), model=1)
    assert read_manifest(mdl).problems == ()


def test_several_relationships_between_two_models_are_roles() -> None:
    mdl = shop_mdl()
    mdl["relationships"].append(
        link("again", "Customers", "ONE_TO_MANY", "Orders", "Customers.id = Orders.ship_customer_id")
    )
    assert read_manifest(mdl).problems == ()
