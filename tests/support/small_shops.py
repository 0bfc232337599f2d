"""Databases whose words are those of databases: a furniture shop that sells tables, and a restaurant that has them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.tables import case_table

_FURNITURE = case_table(__file__, "furniture")
_RESTAURANT = case_table(__file__, "restaurant")
# Two tables that are called orders, two ways from a flight to an airport, three dates of a sales order.
_TRADER = case_table(__file__, "trader")
_DESCRIPTIONS = {
    "bookings": "A table that somebody asked for in advance.",
    "bookings.covers": "Guests who came and ate.",
    "bookings.no_show": "Nobody came.",
    "products": "What we sell.",
    "sales.margin": "What is left of the price after all costs, in euros.",
}
_DATABASES = {"furniture": _FURNITURE, "restaurant": _RESTAURANT, "trader": _TRADER}


def make_small_shop(name: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """Write the SQLite file of `furniture`, `restaurant` or `trader`; its path and its semantic model."""
    path = folder / f"{name}.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_DATABASES[name])
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        tables = {table: connection.execute(f"PRAGMA table_info('{table}')").fetchall() for (table,) in listed}
        keys = {table: connection.execute(f"PRAGMA foreign_key_list('{table}')").fetchall() for table in tables}
    models = [
        {
            "name": table,
            "tableReference": {"table": table},
            "primaryKey": "id",
            "properties": _described(table),
            "columns": [
                {"name": column, "type": kind, "properties": _described(f"{table}.{column}")}
                for _, column, kind, *_ in columns
            ],
        }
        for table, columns in tables.items()
    ]
    links = [
        {
            "name": f"{table}_{here.removesuffix('_id')}",
            "models": [table, other],
            "joinType": "MANY_TO_ONE",
            "condition": f"{table}.{here} = {other}.{there}",
        }
        for table, found in keys.items()
        for _, _, other, here, there, *_ in found
    ]
    return path, {"catalog": name, "schema": "main", "dataSource": "SQLITE", "models": models, "relationships": links}


def _described(name: str) -> dict[str, str]:
    return {"description": _DESCRIPTIONS[name]} if name in _DESCRIPTIONS else {}
