"""PostgreSQL's values and types, as the driver hands them over.

Most types come in the database's own text, which is exact and never fails to convert; Python's own date types know
neither infinity nor the years before Christ, its decimals no more than the text does, and its intervals no months.
"""

from __future__ import annotations

import datetime
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import Buffer, Loader
from psycopg.types import TypeInfo

from askwell.providers.engine.worker.session import Columns

# What the driver would turn into something less exact, or fail to convert. Text stays text too, whatever its bytes.
_AS_TEXT = """
text varchar bpchar name json jsonb numeric uuid inet cidr date interval record int4range int8range numrange daterange
tsrange tstzrange int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange
""".split()  # noqa: SIM905 - a list of names reads better as words
_OTHER_TYPES = 0

# Types that this database has of its own, whose arrays are lists of them; not those that every table has for its rows.
_OWN_TYPES = """
SELECT t.oid, t.typarray, format_type(t.oid, NULL)
FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.oid >= 16384 AND t.typelem = 0 AND t.typarray <> 0 AND t.typtype IN ('b', 'c', 'd', 'e', 'm', 'r')
  AND (c.oid IS NULL OR c.relkind = 'c')
LIMIT 2000
"""


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
    for oid, array_oid, name in connection.execute(_OWN_TYPES).fetchall():
        TypeInfo(str(name), oid, array_oid).register(connection)
    adapters = connection.adapters
    adapters.register_loader(_OTHER_TYPES, _TextLoader)
    for name in _AS_TEXT:
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
