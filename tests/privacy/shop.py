"""A shop whose every value is a word that stands nowhere else, and its model."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from tests.support.tables import case_table

_SCHEMA = case_table(__file__, "schema")
ROWS: dict[str, list[tuple[Any, ...]]] = case_table(__file__, "rows")
_TYPES = {"INTEGER": "INTEGER", "TEXT": "VARCHAR", "DATE": "DATE", "REAL": "DOUBLE"}


def make_shop(path: Path) -> Path:
    """Write the SQLite file and return its path."""
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(_SCHEMA)
        for table, rows in ROWS.items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.close()
    return path


def manifest() -> dict[str, Any]:
    """The semantic model: the tables as they are, an enum, a calculated field and a view with values in their SQL."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(_SCHEMA)
    models: list[dict[str, Any]] = []
    for table in ROWS:
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        found = [{"name": name, "type": _TYPES[kind]} for _, name, kind, *_ in columns]
        models.append({"name": table, "tableReference": {"table": table}, "primaryKey": "id", "columns": found})
    connection.close()
    orders = next(model for model in models if model["name"] == "orders")
    expression = "CASE WHEN status = 'gronked' THEN 1 ELSE 0 END"
    orders["columns"].append({"name": "is_closed", "type": "INTEGER", "isCalculated": True, "expression": expression})
    status = next(column for column in orders["columns"] if column["name"] == "status")
    status["type"] = "order_status"
    joins = [("orders", "customer_id", "customers"), ("order_items", "order_id", "orders"),
             ("order_items", "product_id", "products")]  # fmt: skip
    return {
        "catalog": "shop",
        "schema": "main",
        "dataSource": "SQLITE",
        "models": models,
        "enumDefinitions": [{"name": "order_status", "values": [{"name": "gronked"}, {"name": "snavelled"}]}],
        "relationships": [
            {
                "name": f"{many}_{one}",
                "models": [many, one],
                "joinType": "MANY_TO_ONE",
                "condition": f"{many}.{column} = {one}.id",
            }
            for many, column, one in joins
        ],
        "views": [],
    }
