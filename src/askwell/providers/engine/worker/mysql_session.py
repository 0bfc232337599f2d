"""MySQL and MariaDB inside a query process: one connection, every statement in a read-only transaction.

Unlike the others this session does not say which tables a statement reads: the database has no way to tell that
without running parts of it, and its plans name aliases. The guard, and what the role may read, decide that alone. It
does see to it that no stored function is called: one may have a reviewed name that this server lacks.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pymysql
from pymysql.cursors import SSCursor

from askwell.providers.engine.worker import mysql_dialect as dialect
from askwell.providers.engine.worker.outcomes import Rejected, Unusable, ways_of
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

_CONNECT_SECONDS = 5
_CANCEL_SECONDS = 0.4
_MAX_RECURSION = 10_000_000

_WAYS = ways_of("mysql")
_HARMLESS_MODES = frozenset(_WAYS["harmless_modes"].split())
_RESET_CONNECTION = 0x1F


def _offset_today(timezone: str) -> str:
    """ "+02:00" """
    try:
        offset = f"{datetime.now(ZoneInfo(timezone)):%z}"
    except (ZoneInfoNotFoundError, ValueError):
        raise Unusable("timezone") from None
    return f"{offset[:3]}:{offset[3:5]}"


class _StreamingCursor(SSCursor):
    """Rows one by one off the wire, with the descriptions of their columns."""

    _result: Any

    @property
    def fields(self) -> list[Any]:
        return list(self._result.fields) if self.description else []


class _Connection(pymysql.connections.Connection):
    """The driver's limit on connecting ends with the first byte; this one holds until the server has answered."""

    ctx: Any
    _secure: bool
    _execute_command: Any
    _read_ok_packet: Any

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments, read_timeout=float(arguments["connect_timeout"]))
        # From now on the server, and the service, limit how long an answer may take.
        self._read_timeout = None

    def reset(self) -> None:
        """A session as after signing in: no locks, variables, temporary tables or prepared statements.

        https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_reset_connection.html
        """
        self._execute_command(_RESET_CONNECTION, b"")
        self._read_ok_packet()

    def encryption(self) -> dict[str, Any]:
        """Arguments for another connection that is encrypted like this one, without reading all certificates again."""
        return {"ssl": self.ctx} if self._secure else {"ssl_disabled": True}


