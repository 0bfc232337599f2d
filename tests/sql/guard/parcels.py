"""A made-up parcel service: what its project may read, and databases that hold more than that."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

import duckdb

from askwell.sql.guard import Allowed, Guard
from tests.support.in_process import own_functions
from tests.support.tables import case_table

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
    connection.execute(case_table(__file__, "duckdb_tables"))
    return connection


def sqlite_database() -> sqlite3.Connection:
    """The same in SQLite."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(case_table(__file__, "sqlite_tables"))
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
