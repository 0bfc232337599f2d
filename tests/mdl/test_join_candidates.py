"""Joins that no relationship declares: conditions in hints and replies, and what names and types suggest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from askwell.mdl.join_candidates import hinted_joins, read_joins, suggested_joins
from askwell.mdl.join_graph import JoinGraph, JoinSource
from askwell.mdl.semantic_model import Cardinality, Column, SemanticModel
from tests.support.models import semantic_model
from tests.support.tables import case_rows

SHOP = semantic_model(
    {
        "customers": ["customer_id", "name", Column("since", "DATE")],
        "orders": ["order_id", "customer_id", "state_code", "ship_to", Column("total", "DECIMAL(10,2)")],
        "states": ["code", "label"],
        "staff": ["staff_id", "manager_id"],
    }
)


def _suggested(model: SemanticModel) -> dict[str, tuple[float, str]]:
    return {edge.condition: (edge.confidence, edge.reason) for edge in suggested_joins(model, JoinGraph(model))}


@pytest.mark.parametrize(
    ("text", "condition", "cardinality"),
    case_rows(__file__, "a_condition_is_read_with_its_cardinality", "text", "condition", "cardinality"),
)
def test_a_condition_is_read_with_its_cardinality(text: str, condition: str, cardinality: str) -> None:
    (edge,) = read_joins(SHOP, text)
    assert (edge.condition, edge.cardinality) == (condition, Cardinality(cardinality))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Orders belong to customers.",
        "orders.customer_id",
        "orders.customer_id = customers.id",
        "orders.customer_id = buyers.customer_id",
        "orders.customer_id > customers.customer_id",
        "orders.customer_id = customers.customer_id OR 1 = 1",
        "orders.customer_id = customers.customer_id; DROP TABLE orders",
        "orders.customer_id = 7",
        "customer_id = customers.customer_id",
        "orders.customer_id = orders.customer_id",
        "orders.total = customers.name",
        "orders.customer_id = customers.customer_id AND orders.state_code = states.state",
        "orders.customer_id = customers.customer_id" + " " * 2_000,
    ],
)
def test_anything_else_is_no_join(text: str) -> None:
    assert read_joins(SHOP, text) == ()


def test_several_joins_in_a_row() -> None:
    text = "customers.customer_id = orders.customer_id AND orders.state_code = states.code"
    assert [edge.condition for edge in read_joins(SHOP, text)] == text.split(" AND ")


def _hinted(hints: Any) -> SemanticModel:
    tables = {"orders": ["id", "state"], "states": ["code", "label"]}
    return semantic_model(tables, orders={"properties": {"join_hints": hints}})


def test_a_hint_that_is_a_condition_is_a_join() -> None:
    (edge,) = hinted_joins(_hinted(["orders.state = states.code", "States are German states.", 7]))
    assert edge.condition == "orders.state = states.code"
    assert edge.source is JoinSource.HINT
    assert 0.75 < edge.confidence < 1


@pytest.mark.parametrize("hints", [None, "orders.state = states.code", {}, [None], []])
def test_hints_in_another_form_are_none(hints: Any) -> None:
    assert list(hinted_joins(_hinted(hints))) == []


def test_names_and_types_suggest_what_nothing_joins() -> None:
    suggested = _suggested(SHOP)
    assert list(suggested) == ["orders.customer_id = customers.customer_id", "orders.state_code = states.code"]
    confidence, reason = suggested["orders.customer_id = customers.customer_id"]
    assert 0.75 < confidence < 1
    assert reason == "customer_id has the name of the key of customers"


def test_keys_that_are_not_declared_are_found_by_name() -> None:
    declared = semantic_model({"customers": ["id", "name"], "orders": ["id", "customer_id"]})
    model = replace(declared, tables={table.name: replace(table, primary_key=()) for table in declared})
    assert list(_suggested(model)) == ["orders.customer_id = customers.id"]


def test_nothing_is_suggested_where_relationships_lead_already() -> None:
    tables = {
        "customers": ["customer_id"],
        "accounts": ["account_id", "owner"],
        "orders": ["order_id", "customer_id", "account_id"],
    }
    linked = semantic_model(
        tables, [("orders.account_id", "accounts.account_id"), ("accounts.owner", "customers.customer_id")]
    )
    assert _suggested(linked) == {}
    assert list(_suggested(semantic_model(tables, [("accounts.owner", "customers.customer_id")]))) == [
        "orders.customer_id = customers.customer_id",
        "orders.account_id = accounts.account_id",
    ]


def test_columns_that_cannot_be_equal_are_not_suggested() -> None:
    model = semantic_model(
        {"customers": [Column("customer_id", "INTEGER")], "orders": ["id", Column("customer_id", "DATE")]}
    )
    assert _suggested(model) == {}


def test_a_name_that_is_the_key_of_several_tables_suggests_each_less_surely() -> None:
    model = semantic_model(
        {"customers": ["customer_id"], "old_customers": ["customer_id"], "orders": ["id", "customer_id"]}
    )
    suggested = _suggested(model)
    assert set(suggested) == {
        "orders.customer_id = customers.customer_id",
        "orders.customer_id = old_customers.customer_id",
    }
    assert all(confidence < 0.5 for confidence, _ in suggested.values())


def test_a_name_that_is_the_key_of_many_tables_suggests_nothing() -> None:
    model = semantic_model({"orders": ["id", "batch_id"], **{f"load_{number}": ["batch_id"] for number in range(6)}})
    assert _suggested(model) == {}
