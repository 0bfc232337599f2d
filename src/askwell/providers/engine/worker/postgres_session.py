"""PostgreSQL inside a query process: one connection, every statement in a read-only transaction that is rolled back.

Settings are made anew in each transaction (`SET LOCAL`), so that nothing depends on what a connection pool in front of
the server did with the ones before. After a statement the session is made clean (`DISCARD ALL`), so that a lock that it
took, say, is not there for the next one.

Before a statement runs, the server's own plan has to agree with what it may do: one query that reads the tables that it
names and calls reviewed functions. That is the second wall behind the guard. Functions of constants are not in a plan,
because PostgreSQL calls them while it plans; those that the database has of its own are therefore looked for before
(`postgres_checks`).
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Generator, Mapping
from typing import Any, cast

import psycopg

from askwell.providers.engine.worker import postgres_checks as checks
from askwell.providers.engine.worker import postgres_dialect as dialect
from askwell.providers.engine.worker.outcomes import Rejected, ways_of
from askwell.providers.engine.worker.session import (
    Columns,
    DriverSession,
    Rights,
    Rows,
    Terms,
    not_taken,
    only_select,
    physical_tables,
    quoted_role,
)

Connection = psycopg.Connection[Any]

_LOCK_SECONDS = 5.0
_CANCEL_SECONDS = 0.4

_WAYS = ways_of("postgres")
# The server then notices in the middle of a query that nobody waits for it. Not every server and system has it.
_WATCH_CLIENT = "SET LOCAL client_connection_check_interval = '500ms'"

_EXPLAIN = "EXPLAIN (FORMAT JSON, VERBOSE, COSTS OFF) "
_SYNTAX_ERROR = "42601"
_NOT_SUPPORTED = "0A000"
# The role is not there, or is not granted to the login.
_NO_SUCH_ROLE = ("22023", "42501", "42704")


class PostgresSession(DriverSession):
    """A connection to one PostgreSQL database.

    The `functions` of the `settings` are the lower-case names of those that a statement may call; None for all.
    """

    errors = (psycopg.Error,)
    outcome_of = staticmethod(dialect.outcome_of)
    connecting_trouble = staticmethod(dialect.connecting_trouble)

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._arguments = {**_WAYS["connection"], **settings["connect"], "client_encoding": "utf8"}
        functions = settings["functions"]
        self._callable = None if functions is None else frozenset(functions)
        self._settings = [f"SET LOCAL {one}" for one in _WAYS["settings"]]
        self._encoding = ""

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one SELECT in `sql`. Rows are taken off the wire one by one; leaving early stops the query.

        By way of a cursor the server stops by itself after the rows that are wanted, and hands them over as soon as
        it has them. Under a cursor it does not work in parallel, though, so where it would, it is asked directly.
        """
        with self._transaction(terms, keep=True) as connection:
            plan = self._prove(connection, sql, terms)
            rows = sql
            if not any(node.get("Node Type", "").startswith("Gather") for node in checks.nodes(plan)):
                # A binary result, of which there is none here, is what makes the driver send one statement only.
                declared = f"DECLARE askwell NO SCROLL CURSOR FOR {sql.rstrip().removesuffix(';')}".encode()
                self._guarded(sql, lambda: connection.execute(declared, binary=True))
                rows = f"FETCH FORWARD {row_limit + 1} FROM askwell"
            cursor = connection.cursor()
            stream = cast(Generator[Any, None, None], cursor.stream(rows.encode()))
            first = self._guarded(sql, lambda: next(stream, None))
            result = cursor.pgresult if first is not None else _described(connection, sql)
            if result is None:
                raise only_select()
            return dialect.columns_of(result, connection), self._rows(sql, first, stream)

    def check(self, sql: str, terms: Terms) -> None:
        """Plan `sql` without running it."""
        with self._transaction(terms) as connection:
            self._prove(connection, sql, terms)

    def functions(self) -> list[str]:
        """Lower-case names of the system's and extensions' functions that the role may call."""
        return [row[0] for row in self._catalogue(dialect.SQL["functions"])]

    def introspect(self) -> list[dict[str, Any]]:
        """Tables and views that the role may read, as `PhysicalTable` fields."""
        return physical_tables(self._catalogue(dialect.COLUMNS), self._catalogue(dialect.KEYS))

    def rights(self) -> Rights:
        """See `ServerSession.rights`."""
        needless = self._catalogue(dialect.SQL["needless_functions"])
        own = checks.OwnCode.of(self._catalogue(dialect.SQL["own_code"])).hidden(self._callable or frozenset())
        return [row[0] for row in self._catalogue(dialect.SQL["rights"])], [row[0] for row in needless], own

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

    def _prove(self, connection: Connection, sql: str, terms: Terms) -> Any:
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
                with self._transaction(terms) as again:
                    self._guarded(sql, lambda: _explained(again, sql))
                raise only_select() from None
            raise dialect.outcome_of(error, sql) from None
        if checks.writes(plan):
            raise only_select()
        self._check_reads(connection, checks.relations(plan), terms.tables)
        self._check_calls(connection, checks.functions(plan), own, terms.tables)
        return plan

    def _own_functions(self, connection: Connection, sql: str, terms: Terms) -> frozenset[str]:
        """Names of functions that the database has of its own; refuses a statement that may mean code of its own.

        One of which it is not said what it reads is the service's own.
        """
        if self._callable is None or terms.tables is None:
            return frozenset()
        own = self._of_role(
            terms.role, lambda: checks.OwnCode.of(connection.execute(dialect.SQL["own_code"]).fetchall())
        )
        if meant := own.meant_by(sql, terms.tables, self._callable):
            raise Rejected("error", meant)
        return own.functions

    def _check_reads(self, connection: Connection, reads: frozenset[str], tables: frozenset[str] | None) -> None:
        if tables is None or reads <= tables:
            return
        behind = {row[0] for row in connection.execute(dialect.SQL["behind"], [list(tables)]).fetchall()}
        strange = sorted(reads - tables - behind)
        if strange:
            raise Rejected("error", f"The statement may not read {strange[0]}.")

    def _check_calls(
        self,
        connection: Connection,
        calls: frozenset[str],
        own: frozenset[str],
        tables: frozenset[str] | None,
    ) -> None:
        """What views and row-level policies of the tables call is their owner's affair."""
        if self._callable is None:
            return
        strange = set(calls - (self._callable - own))
        for (relation,) in connection.execute(dialect.SQL["with_code"], [list(tables or ())]).fetchall():
            if not strange:
                return
            with contextlib.suppress(psycopg.Error), connection.transaction():
                strange -= checks.functions(_explained(connection, f"SELECT * FROM {relation}"))
        if strange:
            name = min(strange)
            known = name in self._callable
            raise Rejected("error", checks.own_function(name) if known else f"The statement may not call {name}.")

    def _rows(self, sql: str, first: Any, stream: Generator[Any, None, None]) -> Rows:
        try:
            row = first
            while row is not None:
                yield row
                row = self._guarded(sql, lambda: next(stream, None))
        finally:
            # Where rows are left, this cancels the query.
            stream.close()
            self._roll_back()

    def _catalogue(self, sql: str) -> list[tuple[Any, ...]]:
        with self._transaction() as connection:
            return self._guarded("", lambda: connection.execute(sql).fetchall())

    def take_role(self, role: str) -> None:
        """See `ServerSession`. PostgreSQL gives the role back at the end of the transaction, however that ends."""
        assert self._connection is not None, "a transaction has begun"
        try:
            self._connection.execute("SET LOCAL ROLE " + quoted_role(role, '"'))
        except psycopg.Error as error:
            if error.sqlstate in _NO_SUCH_ROLE:
                raise not_taken() from None
            raise dialect.outcome_of(error, "") from None

    def _start(self, connection: Connection, timeout: float, timezone: str) -> None:
        milliseconds = max(math.floor(timeout * 1000), 1)
        bounds = [
            f"SET LOCAL statement_timeout = {milliseconds}",
            f"SET LOCAL lock_timeout = {min(milliseconds, math.floor(_LOCK_SECONDS * 1000))}",
            "SET LOCAL timezone = '" + timezone.replace("'", "''") + "'",
        ]
        connection.execute("; ".join(["BEGIN READ ONLY", *bounds, *self._settings]))

    def _connect(self) -> Connection:
        connection = psycopg.connect(**self._arguments, autocommit=True, prepare_threshold=None)
        # A server would refuse to hand over, as UTF-8, bytes of which it does not know what they are.
        self._encoding = "SQL_ASCII" if connection.info.parameter_status("server_encoding") == "SQL_ASCII" else ""
        self._set_encoding(connection)
        dialect.prepare_values(connection)
        if _WATCH_CLIENT not in self._settings and _accepts(connection, _WATCH_CLIENT):
            self._settings.append(_WATCH_CLIENT)
        return connection

    def _set_encoding(self, connection: Connection) -> None:
        if self._encoding:
            connection.execute(f"SET client_encoding = '{self._encoding}'")


def _accepts(connection: Connection, setting: str) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(setting)
    except psycopg.Error:
        return False
    return True


def _explained(connection: Connection, sql: str) -> Any:
    """The plan of one statement. Streaming uses the protocol in which there can be only one."""
    (row,) = connection.cursor().stream((_EXPLAIN + sql).encode())
    return json.loads(row[0])


def _described(connection: Connection, sql: str) -> Any:
    """The shape of a result without rows."""
    connection.pgconn.prepare(b"", sql.encode())
    return connection.pgconn.describe_prepared(b"")
