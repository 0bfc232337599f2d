"""Ways of MySQL and MariaDB: what their errors mean, how their values come, and what their catalogue says.

Dates, times and decimals come as the database's own text: Python's types know neither `0000-00-00` nor a time of
838 hours.
"""

from __future__ import annotations

import datetime
import re
import socket
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE, FLAG
from pymysql.converters import conversions, through

from askwell.providers.engine.worker.outcomes import Rejected, Unusable, meaning_of, server_outcome, statements, ways_of
from askwell.providers.engine.worker.session import Columns

# -- errors -----------------------------------------------------------------------------------------------------------

_TO_USER = re.compile(r" (?:to|for|by) user '[^']*'@'[^']*'")

UNKNOWN_TIMEZONE = 1298


def outcome_of(error: pymysql.Error, sql: str) -> Rejected | Unusable:
    """What an error that a statement met means."""
    if isinstance(error, pymysql.InterfaceError):
        return Unusable("dropped")
    message = _TO_USER.sub("", str(error.args[1])) if len(error.args) > 1 else ""
    return server_outcome("mysql", _code(error), message, sql)


def _code(error: Exception) -> str:
    number = error.args[0] if error.args else 0
    return str(number) if isinstance(number, int) and number else ""


def connecting_trouble(error: Exception) -> Unusable:
    """Why there is no connection. The driver's words name host and user, so they are only for the service's log."""
    words = " ".join(str(part) for part in error.args)
    code = _code(error)
    if isinstance(error, RuntimeError):
        return Unusable("login_method", words)
    if isinstance(error, OSError):
        return Unusable("tls", words)  # a certificate that cannot be read
    if code == "2013" and "timed out" in words:
        return Unusable("unreachable", words)
    if code != "2003":
        return Unusable(meaning_of("mysql", "connecting", code) or "other", words)
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, socket.gaierror):
        return Unusable("unknown_host", words)
    return Unusable("refused" if isinstance(cause, ConnectionRefusedError) else "unreachable", words)


# -- values -----------------------------------------------------------------------------------------------------------

_BINARY_CHARSET = 63

_TYPE_NAMES: Mapping[int, str | list[str]] = {
    getattr(FIELD_TYPE, name): called for name, called in ways_of("mysql")["types"].items()
}
_INTEGERS = frozenset(
    {FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.INT24, FIELD_TYPE.YEAR}
)


def _moment(text: str) -> str:
    """ISO 8601, or the database's own text for what is no real moment."""
    try:
        return datetime.datetime.fromisoformat(text).isoformat()
    except ValueError:
        return text


CONVERSIONS: dict[Any, Any] = {
    **conversions,
    **dict.fromkeys((FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL, FIELD_TYPE.DATE, FIELD_TYPE.TIME), through),
    FIELD_TYPE.BIT: through,
    FIELD_TYPE.DATETIME: _moment,
    FIELD_TYPE.TIMESTAMP: _moment,
}
"""The driver's own ones, except where they lose something. Keys are types, for reading and for writing."""


def columns_of(fields: Iterable[Any]) -> Columns:
    """Names and type names from the driver's descriptions of columns."""
    return [(field.name, _type_name(field)) for field in fields]


def bit_widths(fields: Iterable[Any]) -> dict[int, int]:
    """Which columns are bit fields, and how many bits each has."""
    return {index: field.length for index, field in enumerate(fields) if field.type_code == FIELD_TYPE.BIT}


def with_bits_as_text(row: tuple[Any, ...], widths: dict[int, int]) -> tuple[Any, ...]:
    """`b'101'` as `101`: the driver hands over the bytes that hold it."""
    return tuple(
        format(int.from_bytes(value, "big"), f"0{widths[index]}b") if index in widths and value is not None else value
        for index, value in enumerate(row)
    )


def _type_name(field: Any) -> str:
    code = field.type_code
    name = _TYPE_NAMES.get(code, "unknown")
    if isinstance(name, list):
        if field.flags & FLAG.ENUM:
            return "ENUM"
        if field.flags & FLAG.SET:
            return "SET"
        text, binary = name
        return binary if field.charsetnr == _BINARY_CHARSET else text
    return f"{name} UNSIGNED" if code in _INTEGERS and code != FIELD_TYPE.YEAR and field.flags & FLAG.UNSIGNED else name


# -- the catalogue ----------------------------------------------------------------------------------------------------

SQL = statements("mysql.sql")

# Without ANSI_QUOTES and NO_BACKSLASH_ESCAPES, which our sessions do not have.
_PIECE = re.compile(
    r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`((?:[^`]|``)*)`|([\w$]+)|\s+|/\*.*?\*/|(?:\#|--\s)[^\n]*|.""",
    re.DOTALL,
)


def keys_of(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows of `keys`, one a column, as one a key, for `physical_tables`."""
    for (table, _, to_table), some in groupby(rows, key=lambda row: row[:3]):
        pairs = [row[3:] for row in some]
        yield to_table is None, None, table, [own for own, _ in pairs], None, to_table, [other for _, other in pairs]


def called(sql: str) -> Iterator[str]:
    """Names in front of a bracket, in lower case, but for those that AS gives."""
    name = before = ""
    for piece in _PIECE.finditer(sql):
        if piece[0].isspace() or piece[0].startswith(("/*", "#", "--")):
            continue
        if piece[0] == "(" and name and before != "as":
            yield name
        before, name = name, (piece[1] or piece[2] or "").replace("``", "`").lower()


def rights(grants: list[str]) -> list[str]:
    """What the granted rights allow besides reading, in words that fit after "the role"."""
    granted = " ".join(grant.partition(" ON ")[0] for grant in grants).upper()
    return [words for words, names in ways_of("mysql")["rights"].items() if re.search(rf"\b({names})\b", granted)]
