"""The shop as a semantic model, written as the legacy client's model builder writes one: every optional key is there,
and what is not set is an empty string or null (CONTRACTS 1.1). The physical tables are in `shop.sql`."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

SHOP_SQL = Path(__file__).with_name("shop.sql")

Json = dict[str, Any]


def shop_sql() -> str:
    """The script that creates and fills the shop; it runs in SQLite and in DuckDB."""
    return SHOP_SQL.read_text(encoding="utf-8")


def _column(
    name: str, type_: str, *, not_null: bool = False, expression: str = "", described: str | None = None
) -> Json:
    return {
        "name": name,
        "type": type_,
        "isCalculated": False,
        "notNull": not_null,
        "expression": expression,
        "properties": None if described is None else {"displayName": name, "description": described},
    }


def _link(name: str, model: str, relationship: str) -> Json:
    return {
        "name": name,
        "type": model,
        "properties": None,
        "relationship": relationship,
        "isCalculated": False,
        "notNull": False,
    }


def _model(
    name: str, key: str, columns: list[Json], reference: Json, ref_sql: str | None, properties: Json | None
) -> Json:
    return {
        "name": name,
        "columns": columns,
        "tableReference": reference,
        "refSql": ref_sql,
        "cached": False,
        "refreshTime": None,
        "properties": properties,
        "primaryKey": key,
    }


def _relationship(name: str, models: tuple[str, str], join_type: str, condition: str) -> Json:
    return {
        "name": name,
        "models": list(models),
        "joinType": join_type,
        "condition": condition,
        "properties": None,
    }


def manifest(*, relationships: bool = True, data_source: str = "DUCKDB") -> Json:
    """The shop. Each model leaves other parts empty, in another way: null here, an empty string there."""
    customers = _model(
        "customers",
        "customer_id",
        [
            _column("customer_id", "INTEGER", not_null=True),
            _column("full_name", "VARCHAR", not_null=True, described="First and last name of the customer."),
            _column("city", "VARCHAR"),
            _column("signed_up", "DATE", not_null=True),
        ],
        {"catalog": None, "schema": None, "table": "customers"},
        None,
        {"displayName": "customers", "description": "People who buy."},
    )
    products = _model(
        "products",
        "product_id",
        [
            _column("product_id", "INTEGER", not_null=True),
            _column("product_name", "VARCHAR", not_null=True),
            _column("category", "VARCHAR", not_null=True),
            # The builder renames what cannot be a name and keeps the physical one as the expression.
            _column("unit_price", "DECIMAL", not_null=True, expression='"unit price"', described="Price of one piece."),
        ],
        {"catalog": "", "schema": "", "table": "products"},
        "",
        None,
    )
    orders = _model(
        "orders",
        "order_id",
        [
            _column("order_id", "INTEGER", not_null=True),
            _column("customer_id", "INTEGER", not_null=True),
            _column("ordered_on", "DATE", not_null=True),
            _column("status", "VARCHAR", not_null=True),
        ],
        {"catalog": None, "schema": "", "table": "orders"},
        None,
        {"displayName": "orders", "description": None},
    )
    # A model without a key: the builder writes an empty string.
    items = _model(
        "order_items",
        "",
        [
            _column("item_id", "INTEGER", not_null=True),
            _column("order_id", "INTEGER", not_null=True),
            _column("product_id", "INTEGER", not_null=True),
            _column("quantity", "INTEGER", not_null=True),
            _column("amount", "DECIMAL", not_null=True, described="What was paid for this line."),
        ],
        {"catalog": "", "schema": None, "table": "order_items"},
        "",
        {},
    )
    links: list[Json] = []
    if relationships:
        customers["columns"].append(_link("orders", "orders", "orders_customers"))
        orders["columns"].append(_link("customers", "customers", "orders_customers"))
        orders["columns"].append(_link("order_items", "order_items", "order_items_orders"))
        items["columns"].append(_link("orders", "orders", "order_items_orders"))
        items["columns"].append(_link("products", "products", "order_items_products"))
        products["columns"].append(_link("order_items", "order_items", "order_items_products"))
        many = "MANY_TO_ONE"
        links = [
            _relationship(
                "orders_customers", ("orders", "customers"), many, '"orders".customer_id = "customers".customer_id'
            ),
            _relationship(
                "order_items_orders", ("order_items", "orders"), many, '"order_items".order_id = "orders".order_id'
            ),
            _relationship(
                "order_items_products",
                ("order_items", "products"),
                many,
                '"order_items".product_id = "products".product_id',
            ),
        ]
    return {
        "catalog": "wrenai",
        "schema": "public",
        "dataSource": data_source,
        "models": [customers, products, orders, items],
        "relationships": links,
        "views": [],
    }


def with_calculated_and_view(base: Json) -> Json:
    """The same model with a calculated field over a relationship and a saved view, as the builder writes them."""
    made = copy.deepcopy(base)
    customers = next(model for model in made["models"] if model["name"] == "customers")
    customers["columns"].append(
        {
            "name": "order_count",
            "type": "BIGINT",
            "isCalculated": True,
            "expression": "COUNT(orders.order_id)",
            "notNull": False,
            "properties": {"displayName": "order count", "description": None},
        }
    )
    made["views"].append(
        {
            "name": "paid_orders",
            "statement": "SELECT order_id, customer_id FROM orders WHERE status = 'paid'",
            "properties": {"displayName": "paid orders", "description": "", "question": "Which orders are paid?"},
        }
    )
    return made


def broken(base: Json) -> Json:
    """The same model with two faults in two places: a relationship to nowhere, and a model with no columns."""
    made = copy.deepcopy(base)
    made["relationships"].append(
        _relationship(
            "to_nowhere", ("orders", "warehouses"), "MANY_TO_ONE", '"orders".order_id = "warehouses".order_id'
        )
    )
    made["models"].append(_model("empty_shelf", "", [], {"catalog": "", "schema": "", "table": "products"}, None, None))
    return made


def text_of(model: Json) -> str:
    """The manifest as the client sends it: JSON text without blanks."""
    return json.dumps(model, separators=(",", ":"), ensure_ascii=False)


def hash_of(model: Json) -> str:
    """The client's label of a deployment: a SHA-1 of the manifest."""
    return hashlib.sha1(text_of(model).encode()).hexdigest()


def columns_of(model: Json) -> dict[str, set[str]]:
    """The plain columns of every model by name; what only names a relationship is not a column."""
    return {
        one["name"]: {column["name"] for column in one["columns"] if not column.get("relationship")}
        for one in model["models"]
    }
