"""PostgreSQL inside a query process: one connection, every statement in a read-only transaction that is rolled back.

Settings are made anew in each transaction (`SET LOCAL`), so that nothing depends on what a connection pool in front of
the server did with the ones before.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar, cast

import psycopg

from askwell.providers.engine.worker import limits
from askwell.providers.engine.worker import postgres_catalogue as catalogue
from askwell.providers.engine.worker.names import fold
from askwell.providers.engine.worker.outcomes import Rejected, Unusable
from askwell.providers.engine.worker.postgres_troubles import connecting_trouble, outcome_of
from askwell.providers.engine.worker.postgres_values import columns_of, prepare_values
from askwell.providers.engine.worker.session import Columns, Rows, Terms

T = TypeVar("T")

_CATALOGUE_SECONDS = 30.0
_CONNECT_SECONDS = 5
_LOCK_SECONDS = 5.0
_CANCEL_SECONDS = 0.4

# Seconds of silence after which a dead network counts as a lost connection.
_CONNECTION_DEFAULTS = {
    "application_name": "askwell",
    "connect_timeout": _CONNECT_SECONDS,
    "keepalives_idle": 30,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

# What the guard's rendering and the reading of values rely on, and how long the server waits for a silent client.
_SETTINGS = (
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL datestyle = 'ISO'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL cursor_tuple_fraction = 1",
    "SET LOCAL idle_in_transaction_session_timeout = '60s'",
)
# The server then notices in the middle of a query that nobody waits for it. Not every server and system has it.
_WATCH_CLIENT = "SET LOCAL client_connection_check_interval = '500ms'"

_EXPLAIN = "EXPLAIN (FORMAT JSON, COSTS OFF) "
_SYNTAX_ERROR = "42601"
_NOT_SUPPORTED = "0A000"
_ONLY_SELECT = "Only a single SELECT statement can be run."


class PostgresSession:
    """A connection that is opened when need be, and once more when the server has let go of it."""

    def __init__(self, connect: dict[str, Any], memory_mb: int) -> None:
        self._arguments = {**_CONNECTION_DEFAULTS, **connect, "client_encoding": "utf8"}
        self._memory_mb = memory_mb
        self._settings = [*_SETTINGS]
        self._connection: psycopg.Connection[Any] | None = None

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one SELECT in `sql`. Rows are taken off the wire one by one; leaving early stops the query.

        By way of a cursor the server stops by itself after the rows that are wanted, and hands them over as soon as
        it has them. Under a cursor it does not work in parallel, though, so where it would, it is asked directly.
        """
        connection = self._begin(terms.timeout, terms.timezone)
        try:
            plan = self._prove(connection, sql, terms)
            rows = sql
            if not any(node.get("Node Type", "").startswith("Gather") for node in _nodes(plan)):
                # A binary result, of which there is none here, is what makes the driver send one statement only.
                declared = f"DECLARE askwell NO SCROLL CURSOR FOR {sql.rstrip().removesuffix(';')}".encode()
                _guarded(sql, lambda: connection.execute(declared, binary=True))
                rows = f"FETCH FORWARD {row_limit + 1} FROM askwell"
            cursor = connection.cursor()
            stream = cast(Generator[Any, None, None], cursor.stream(rows.encode()))
            first = _guarded(sql, lambda: next(stream, None))
            result = cursor.pgresult if first is not None else _described(connection, sql)
            if result is None:
                raise Rejected("error", _ONLY_SELECT)
            return columns_of(result, connection), self._rows(sql, first, stream)
        except BaseException:
            self._roll_back()
            raise

    def check(self, sql: str, terms: Terms) -> None:
        """Plan `sql` without running it."""
        connection = self._begin(terms.timeout, terms.timezone)
        try:
            self._prove(connection, sql, terms)
        finally:
            self._roll_back()

    def functions(self) -> list[str]:
        """Lower-case names of the system's and extensions' functions that the role may call."""
        return [row[0] for row in self._catalogue(catalogue.FUNCTIONS)]

    def introspect(self) -> list[dict[str, Any]]:
        """Tables and views that the role may read, as `PhysicalTable` fields."""
        return catalogue.physical_tables(self._catalogue(catalogue.COLUMNS), self._catalogue(catalogue.KEYS))

    def may_write(self) -> str:
        """What the role may do besides reading, in words; empty for nothing."""
        return str(self._catalogue(catalogue.MAY_WRITE)[0][0])

    def stop(self) -> None:
        """Have the server stop what it is doing for us. Called from a signal handler."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error, OSError):
                self._connection.cancel_safe(timeout=_CANCEL_SECONDS)

    def _prove(self, connection: psycopg.Connection[Any], sql: str, terms: Terms) -> Any:
        """The plan of the one SELECT in `sql`; refuses what is none, does not plan, or reads more than it may.

        What stands in parentheses after FROM can only be a query, and not one that writes.
        """
        try:
            plan = _explained(connection, f"SELECT * FROM ({sql.rstrip().removesuffix(';')}\n) AS q")
        except psycopg.Error as error:
            if error.sqlstate in (_SYNTAX_ERROR, _NOT_SUPPORTED):
                # The words about the statement as it was written say more.
                self._roll_back()
                _guarded(sql, lambda: _explained(self._begin(terms.timeout, terms.timezone), sql))
                raise Rejected("error", _ONLY_SELECT) from None
            raise outcome_of(error, sql) from None
        reads, tables = _relations(plan), terms.tables
        if tables is None or reads <= tables:
            return plan
        behind = {row[0] for row in connection.execute(catalogue.BEHIND, [list(tables)]).fetchall()}
        strange = sorted(reads - tables - behind)
        if strange:
            raise Rejected("error", f"The statement may not read {strange[0]}.")
        return plan

    def _rows(self, sql: str, first: Any, stream: Generator[Any, None, None]) -> Rows:
        try:
            row = first
            while row is not None:
                yield row
                row = _guarded(sql, lambda: next(stream, None))
        finally:
            # Where rows are left, this cancels the query.
            stream.close()
            self._roll_back()

    def _catalogue(self, sql: str) -> list[tuple[Any, ...]]:
        connection = self._begin(_CATALOGUE_SECONDS)
        try:
            return _guarded("", lambda: connection.execute(sql).fetchall())
        finally:
            self._roll_back()

    def _begin(self, timeout: float, timezone: str = "UTC") -> psycopg.Connection[Any]:
        """A connection in a fresh read-only transaction in which a statement may take `timeout` seconds."""
        deadline = time.monotonic() + timeout
        if self._connection is not None:
            try:
                self._start_transaction(self._connection, timeout, timezone)
                return self._connection
            except psycopg.Error:
                self._drop()
        try:
            self._connection = self._open()
            self._start_transaction(self._connection, deadline - time.monotonic(), timezone)
            return self._connection
        except MemoryError:
            raise Unusable("out_of_memory") from None
        except psycopg.Error as error:
            self._drop()
            raise connecting_trouble(error) from None

    def _start_transaction(self, connection: psycopg.Connection[Any], timeout: float, timezone: str) -> None:
        milliseconds = max(math.floor(timeout * 1000), 1)
        bounds = [
            f"SET LOCAL statement_timeout = {milliseconds}",
            f"SET LOCAL lock_timeout = {min(milliseconds, math.floor(_LOCK_SECONDS * 1000))}",
            "SET LOCAL timezone = '" + timezone.replace("'", "''") + "'",
        ]
        connection.execute("; ".join(["BEGIN READ ONLY", *bounds, *self._settings]))

    def _open(self) -> psycopg.Connection[Any]:
        limits.loosen_address_space()
        connection = psycopg.connect(**self._arguments, autocommit=True, prepare_threshold=None)
        if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
            # The server would refuse to hand over, as UTF-8, bytes of which it does not know what they are.
            connection.execute("SET client_encoding = 'SQL_ASCII'")
        prepare_values(connection)
        if _WATCH_CLIENT not in self._settings and _accepts(connection, _WATCH_CLIENT):
            self._settings.append(_WATCH_CLIENT)
        # Twice what a query may use: a value stands in the driver's memory and in ours.
        limits.tighten_address_space(2 * self._memory_mb)
        return connection

    def _roll_back(self) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute("ROLLBACK")
        except psycopg.Error:
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _accepts(connection: psycopg.Connection[Any], setting: str) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(setting)
    except psycopg.Error:
        return False
    return True


def _explained(connection: psycopg.Connection[Any], sql: str) -> Any:
    """The plan of one statement. Streaming uses the protocol in which there can be only one."""
    (row,) = connection.cursor().stream((_EXPLAIN + sql).encode())
    return json.loads(row[0])


def _described(connection: psycopg.Connection[Any], sql: str) -> Any:
    """The shape of a result without rows."""
    connection.pgconn.prepare(b"", sql.encode())
    return connection.pgconn.describe_prepared(b"")


def _relations(plan: Any) -> set[str]:
    """Folded names of what a plan reads; parts that the planner proved useless are not read, and not there."""
    found: set[str] = set()
    for node in _nodes(plan):
        if node.get("Node Type") in ("ModifyTable", "LockRows"):
            raise Rejected("error", _ONLY_SELECT)
        if "Relation Name" in node:
            found.add(fold(node["Relation Name"]))
    return found


def _nodes(plan: Any) -> Iterator[dict[str, Any]]:
    stack = [node["Plan"] for node in plan]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.get("Plans", ()))


def _guarded(sql: str, action: Callable[[], T]) -> T:
    """Do `action`, and turn what the driver raises into the two outcomes the service knows."""
    try:
        return action()
    except psycopg.Error as error:
        raise outcome_of(error, sql) from None
