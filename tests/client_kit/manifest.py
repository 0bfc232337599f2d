"""The shop as a semantic model, written as the legacy client's model builder writes one: every optional key is there,
and what is not set is an empty string or null (CONTRACTS 1.1). The physical tables are in `shop.sql`."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def shop_sql() -> str:
    """The script that creates and fills the shop; it runs in SQLite and in DuckDB."""
    return Path(__file__).with_name("shop.sql").read_text(encoding="utf-8")


def manifest(*, relationships: bool = True, data_source: str = "DUCKDB") -> Json:
    """The shop. Each model leaves other parts empty, in another way: null here, an empty string there."""
    made: Json = json.loads(Path(__file__).with_name("shop.json").read_text(encoding="utf-8"))
    made["dataSource"] = data_source
    if not relationships:
        made["relationships"] = []
        for model in made["models"]:
            model["columns"] = [column for column in model["columns"] if "relationship" not in column]
    return made


def with_calculated_and_view(base: Json) -> Json:
    """The same model with a calculated field over a relationship and a saved view, as the builder writes them."""
    made = copy.deepcopy(base)
    customers = next(model for model in made["models"] if model["name"] == "customers")
    count = {"name": "order_count", "type": "BIGINT", "isCalculated": True, "expression": "COUNT(orders.order_id)"}
    customers["columns"].append(count | {"notNull": False, "properties": {"displayName": "order count"}})
    statement = "SELECT order_id, customer_id FROM orders WHERE status = 'paid'"
    properties = {"displayName": "paid orders", "description": "", "question": "Which orders are paid?"}
    made["views"].append({"name": "paid_orders", "statement": statement, "properties": properties})
    return made


def broken(base: Json) -> Json:
    """The same model with two faults in two places: a relationship to nowhere, and a model with no columns."""
    made = copy.deepcopy(base)
    nowhere = made["relationships"][0] | {"name": "to_nowhere", "models": ["orders", "warehouses"]}
    made["relationships"].append(nowhere | {"condition": '"orders".order_id = "warehouses".order_id'})
    made["models"].append(made["models"][1] | {"name": "empty_shelf", "primaryKey": "", "columns": []})
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
