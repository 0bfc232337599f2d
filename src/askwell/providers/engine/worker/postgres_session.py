"""PostgreSQL inside a query process: one connection, every statement in a read-only transaction that is rolled back.

Settings are made anew in each transaction (`SET LOCAL`), so that nothing depends on what a connection pool in front of
the server did with the ones before. After a statement the session is made clean (`DISCARD ALL`), so that a lock that it
took, say, is not there for the next one.

Before a statement runs, the server's own plan has to agree with what it may do: one query that reads the tables that it
names and calls reviewed functions. That is the second wall behind the guard. Functions of constants are not in a plan,
because PostgreSQL calls them while it plans; those that the database has of its own are therefore looked for before
(`postgres_own_code`).
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

import psycopg

from askwell.child_process import limits
from askwell.providers.engine.worker import postgres_catalogue as catalogue
from askwell.providers.engine.worker import postgres_plan as plans
from askwell.providers.engine.worker.outcomes import Rejected, Unusable
from askwell.providers.engine.worker.postgres_own_code import OWN_CODE, OwnCode, own_function
from askwell.providers.engine.worker.postgres_troubles import connecting_trouble, outcome_of
from askwell.providers.engine.worker.postgres_values import columns_of, prepare_values
from askwell.providers.engine.worker.roles import not_taken, quoted_role
from askwell.providers.engine.worker.session import Columns, Rights, Rows, Terms

T = TypeVar("T")

_CATALOGUE_SECONDS = 30.0
_CONNECT_SECONDS = 5
_LOCK_SECONDS = 5.0
_CANCEL_SECONDS = 0.4
# For how long what the database has of its own counts as known.
_OWN_CODE_SECONDS = 60.0
_MOST_ROLES = 100

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

_EXPLAIN = "EXPLAIN (FORMAT JSON, VERBOSE, COSTS OFF) "
_SYNTAX_ERROR = "42601"
_NOT_SUPPORTED = "0A000"
# The role is not there, or is not granted to the login.
_NO_SUCH_ROLE = ("22023", "42501", "42704")
_ONLY_SELECT = "Only a single SELECT statement can be run."


class PostgresSession:
    """A connection that is opened when need be, and once more when the server has let go of it.

    `callable_functions` are the lower-case names of the functions that a statement may call; None for all.
    """

    def __init__(
        self, connect: dict[str, Any], memory_mb: int, callable_functions: frozenset[str] | None = None
    ) -> None:
        self._arguments = {**_CONNECTION_DEFAULTS, **connect, "client_encoding": "utf8"}
        self._memory_mb = memory_mb
        self._callable = callable_functions
        # By role, None for the login: another one may call more. With the moment until which it counts.
        self._own: dict[str | None, tuple[OwnCode, float]] = {}
        self._settings = [*_SETTINGS]
        self._encoding = ""
        self._connection: psycopg.Connection[Any] | None = None

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one SELECT in `sql`. Rows are taken off the wire one by one; leaving early stops the query.

        By way of a cursor the server stops by itself after the rows that are wanted, and hands them over as soon as
        it has them. Under a cursor it does not work in parallel, though, so where it would, it is asked directly.
        """
        connection = self._begin_for(terms)
        try:
            plan = self._prove(connection, sql, terms)
            rows = sql
            if not any(node.get("Node Type", "").startswith("Gather") for node in plans.nodes(plan)):
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
        connection = self._begin_for(terms)
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

    def rights(self) -> Rights:
        """See `ServerSession.rights`."""
        needless = self._catalogue(catalogue.NEEDLESS, [catalogue.NEEDLESS_FUNCTIONS])
        own = OwnCode.of(self._catalogue(OWN_CODE)).hidden(self._callable or frozenset())
        return [row[0] for row in self._catalogue(catalogue.RIGHTS)], [row[0] for row in needless], own

    def stop(self) -> None:
        """Have the server stop what it is doing for us. Called from a signal handler."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error, OSError):
                self._connection.cancel_safe(timeout=_CANCEL_SECONDS)

    def clean(self) -> None:
        """Leave nothing of the last statement in the session: no lock, temporary table or setting."""
        if self._connection is None:
            return
        try:
            self._connection.execute("DISCARD ALL")
            self._set_encoding(self._connection)
        except psycopg.Error:
            self._drop()

    def _prove(self, connection: psycopg.Connection[Any], sql: str, terms: Terms) -> Any:
        """The plan of the one SELECT in `sql`; refuses what is none, does not plan, or reads or calls more than it may.

        What stands in parentheses after FROM can only be a query, and not one that writes.
        """
        own = self._own_functions(connection, sql, terms)
        try:
            plan = _explained(connection, f"SELECT * FROM ({sql.rstrip().removesuffix(';')}\n) AS q")
        except psycopg.Error as error:
            if error.sqlstate in (_SYNTAX_ERROR, _NOT_SUPPORTED):
                # The words about the statement as it was written say more.
                self._roll_back()
                _guarded(sql, lambda: _explained(self._begin_for(terms), sql))
                raise Rejected("error", _ONLY_SELECT) from None
            raise outcome_of(error, sql) from None
        if plans.writes(plan):
            raise Rejected("error", _ONLY_SELECT)
        self._check_reads(connection, plans.relations(plan), terms.tables)
        self._check_calls(connection, plans.functions(plan), own, terms.tables)
        return plan

    def _own_functions(self, connection: psycopg.Connection[Any], sql: str, terms: Terms) -> frozenset[str]:
        """Names of functions that the database has of its own; refuses a statement that may mean code of its own.

        One of which it is not said what it reads is the service's own.
        """
        if self._callable is None or terms.tables is None:
            return frozenset()
        known = self._own.get(terms.role)
        if known is None or known[1] < time.monotonic():
            rows = _guarded("", lambda: connection.execute(OWN_CODE).fetchall())
            if len(self._own) >= _MOST_ROLES:
                self._own.clear()
            known = self._own[terms.role] = OwnCode.of(rows), time.monotonic() + _OWN_CODE_SECONDS
        own = known[0]
        if meant := own.meant_by(sql, terms.tables, self._callable):
            raise Rejected("error", meant)
        return own.functions

    def _check_reads(
        self, connection: psycopg.Connection[Any], reads: frozenset[str], tables: frozenset[str] | None
    ) -> None:
        if tables is None or reads <= tables:
            return
        behind = {row[0] for row in connection.execute(catalogue.BEHIND, [list(tables)]).fetchall()}
        strange = sorted(reads - tables - behind)
        if strange:
            raise Rejected("error", f"The statement may not read {strange[0]}.")

    def _check_calls(
        self,
        connection: psycopg.Connection[Any],
        calls: frozenset[str],
        own: frozenset[str],
        tables: frozenset[str] | None,
    ) -> None:
        """What views and row-level policies of the tables call is their owner's affair."""
        if self._callable is None:
            return
        strange = set(calls - (self._callable - own))
        for (relation,) in connection.execute(catalogue.WITH_CODE, [list(tables or ())]).fetchall():
            if not strange:
                return
            with contextlib.suppress(psycopg.Error), connection.transaction():
                strange -= plans.functions(_explained(connection, f"SELECT * FROM {relation}"))
        if strange:
            name = min(strange)
            known = name in self._callable
            raise Rejected("error", own_function(name) if known else f"The statement may not call {name}.")

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

    def _catalogue(self, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        connection = self._begin(_CATALOGUE_SECONDS)
        try:
            return _guarded("", lambda: connection.execute(sql, parameters).fetchall())
        finally:
            self._roll_back()

    def take_role(self, role: str) -> None:
        """See `RoleSession`. PostgreSQL gives the role back at the end of the transaction, however that ends."""
        assert self._connection is not None, "a transaction has begun"
        try:
            self._connection.execute("SET LOCAL ROLE " + quoted_role(role, '"'))
        except psycopg.Error as error:
            if error.sqlstate in _NO_SUCH_ROLE:
                raise not_taken() from None
            raise outcome_of(error, "") from None

    def _begin_for(self, terms: Terms) -> psycopg.Connection[Any]:
        """As `_begin`, under the role of these terms."""
        connection = self._begin(terms.timeout, terms.timezone)
        if terms.role is not None:
            try:
                self.take_role(terms.role)
            except BaseException:
                self._roll_back()
                raise
        return connection

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
        # A server would refuse to hand over, as UTF-8, bytes of which it does not know what they are.
        self._encoding = "SQL_ASCII" if connection.info.parameter_status("server_encoding") == "SQL_ASCII" else ""
        self._set_encoding(connection)
        prepare_values(connection)
        if _WATCH_CLIENT not in self._settings and _accepts(connection, _WATCH_CLIENT):
            self._settings.append(_WATCH_CLIENT)
        # Twice what a query may use: a value stands in the driver's memory and in ours.
        limits.tighten_address_space(2 * self._memory_mb)
        return connection

    def _set_encoding(self, connection: psycopg.Connection[Any]) -> None:
        if self._encoding:
            connection.execute(f"SET client_encoding = '{self._encoding}'")

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


def _guarded(sql: str, action: Callable[[], T]) -> T:
    """Do `action`, and turn what the driver raises into the two outcomes the service knows."""
    try:
        return action()
    except psycopg.Error as error:
        raise outcome_of(error, sql) from None
