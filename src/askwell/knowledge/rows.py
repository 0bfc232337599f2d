"""Rows and values of the same fields, and the inserts that SQLite and PostgreSQL share and SQL at large does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Table, delete
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

T = TypeVar("T")
Rows = Sequence[Mapping[str, Any]]
# Of rows that are named in one statement: SQLite takes some ten thousand parameters.
_AT_ONCE = 500


def row_of(value: Any, **more: Any) -> dict[str, Any]:
    """A row with the fields of a dataclass, and `more`, which counts where it names a field too."""
    return {one.name: getattr(value, one.name) for one in fields(value)} | more


def value_of(kind: type[T], row: Row[Any], **more: Any) -> T:
    """A dataclass from the columns that are called like its fields, and from `more`; lists become tuples."""
    found = {one.name: getattr(row, one.name) for one in fields(kind) if one.name not in more}  # type: ignore[arg-type]
    return kind(**{name: tuple(one) if isinstance(one, list) else one for name, one in found.items()}, **more)


def own(table: Table, project_id: str, **columns: Any) -> ColumnElement[bool]:
    """The condition for a project's rows with these values of columns."""
    condition: ColumnElement[bool] = table.c.project_id == project_id
    for name, value in columns.items():
        condition &= table.c[name] == value
    return condition


def delete_by(connection: Connection, table: Table, project_id: str, column: str, values: Sequence[str]) -> None:
    """Delete a project's rows with one of these values of a column."""
    for start in range(0, len(values), _AT_ONCE):
        some = table.c[column].in_(values[start : start + _AT_ONCE])
        connection.execute(delete(table).where(table.c.project_id == project_id, some))


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # all its drivers: a thirtieth of the time of an ask by rules

    return postgresql.insert(table)


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
