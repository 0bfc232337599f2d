"""PostgreSQL's own ways: what its errors mean, how its values come, and what its catalogue says.

Most values come in the database's own text, which is exact and never fails to convert; Python's own date types know
neither infinity nor the years before Christ, its decimals no more than the text does, and its intervals no months.
"""

from __future__ import annotations

import datetime
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Buffer, Loader
from psycopg.types import TypeInfo

from askwell.providers.engine.worker.outcomes import Rejected, Unusable, server_outcome, statements, ways_of
from askwell.providers.engine.worker.session import Columns

# -- errors -----------------------------------------------------------------------------------------------------------


def outcome_of(error: psycopg.Error, sql: str) -> Rejected | Unusable:
    """What an error that a statement met means. Only the primary message is kept: detail and context quote rows."""
    code = error.sqlstate or ""
    if not code:
        # From the driver, not from the server.
        if "memory" in str(error):
            return Rejected("resources", "The result needs more memory than it may use.")
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return Unusable("dropped")
    return server_outcome("postgres", code, error.diag.message_primary or "", sql)


def connecting_trouble(error: Exception) -> Unusable:
    """Why there is no connection. The driver's words name host and user, so they are only for the service's log."""
    words = " ".join(str(error).split())
    if isinstance(error, psycopg.Error) and error.sqlstate == "22023":
        return Unusable("timezone")
    lowered = words.lower()
    # The host and the port stand in front of what happened.
    said = lowered.rpartition(" failed: ")[2]
    if isinstance(error, psycopg.ProgrammingError):
        return Unusable("other", words)
    reasons = ways_of("postgres")["connecting"].items()
    found = (reason for reason, signs in reasons if any(sign in said for sign in signs))
    return Unusable(next(found, "other"), words)


# -- values -----------------------------------------------------------------------------------------------------------

_OTHER_TYPES = 0

SQL = statements("postgres.sql")


class _TextLoader(Loader):
    """The database's own text; bytes that are not UTF-8 (an SQL_ASCII database has them) as replacement characters."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


class _DatetimeLoader(Loader):
    """ISO 8601 for what Python can represent; the database's own text for infinity, BC and the far future."""

    kind: type[datetime.datetime] | type[datetime.time] = datetime.datetime

    def load(self, data: Buffer) -> str:
        text = bytes(data).decode("ascii", "replace")
        try:
            return self.kind.fromisoformat(text).isoformat()
        except ValueError:
            return text


class _TimeLoader(_DatetimeLoader):
    """The same for times of day, of which the database has one more: 24:00."""

    kind = datetime.time


def prepare_values(connection: psycopg.Connection[Any]) -> None:
    """Make a connection hand values over as this module says. Asks the database for its own types."""
    for oid, array_oid, name in connection.execute(SQL["own_types"].encode()).fetchall():
        TypeInfo(str(name), oid, array_oid).register(connection)
    adapters = connection.adapters
    adapters.register_loader(_OTHER_TYPES, _TextLoader)
    for name in ways_of("postgres")["as_text"].split():
        adapters.register_loader(name, _TextLoader)
    for name in ("timestamp", "timestamptz"):
        adapters.register_loader(name, _DatetimeLoader)
    for name in ("time", "timetz"):
        adapters.register_loader(name, _TimeLoader)


def columns_of(result: pq.abc.PGresult, connection: psycopg.Connection[Any]) -> Columns:
    """Names and type names of a result, which may have no rows."""
    return [
        (
            (result.fname(index) or b"").decode("utf-8", "replace"),
            _type_name(connection, result.ftype(index), result.fmod(index)),
        )
        for index in range(result.nfields)
    ]


def _type_name(connection: psycopg.Connection[Any], oid: int, modifier: int) -> str:
    info = connection.adapters.types.get(oid)
    return info.get_type_display(oid, modifier) if info is not None else "unknown"


# -- the catalogue ----------------------------------------------------------------------------------------------------

COLUMNS, KEYS = (SQL[name].replace("{schemas}", SQL["schemas"]) for name in ("columns", "keys"))
