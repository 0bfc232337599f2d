"""The shop as the legacy web client's model builder writes it: every key that it knows, most of them empty."""

from __future__ import annotations

from typing import Any


def legacy_manifest(data_source: str = "DUCKDB") -> dict[str, Any]:
    """A manifest over the tables of `SHOP_ROWS`: tables, models over SQL, links, calculated fields and a view."""
    return {
        "schema": "public",
        "catalog": "wrenai",
        "dataSource": data_source,
        "models": [
            _model(
                "cust",
                "id",
                _column("id", "INTEGER"),
                _column("full_name", "VARCHAR", expression='"full name"', displayName="full name"),
                _column("country", "VARCHAR", description="Where they live"),
                _handle("orders", "orders", "CustIdOrdersCustomer_id"),
                _calculated("order_count", "BIGINT", 'COUNT(orders."id")'),
                _calculated("spent", "DOUBLE", 'SUM(orders."amount")'),
            ),
            _model(
                "orders",
                "id",
                _column("id", "INTEGER"),
                _column("customer_id", "INTEGER"),
                _column("amount", "DOUBLE", displayName=None, description=""),
                _column("status", "VARCHAR"),
                _handle("cust", "cust", "CustIdOrdersCustomer_id"),
                _handle("order_lines", "order_lines", "OrdersIdOrder_linesOrder_id"),
                _calculated("pieces", "BIGINT", 'SUM(order_lines."qty")'),
            ),
            _model(
                "order_lines",
                "",
                _column("order_id", "INTEGER"),
                _column("line", "INTEGER"),
                _column("qty", "INTEGER"),
                _handle("orders", "orders", "OrdersIdOrder_linesOrder_id"),
            )
            | {"tableReference": None, "refSql": "SELECT order_id, line, qty FROM items"},
            _model("staff", "", _column("id", "INTEGER"), _column("name", "VARCHAR"))
            | {"tableReference": {"catalog": "", "schema": "", "table": "staff"}, "refSql": ""},
            _model("tags", "", _column("tag", "VARCHAR"))
            | {"tableReference": {"catalog": None, "schema": "", "table": ""}, "refSql": "SELECT tag FROM tags"},
        ],
        "relationships": [
            _link("CustIdOrdersCustomer_id", "cust", "id", "ONE_TO_MANY", "orders", "customer_id"),
            _link("OrdersIdOrder_linesOrder_id", "orders", "id", "ONE_TO_MANY", "order_lines", "order_id"),
        ],
        "views": [
            {
                "name": "big_orders",
                "statement": "SELECT * FROM orders WHERE amount > 15",
                "properties": {"displayName": "Big orders", "question": "Which orders are big?", "viewId": "7"},
            }
        ],
        "enumDefinitions": None,
    }


def _model(name: str, primary_key: str, *columns: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "columns": list(columns),
        "tableReference": {"catalog": None, "schema": "main", "table": name},
        "refSql": None,
        "cached": False,
        "refreshTime": None,
        "properties": {"displayName": name, "description": None},
        "primaryKey": primary_key,
    }


def _column(name: str, kind: str, expression: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": kind,
        "isCalculated": False,
        "notNull": False,
        "expression": expression,
        "properties": properties,
    }


def _calculated(name: str, kind: str, expression: str) -> dict[str, Any]:
    return _column(name, kind, expression) | {"isCalculated": True}


def _handle(name: str, model: str, relationship: str) -> dict[str, Any]:
    return {
        "name": name,
        "type": model,
        "properties": None,
        "relationship": relationship,
        "isCalculated": False,
        "notNull": False,
    }


def _link(name: str, left: str, left_key: str, join_type: str, right: str, right_key: str) -> dict[str, Any]:
    return {
        "name": name,
        "models": [left, right],
        "joinType": join_type,
        "condition": f'"{left}".{left_key} = "{right}".{right_key}',
        "properties": {},
    }
