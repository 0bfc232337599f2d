"""A database and a semantic model small enough to check by eye: customers, orders, and a saved view."""

from __future__ import annotations

import copy
import sqlite3
from pathlib import Path
from typing import Any

from tests.support.tables import case_table

CUSTOMERS = [
    (1, "Ada Lovelace", "Germany", "2024-01-05"),
    (2, "Grace Hopper", "France", "2024-02-11"),
    (3, "Alan Turing", "Germany", "2024-03-20"),
]
ORDERS = [
    (1, 1, "2024-04-01", "paid", 120.0),
    (2, 1, "2024-04-15", "open", 30.0),
    (3, 2, "2024-05-02", "paid", 75.5),
    (4, 3, "2024-05-20", "shipped", 10.0),
]


def make_database(path: Path) -> Path:
    """Write the SQLite file and return its path."""
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(
            """
            CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, created_at DATE, secret TEXT);
            CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),
                                 order_date DATE, status TEXT, amount REAL);
            """
        )
        connection.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, 'hush')", CUSTOMERS)
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", ORDERS)
    connection.close()
    return path


def manifest() -> dict[str, Any]:
    """The semantic model of the database, to be changed at will."""
    return copy.deepcopy(case_table(__file__, "manifest"))
