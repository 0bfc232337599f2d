"""The two kinds of insert that SQLite and PostgreSQL share and SQL at large does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

Rows = Sequence[Mapping[str, Any]]


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def insert_one_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless one of its unique keys is there already; whether it was inserted."""
    # RETURNING says so on both: counts of affected rows are not told by every driver.
    statement = _insert(connection, table).on_conflict_do_nothing().returning(*table.primary_key)
    return connection.execute(statement, dict(row)).first() is not None


def insert_new(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert the rows whose keys are not there yet."""
    if rows:
        connection.execute(_insert(connection, table).on_conflict_do_nothing(), [dict(row) for row in rows])


def insert_or_replace(connection: Connection, table: Table, rows: Rows) -> None:
    """Insert rows, each taking the place of the one with its primary key. All rows name the same columns."""
    if not rows:
        return
    statement = _insert(connection, table)
    keys = [column.name for column in table.primary_key]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), list(rows))
