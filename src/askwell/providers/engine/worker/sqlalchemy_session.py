"""Any other server inside a query process, by way of SQLAlchemy: what the vendors have in common.

How they differ is told by `Habits`. None of them has a read-only transaction that could be relied on: besides the
guard it is the role's rights that keep a statement from writing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy
from sqlalchemy.engine.reflection import ObjectKind

from askwell.providers.engine.worker.outcomes import Rejected, Trouble, Unusable, about_rows
from askwell.providers.engine.worker.session import (
    Columns,
    DriverSession,
    Rights,
    Rows,
    Terms,
    one_line,
    only_select,
    table_entry,
)

_FETCHED_AT_ONCE = 100


@dataclass(frozen=True)
class Habits:
    """How a vendor wants things done (`vendors.yaml`); an empty text means that there is no way."""

    setup: Sequence[str] = ()
    zone: str = ""
    limit: str = ""
    check: str = "EXPLAIN {sql}"
    functions: str = ""


def _outcome_of(error: sqlalchemy.exc.SQLAlchemyError, sql: str) -> Rejected | Unusable:
    if not isinstance(error, sqlalchemy.exc.DBAPIError):
        return Rejected("error", "The database's driver refused the statement.")
    if error.connection_invalidated:
        return Unusable("dropped")
    words = " ".join(str(error.orig).split())
    kind = "timeout" if "timeout" in words.lower() or "timed out" in words.lower() else "error"
    return about_rows(kind, words, sql, Trouble.TIME if kind == "timeout" else Trouble.OTHER)


def _connecting_trouble(error: Exception) -> Unusable:
    return Unusable("other", type(getattr(error, "orig", None) or error).__name__)


class SQLAlchemySession(DriverSession):
    """A connection to a server that SQLAlchemy has a dialect for."""

    errors = (sqlalchemy.exc.SQLAlchemyError,)
    outcome_of = staticmethod(_outcome_of)
    connecting_trouble = staticmethod(_connecting_trouble)

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._url: str = settings["url"]
        self._habits = Habits(**settings["habits"])
        self._timezone = ""

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one query in `sql`: what is none comes back without columns, and is rolled back."""
        with self._transaction(terms, keep=True) as connection:
            streaming = connection.execution_options(stream_results=True, max_row_buffer=_FETCHED_AT_ONCE)
            result = self._guarded(sql, lambda: streaming.exec_driver_sql(sql))
            if not result.returns_rows:
                raise only_select()
            described = result.cursor.description if result.cursor is not None else ()
            return [(str(column[0]), _type_name(column[1])) for column in described], self._rows(sql, result)

    def check(self, sql: str, terms: Terms) -> None:
        """Have the server look at `sql` without running it."""
        check = self._habits.check.format(sql=sql, text=sql.replace("'", "''"))
        with self._transaction(terms) as connection:
            self._guarded(sql, lambda: connection.exec_driver_sql(check).fetchall())

    def functions(self) -> list[str]:
        """Lower-case names of the server's own functions; empty where it has no way to ask."""
        if not self._habits.functions:
            return []
        with self._transaction() as connection:
            rows = self._guarded("", lambda: connection.exec_driver_sql(self._habits.functions).fetchall())
            return sorted({str(row[0]).lower() for row in rows})

    def introspect(self) -> list[dict[str, Any]]:
        """Tables and views of the URL's schema, as `PhysicalTable` fields."""
        with self._transaction() as connection:
            return self._guarded("", lambda: _physical_tables(sqlalchemy.inspect(connection)))

    def rights(self) -> Rights:
        """Empty: each vendor keeps rights in its own way."""
        return [], [], []

    def clean(self) -> None:
        """Nothing: of these servers none has a way that the drivers share."""

    def stop(self) -> None:
        """Close the connection, which ends the query where the driver tells the server so; else its own limit does."""
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.invalidate()

    def _rows(self, sql: str, result: sqlalchemy.CursorResult[Any]) -> Rows:
        try:
            while rows := self._guarded(sql, lambda: result.fetchmany(_FETCHED_AT_ONCE)):
                yield from map(tuple, rows)
        finally:
            result.close()
            self._roll_back()

    def _start(self, connection: sqlalchemy.Connection, timeout: float, timezone: str) -> None:
        """Have the server keep to the zone and the time, as far as it has a way."""
        if self._habits.zone and timezone != self._timezone:
            connection.exec_driver_sql(self._habits.zone.format(timezone=timezone.replace("'", "''")))
            self._timezone = timezone
        if self._habits.limit:
            connection.exec_driver_sql(self._habits.limit.format(seconds=max(round(timeout), 1)))

    def _connect(self) -> sqlalchemy.Connection:
        connection = sqlalchemy.create_engine(self._url, poolclass=sqlalchemy.NullPool).connect()
        # Or drivers take each % of a statement for the place of a parameter.
        connection = connection.execution_options(no_parameters=True)
        for statement in self._habits.setup:
            connection.exec_driver_sql(statement)
        self._timezone = ""
        return connection

    def _disconnect(self, connection: sqlalchemy.Connection) -> None:
        connection.invalidate()
        super()._disconnect(connection)


def _physical_tables(inspector: sqlalchemy.Inspector) -> list[dict[str, Any]]:
    """A few questions for all tables at once, as far as the dialect can do that."""
    views = {*inspector.get_view_names(), *_materialized_views(inspector)}
    keys = inspector.get_multi_pk_constraint()
    foreign_keys = inspector.get_multi_foreign_keys()
    comments = _table_comments(inspector)
    tables = []
    for place, columns in inspector.get_multi_columns(kind=ObjectKind.ANY).items():
        schema, name = place
        key: Any = keys.get(place) or {}
        links: Any = foreign_keys.get(place) or []
        described = [
            [column["name"], _declared(column["type"]), not column["nullable"], one_line(column.get("comment"))]
            for column in columns
        ]
        entry = table_entry(name, schema, name in views, described, (comments.get(place) or {}).get("text"))
        entry["primary_key"] = list(key.get("constrained_columns", ()))
        parts = ("constrained_columns", "referred_table", "referred_columns", "referred_schema")
        entry["foreign_keys"] = [[link[part] for part in parts] for link in links]
        tables.append(entry)
    return sorted(tables, key=lambda table: str(table["name"]))


def _table_comments(inspector: sqlalchemy.Inspector) -> Mapping[Any, Any]:
    try:
        return inspector.get_multi_table_comment()
    except NotImplementedError:
        return {}


def _materialized_views(inspector: sqlalchemy.Inspector) -> list[str]:
    try:
        return inspector.get_materialized_view_names()
    except NotImplementedError:
        return []


def _declared(column_type: Any) -> str:
    """The type as SQL has it; empty for one that the dialect does not know."""
    try:
        return str(column_type.compile())
    except sqlalchemy.exc.CompileError:
        return type(column_type).__name__.upper() if not isinstance(column_type, sqlalchemy.types.NullType) else ""


def _type_name(code: Any) -> str:
    """Drivers describe types by name, by class or by number; a number says nothing to people."""
    if isinstance(code, str):
        return code.upper()
    return getattr(code, "__name__", "").upper()
