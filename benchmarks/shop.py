"""A database of any number of tables of twenty columns, its semantic model, and what the language model says of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROWS = 50
NOUNS = [
    "customer", "purchase", "product", "supplier", "invoice", "payment", "shipment", "warehouse", "employee", "store",
    "region", "campaign", "ticket", "contract", "project", "asset", "vehicle", "route", "budget", "review",
]  # fmt: skip
# Who owns the tables after the first twenty: every name is made of two words that can be asked for.
OWNERS = [
    "harbour", "museum", "clinic", "airline", "school", "library", "brewery", "bakery", "studio", "garden", "factory",
    "embassy", "theatre", "stadium", "market", "council", "laboratory", "orchard", "quarry", "railway", "shipyard",
    "hotel", "casino", "vineyard", "temple", "academy", "archive", "arena", "bank", "bureau", "camp", "castle",
    "chapel", "circus", "court", "dairy", "depot", "farm", "forge", "gallery", "garage", "hostel", "kitchen", "lodge",
    "mill", "mine", "nursery", "office", "palace",
]  # fmt: skip
FIELDS = [
    "name", "status", "height", "city", "created_date", "weight", "rating", "category", "code", "title", "amount",
    "price", "country", "email", "owner", "level", "quantity", "kind", "comment",
]  # fmt: skip

SCRIPT: dict[str, Any] = {
    "stages": {
        "intent_classification": [
            {"json": {"rephrased_question": "", "reasoning": "It asks for rows.", "intent": "TEXT_TO_SQL"}}
        ],
        "sql_generation": [
            {
                "json": {
                    "plan": "1. **Read** table: customer.\n2. **Rank** by column: customer.customer_rating.",
                    "sql": "SELECT c.customer_name, count(*) AS orders FROM customer AS c "
                    "JOIN purchase AS o ON o.customer_id = c.id WHERE lower(c.customer_city) = 'city 3' "
                    "GROUP BY c.customer_name ORDER BY orders DESC LIMIT 10",
                }
            }
        ],
    }
}


def rules_question(number: int) -> str:
    """A question that the rules answer, another one for each number."""
    return f"How many customers have a rating above {number}?"


def model_question(number: int) -> str:
    """A question for the language model, another one for each number: no rule knows "keenest". The number is written
    as a name, since a statement that does not use a number of its question is refused."""
    name = "".join("bcdfghklmn"[int(digit)] + "aeiou"[int(digit) % 5] for digit in str(number))
    return f"Which 10 customers of city 3 were keenest on purchases, dear {name}?"


def make_database(path: Path, tables: int = 20) -> None:
    """Write the SQLite file: tables of 20 columns with a few rows each, linked in a chain."""
    connection = sqlite3.connect(path)
    with connection:
        for name, columns in _tables(tables):
            connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {', '.join(columns)})")
            marks = ", ".join("?" * (len(columns) + 1))
            rows = [(n, *(_value(column, n) for column in columns)) for n in range(ROWS)]
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    connection.close()


def make_manifest(tables: int = 20) -> dict[str, Any]:
    """The semantic model of `make_database`, as MDL."""
    models, relationships = [], []
    before = ""
    for name, columns in _tables(tables):
        if before:
            relationships.append(
                {
                    "name": f"{name}_{before}",
                    "models": [name, before],
                    "joinType": "MANY_TO_ONE",
                    "condition": f"{name}.{columns[-1]} = {before}.id",
                }
            )
        models.append(
            {
                "name": name,
                "tableReference": {"table": name},
                "primaryKey": "id",
                "columns": [{"name": "id", "type": "INTEGER"}, *map(_column, columns)],
                "properties": {"description": f"Everything known about each {name.replace('_', ' ')}."},
            }
        )
        before = name
    return {
        "catalog": "bench", "schema": "main", "dataSource": "SQLITE",
        "models": models, "relationships": relationships,
    }  # fmt: skip


def _tables(count: int) -> Iterator[tuple[str, list[str]]]:
    before = ""
    for position in range(count):
        owner, noun = divmod(position, len(NOUNS))
        name = f"{OWNERS[owner - 1]}_{NOUNS[noun]}" if owner else NOUNS[noun]
        columns = [f"{name}_{field}" for field in FIELDS]
        if before:
            # The last field of every table but the first is its link to the table before.
            columns[-1] = f"{before}_id"
        yield name, columns
        before = name


def _column(name: str) -> dict[str, Any]:
    kind = "DOUBLE" if _is_number(name) else "INTEGER" if name.endswith("_id") else "VARCHAR"
    return {"name": name, "type": kind, "properties": {"description": f"The {name.replace('_', ' ')}."}}


def _value(column: str, n: int) -> Any:
    return n % 7 if _is_number(column) or column.endswith("_id") else f"{column.split('_')[-1]} {n % 7}"


def _is_number(column: str) -> bool:
    return column.endswith(("_height", "_weight", "_rating"))
