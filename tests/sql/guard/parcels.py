"""A made-up parcel service: what its project may read, and databases that hold more than that."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

import duckdb

from askwell.sql.guard import Allowed, Guard
from tests.support.in_process import own_functions

TABLES = {
    "shipments": ("id", "sender_id", "carrier", "weight", "price", "sent_on", "delivered_at", "tags", "details"),
    "people": ("id", "name", "town", "joined_on", "boss_id"),
    "stops": ("shipment_id", "depot_code", "seq"),
    "depot sites": ("code", "town", "capacity"),
}
QUALIFIERS: dict[str, set[str]] = {
    "duckdb": {"main", "memory.main"},
    "sqlite": {"main"},
    "postgres": {"public"},
    "mysql": {"parcels"},
    "trino": {"lake.parcels"},
    "bigquery": {"parcels"},
    "snowflake": {"public"},
    "tsql": {"dbo"},
}


def allowed(dialect: str) -> Allowed:
    """What statements of `dialect` may read. Not there: the column shipments.margin, the table payroll."""
    return Allowed({name: frozenset(columns) for name, columns in TABLES.items()}, frozenset(QUALIFIERS[dialect]))


def duckdb_database() -> duckdb.DuckDBPyConnection:
    """The parcel service in DuckDB, with a hidden column and a hidden table."""
    connection = duckdb.connect(":memory:")
    connection.execute(
        """
        CREATE TABLE people (id INT, name TEXT, town TEXT, joined_on DATE, boss_id INT);
        CREATE TABLE shipments (id INT, sender_id INT, carrier TEXT, weight DOUBLE, price DECIMAL(10, 2), sent_on DATE,
                                delivered_at TIMESTAMP, tags TEXT[], details JSON, margin TEXT);
        CREATE TABLE stops (shipment_id INT, depot_code TEXT, seq INT);
        CREATE TABLE "depot sites" (code TEXT, town TEXT, capacity INT);
        CREATE TABLE payroll (person_id INT, amount TEXT);
        INSERT INTO people VALUES (1, 'Ada', 'Ulm', '2020-01-05', NULL), (2, 'Bo', 'Bonn', '2021-02-06', 1),
                                  (3, 'Cy', 'Ulm', '2022-03-07', 1);
        INSERT INTO shipments VALUES
          (1, 1, 'van', 2.5, 10.00, '2024-01-10', '2024-01-12 10:00', ['a', 'b'], '{"box": {"w": 3}}', 'HIDDEN-1'),
          (2, 1, 'bike', 0.5, 4.50, '2024-02-11', NULL, ['b'], '{"box": {"w": 1}}', 'HIDDEN-2'),
          (3, 2, 'van', 8.0, 30.25, '2024-02-20', '2024-02-25 18:30', [], '{}', 'HIDDEN-3');
        INSERT INTO stops VALUES (1, 'U1', 1), (1, 'B1', 2), (3, 'B1', 1);
        INSERT INTO "depot sites" VALUES ('U1', 'Ulm', 10), ('B1', 'Bonn', 20);
        INSERT INTO payroll VALUES (1, 'HIDDEN-PAY');
        """
    )
    return connection


def sqlite_database() -> sqlite3.Connection:
    """The same in SQLite."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(
        """
        CREATE TABLE people (id INT, name TEXT, town TEXT, joined_on TEXT, boss_id INT);
        CREATE TABLE shipments (id INT, sender_id INT, carrier TEXT, weight REAL, price REAL, sent_on TEXT,
                                delivered_at TEXT, tags TEXT, details TEXT, margin TEXT);
        CREATE TABLE stops (shipment_id INT, depot_code TEXT, seq INT);
        CREATE TABLE "depot sites" (code TEXT, town TEXT, capacity INT);
        CREATE TABLE payroll (person_id INT, amount TEXT);
        INSERT INTO people VALUES (1, 'Ada', 'Ulm', '2020-01-05', NULL), (2, 'Bo', 'Bonn', '2021-02-06', 1),
                                  (3, 'Cy', 'Ulm', '2022-03-07', 1);
        INSERT INTO shipments VALUES
          (1, 1, 'van', 2.5, 10.00, '2024-01-10', '2024-01-12 10:00', '["a", "b"]', '{"box": {"w": 3}}', 'HIDDEN-1'),
          (2, 1, 'bike', 0.5, 4.50, '2024-02-11', NULL, '["b"]', '{"box": {"w": 1}}', 'HIDDEN-2'),
          (3, 2, 'van', 8.0, 30.25, '2024-02-20', '2024-02-25 18:30', '[]', '{}', 'HIDDEN-3');
        INSERT INTO stops VALUES (1, 'U1', 1), (1, 'B1', 2), (3, 'B1', 1);
        INSERT INTO "depot sites" VALUES ('U1', 'Ulm', 10), ('B1', 'Bonn', 20);
        INSERT INTO payroll VALUES (1, 'HIDDEN-PAY');
        """
    )
    return connection


GUARDS = {dialect: Guard(dialect, own_functions(dialect) or None) for dialect in QUALIFIERS}


def rows_within(connection: Any, sql: str, seconds: float = 0.5) -> list[tuple[Any, ...]]:
    """The rows of `sql` on either database; a recursion without an end is interrupted."""
    stop = threading.Timer(seconds, connection.interrupt)
    stop.start()
    try:
        return list(connection.execute(sql).fetchall())
    finally:
        stop.cancel()
