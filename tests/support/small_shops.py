"""Databases whose words are those of databases: a furniture shop that sells tables, and a restaurant that has them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

_FURNITURE = """
CREATE TABLE lines (id INTEGER PRIMARY KEY, name TEXT, designer TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, material TEXT, price REAL,
                       line_id INTEGER REFERENCES lines(id));
CREATE TABLE sales (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id), sold_on DATE, quantity INTEGER,
                    margin REAL);
INSERT INTO lines VALUES (1, 'Fjord', 'Hansen'), (2, 'Alba', 'Rossi');
INSERT INTO products VALUES (1, 'Oslo', 'Tables', 'oak', 320, 1), (2, 'Bergen', 'Tables', 'walnut', 540, 1),
                            (3, 'Luca', 'Chairs', 'oak', 95, 2), (4, 'Mara', 'Sofas', 'linen', 870, 2);
INSERT INTO sales VALUES (1, 1, '2026-05-02', 1, 90), (2, 3, '2026-05-09', 4, 25), (3, 2, '2026-06-01', 2, 160);
"""
_RESTAURANT = """
CREATE TABLE tables (id INTEGER PRIMARY KEY, place TEXT, seats INTEGER);
CREATE TABLE shifts (id INTEGER PRIMARY KEY, name TEXT, begins TEXT);
CREATE TABLE bookings (id INTEGER PRIMARY KEY, table_id INTEGER REFERENCES tables(id),
                       shift_id INTEGER REFERENCES shifts(id), booked_for DATE, guest TEXT, party_size INTEGER,
                       covers INTEGER, no_show BOOLEAN);
INSERT INTO tables VALUES (1, 'terrace', 4), (2, 'garden', 6), (3, 'window', 2);
INSERT INTO shifts VALUES (1, 'lunch', '12:00'), (2, 'dinner', '18:30');
INSERT INTO bookings VALUES (1, 1, 1, '2026-11-02', 'Ada', 4, 4, 0), (2, 3, 2, '2026-11-03', 'Alan', 2, 0, 1);
"""
# Two tables that are called orders, two ways from a flight to an airport, three dates of a sales order.
_TRADER = """
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE purchase_orders (id INTEGER PRIMARY KEY, supplier_id INTEGER REFERENCES suppliers(id), order_date DATE,
                              status TEXT, total REAL);
CREATE TABLE sales_orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), order_date DATE,
                           ship_date DATE, due_date DATE, status TEXT, net_amount REAL, gross_amount REAL);
CREATE TABLE airports (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE flights (id INTEGER PRIMARY KEY, from_airport_id INTEGER REFERENCES airports(id),
                      to_airport_id INTEGER REFERENCES airports(id), flight_no TEXT, price REAL);
INSERT INTO suppliers VALUES (1, 'Bolt', 'Ulm'), (2, 'Nutz', 'Kiel');
INSERT INTO customers VALUES (1, 'Ann', 'Germany'), (2, 'Bob', 'Italy'), (3, 'Cid', 'Italy');
INSERT INTO purchase_orders VALUES (1, 1, '2025-01-01', 'open', 10), (2, 2, '2025-02-01', 'closed', 20);
INSERT INTO sales_orders VALUES (1, 1, '2025-01-05', '2025-01-09', '2025-02-05', 'open', 100, 119),
  (2, 2, '2025-02-05', '2025-02-09', '2025-03-05', 'open', 200, 238),
  (3, 3, '2025-03-05', NULL, '2025-04-05', 'open', 50, 59.5);
INSERT INTO airports VALUES (1, 'Tegel', 'Berlin'), (2, 'Orly', 'Paris'), (3, 'Linate', 'Milan');
INSERT INTO flights VALUES (1, 1, 2, 'AB1', 90), (2, 2, 1, 'AB2', 80), (3, 3, 2, 'AB3', 70);
"""
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
