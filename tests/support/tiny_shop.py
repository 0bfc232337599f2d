"""A database and a semantic model small enough to check by eye: customers, orders, and a saved view."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

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
    """The semantic model of the database, with a hidden column, calculated fields both ways, and a view."""
    return {
        "catalog": "shop",
        "schema": "main",
        "dataSource": "SQLITE",
        "models": [
            {
                "name": "customers",
                "tableReference": {"table": "customers"},
                "primaryKey": "id",
                "columns": [
                    {"name": "id", "type": "INTEGER", "notNull": True},
                    {"name": "name", "type": "VARCHAR"},
                    {"name": "country", "type": "VARCHAR"},
                    {"name": "created_at", "type": "DATE"},
                    {"name": "secret", "type": "VARCHAR", "isHidden": True},
                    {"name": "orders", "type": "orders", "relationship": "orders_customers"},
                    {
                        "name": "total_spent",
                        "type": "DOUBLE",
                        "isCalculated": True,
                        "expression": "sum(orders.amount)",
                    },
                ],
                "properties": {"description": "People who buy."},
            },
            {
                "name": "orders",
                "tableReference": {"table": "orders"},
                "primaryKey": "id",
                "columns": [
                    {"name": "id", "type": "INTEGER", "notNull": True},
                    {"name": "customer_id", "type": "INTEGER"},
                    {"name": "order_date", "type": "DATE"},
                    {"name": "status", "type": "VARCHAR"},
                    {"name": "amount", "type": "DOUBLE"},
                    {"name": "customer", "type": "customers", "relationship": "orders_customers"},
                    {
                        "name": "customer_country",
                        "type": "VARCHAR",
                        "isCalculated": True,
                        "expression": "customer.country",
                    },
                ],
                "properties": {"description": "One row for each order placed."},
            },
        ],
        "relationships": [
            {
                "name": "orders_customers",
                "models": ["orders", "customers"],
                "joinType": "MANY_TO_ONE",
                "condition": "orders.customer_id = customers.id",
            }
        ],
        "views": [
            {
                "name": "paid_orders",
                "statement": "SELECT id, amount FROM orders WHERE status = 'paid'",
                "properties": {"question": "Which orders are paid?", "viewId": "v-1", "description": "Orders paid."},
            }
        ],
    }