class MySQLSession(DriverSession):
    """A connection to one database of MySQL or MariaDB.

    Where the `settings` name the functions that statements may call, stored ones are none of them; those behind views
    may always be called.
    """

    errors = (pymysql.Error,)
    outcome_of = staticmethod(dialect.outcome_of)
    connecting_trouble = staticmethod(dialect.connecting_trouble)

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self._arguments = {
            "connect_timeout": _CONNECT_SECONDS,
            **settings["connect"],
            "charset": "utf8mb4",
            "local_infile": False,
            "autocommit": True,
            "conv": dialect.CONVERSIONS,
            "program_name": "askwell",
        }
        self._calls_stored = settings["functions"] is None
        # The role of the person who asks, where the session is under one.
        self._role: str | None = None
        # What the connection's zone is set to, and whether the server knows names of zones.
        self._timezone = ""
        self._knows_zones = True
        self._is_mariadb = False
        self._modes = ""

    def query(self, sql: str, row_limit: int, terms: Terms) -> tuple[Columns, Rows]:
        """Run the one SELECT in `sql`. Rows are taken off the wire one by one; leaving early stops the query."""
        deadline = time.monotonic() + terms.timeout
        with self._transaction(terms, keep=True) as connection:
            self._only_select(connection, sql)
            cursor = connection.cursor(_StreamingCursor)
            self._guarded(sql, lambda: cursor.execute(sql))
            return dialect.columns_of(cursor.fields), self._rows(sql, connection, cursor, deadline)

    def check(self, sql: str, terms: Terms) -> None:
        """Prepare `sql` without running it. EXPLAIN is no proof here: it may run what it takes for constant."""
        with self._transaction(terms) as connection:
            self._only_select(connection, sql)
            self._guarded(sql, lambda: _prepare(connection, sql))

    def functions(self) -> list[str]:
        """Nothing: MySQL has no catalogue of its functions, and MariaDB's leaves out those that its grammar knows."""
        return []

    def introspect(self) -> list[dict[str, Any]]:
        """Tables and views of the connection's database, as `PhysicalTable` fields."""
        with self._transaction() as connection:
            keys = dialect.keys_of(_run(connection, dialect.SQL["keys"]))
            return physical_tables(_run(connection, dialect.SQL["columns"]), keys)

    def rights(self) -> Rights:
        """See `ServerSession.rights`. MySQL has no rights on its own functions."""
        with self._transaction() as connection:
            return dialect.rights([row[0] for row in _run(connection, dialect.SQL["grants"])]), [], []

    def clean(self) -> None:
        """Leave nothing of the last statement in the session: no lock, variable or temporary table."""
        if self._connection is None:
            return
        if self._role is not None:
            # What a server gives back when it resets a session differs by its version.
            self._drop()
            return
        try:
            self._connection.reset()
            self._set_up(self._connection)
        except (pymysql.Error, RuntimeError, OSError):
            self._drop()

    def stop(self) -> None:
        """Have the server end our connection. Called from a signal handler."""
        self._kill("KILL")

    def _only_select(self, connection: Any, sql: str) -> None:
        """Refuse what is not one SELECT, which alone can be prepared inside of EXISTS, or calls a stored function."""
        self._check_calls(connection, sql)
        try:
            _prepare(connection, f"SELECT EXISTS({sql.rstrip().removesuffix(';')}\n)")
        except pymysql.Error as error:
            failure = dialect.outcome_of(error, sql)
            if isinstance(failure, Unusable) or failure.kind != "error":
                raise failure from None
        else:
            return
        # The words about the statement as it was written say more.
        self._guarded(sql, lambda: _prepare(connection, sql))
        raise only_select()

    def _check_calls(self, connection: Any, sql: str) -> None:
        if self._calls_stored:
            return
        stored = self._of_role(
            self._role, lambda: frozenset(row[0] for row in _run(connection, dialect.SQL["stored_functions"]))
        )
        for name in sorted(stored.intersection(dialect.called(sql))):
            raise Rejected(
                "error",
                f"The statement may not call {name}: the database has a stored function of that name. Its owner can "
                "rename it.",
            )

    def _rows(self, sql: str, connection: Any, cursor: _StreamingCursor, deadline: float) -> Rows:
        widths = dialect.bit_widths(cursor.fields)
        is_over = False
        try:
            while (row := self._guarded(sql, cursor.fetchone)) is not None:
                yield dialect.with_bits_as_text(row, widths) if widths else row
            is_over = True
            if time.monotonic() >= deadline:
                # BENCHMARK and SLEEP end at the limit with a value, not with an error.
                raise Rejected("timeout", "The statement ran out of time.")
            if cursor.warning_count:
                self._check_cut_short(connection)
        except (Rejected, Unusable):
            is_over = True
            raise
        finally:
            if not is_over:
                self._kill("KILL QUERY")
            # What was on its way already is read, and the error that ends it.
            with contextlib.suppress(pymysql.Error):
                cursor.close()
            self._roll_back()

    def _check_cut_short(self, connection: Any) -> None:
        """A result that the server cut short on its own is no answer."""
        for _, number, _ in _run(connection, "SHOW WARNINGS"):
            if said := _WAYS["cut_short"].get(str(number)):
                raise Rejected("resources", said)

    def take_role(self, role: str) -> None:
        """See `ServerSession`. The session keeps the role until its end, which comes with the next `clean`."""
        assert self._connection is not None, "a transaction has begun"
        self._role = role
        name = quoted_role(role, "`")
        try:
            _run(self._connection, f"SET ROLE {name}")
        except pymysql.Error as error:
            failure = dialect.outcome_of(error, "")
            raise (not_taken() if isinstance(failure, Rejected) and failure.kind == "error" else failure) from None

    def _begin(self, terms: Terms | None) -> Any:
        if self._role is not None:
            self._drop()  # it was not cleaned
        return super()._begin(terms)

    def _start(self, connection: Any, timeout: float, timezone: str) -> None:
        self._set_timezone(connection, timezone)
        seconds = max(timeout, 0.001)
        limit = (
            f"max_statement_time = {seconds:.3f}" if self._is_mariadb else f"max_execution_time = {seconds * 1000:.0f}"
        )
        _run(connection, f"SET SESSION {limit}")
        _run(connection, "START TRANSACTION READ ONLY")

    def _connect(self) -> Any:
        connection = _Connection(**self._arguments)
        ((version, modes),) = _run(connection, "SELECT version(), @@sql_mode")
        self._is_mariadb = "mariadb" in version.lower()
        self._knows_zones = True
        self._modes = ",".join(mode for mode in modes.split(",") if mode in _HARMLESS_MODES)
        self._set_up(connection)
        return connection

    def _set_up(self, connection: Any) -> None:
        """The settings of a session that has just begun."""
        self._timezone = ""
        _run(connection, "SET NAMES utf8mb4")
        recursion = "max_recursive_iterations" if self._is_mariadb else "cte_max_recursion_depth"
        for setting in (f"sql_mode = '{self._modes}'", *_WAYS["settings"]):
            _run(connection, f"SET SESSION {setting}")
        with contextlib.suppress(pymysql.Error):  # older versions do not have it
            _run(connection, f"SET SESSION {recursion} = {_MAX_RECURSION}")

    def _set_timezone(self, connection: Any, timezone: str) -> None:
        """Give the session the zone. Many servers know no names of zones (their tables are empty): they get the zone's
        offset of today, which for days on the other side of a clock change is an hour off."""
        zone = timezone if self._knows_zones and timezone != "UTC" else _offset_today(timezone)
        if zone == self._timezone:
            return
        try:
            _run(connection, f"SET SESSION time_zone = {connection.escape(zone)}")
        except pymysql.Error as error:
            if not self._knows_zones or error.args[:1] != (dialect.UNKNOWN_TIMEZONE,):
                raise
            self._knows_zones = False
            self._set_timezone(connection, timezone)
        else:
            self._timezone = zone

    def _kill(self, command: str) -> None:
        """End our query or connection by way of a second one, the only way there is."""
        connection = self._connection
        if connection is None:
            return
        arguments = {**self._arguments, **connection.encryption(), "connect_timeout": _CANCEL_SECONDS}
        with (
            contextlib.suppress(pymysql.Error, RuntimeError, OSError),
            contextlib.closing(_Connection(**arguments)) as second,
        ):
            _run(second, f"{command} {connection.thread_id()}")

    def _disconnect(self, connection: Any) -> None:
        self._role = None
        super()._disconnect(connection)


def _prepare(connection: Any, sql: str) -> None:
    _run(connection, "PREPARE askwell FROM %s", sql)


def _run(connection: Any, sql: str, *parameters: str) -> list[tuple[Any, ...]]:
    """The rows that a statement gives, none for one that gives none."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        return list(cursor.fetchall())
