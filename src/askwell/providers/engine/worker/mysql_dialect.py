"""Ways of MySQL and MariaDB: what their errors mean, how their values come, and what their catalogue says.

Dates, times and decimals come as the database's own text: Python's types know neither `0000-00-00` nor a time of
838 hours.
"""

from __future__ import annotations

import datetime
import re
import socket
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import pymysql
from pymysql.constants import FIELD_TYPE, FLAG
from pymysql.converters import conversions, through

from askwell.providers.engine.worker.outcomes import Rejected, Trouble, Unusable, about_rows, in_its_words
from askwell.providers.engine.worker.session import Columns

# -- errors -----------------------------------------------------------------------------------------------------------

# Numbers: https://mariadb.com/kb/en/mariadb-error-code-reference/ and MySQL's server error reference.
_OUT_OF_TIME = {
    1969: "The statement ran out of time.",
    3024: "The statement ran out of time.",
    1317: "The statement was stopped.",
    1205: "The statement waited too long for a table that somebody else has locked.",
}
_OUT_OF_RESOURCES = frozenset({3, 1021, 1037, 1038, 1041, 1114, 1119, 1153, 1301, 1436, 3636, 4031})
_ENDED = frozenset({1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 2014, 2055})
# These quote names of the statement, never values of rows.
_ABOUT_THE_TEXT = frozenset(
    {1051, 1052, 1054, 1055, 1056, 1060, 1064, 1066, 1109, 1110, 1111, 1116, 1140, 1142, 1143, 1146, 1222, 1241, 1242}
    | {1248, 1305, 1370, 1463, 1582, 1583, 1630, 4078}
)
_TROUBLES = {
    **dict.fromkeys(_ABOUT_THE_TEXT, Trouble.NAMES),
    1054: Trouble.NO_SUCH_NAME,
    1146: Trouble.NO_SUCH_NAME,
    1064: Trouble.SYNTAX,
    1142: Trouble.RIGHTS,
    1143: Trouble.RIGHTS,
    1370: Trouble.RIGHTS,
    1235: Trouble.UNSUPPORTED,
    1264: Trouble.RANGE,
    1690: Trouble.RANGE,
    1365: Trouble.ZERO,
    1292: Trouble.VALUE,
    1366: Trouble.VALUE,
    1411: Trouble.VALUE,
}
_TO_USER = re.compile(r" (?:to|for|by) user '[^']*'@'[^']*'")

UNKNOWN_TIMEZONE = 1298

_CONNECTING = {
    1040: "too_many_connections",
    1041: "too_many_connections",
    1044: "not_allowed",
    1045: "login",
    1049: "unknown_database",
    1053: "starting",
    1129: "not_allowed",
    1130: "not_allowed",
    1203: "too_many_connections",
    1226: "too_many_connections",
    1251: "login_method",
    UNKNOWN_TIMEZONE: "timezone",
    1698: "login",
    2013: "dropped",
    2026: "tls",
    2059: "login_method",
    3118: "not_allowed",
    3159: "tls",
    4151: "login",
}

# A result that MariaDB or MySQL cut short without calling it an error.
CUT_SHORT = {
    1260: "A group_concat came out longer than it may be.",
    1301: "A text came out longer than it may be.",
    1931: "The recursion did not end within its limit.",
}


def outcome_of(error: pymysql.Error, sql: str) -> Rejected | Unusable:
    """What an error that a statement met means."""
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    message = str(error.args[1]) if len(error.args) > 1 else ""
    if number in _OUT_OF_TIME:
        return Rejected("timeout", _OUT_OF_TIME[number])
    if number in _ENDED or isinstance(error, pymysql.InterfaceError):
        return Unusable("dropped")
    if number in _OUT_OF_RESOURCES:
        return about_rows("resources", message, sql, Trouble.RESOURCES)
    if not number:
        return Rejected("error", "The database's driver refused the statement.")
    message = _TO_USER.sub("", message)
    trouble = _TROUBLES.get(number, Trouble.OTHER)
    if number in _ABOUT_THE_TEXT:
        return in_its_words("error", message, trouble)
    return about_rows("error", message, sql, trouble)


def connecting_trouble(error: Exception) -> Unusable:
    """Why there is no connection. The driver's words name host and user, so they are only for the service's log."""
    words = " ".join(str(part) for part in error.args)
    number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    if isinstance(error, RuntimeError):
        return Unusable("login_method", words)
    if isinstance(error, OSError):
        return Unusable("tls", words)  # a certificate that cannot be read
    if number == 2013 and "timed out" in words:
        return Unusable("unreachable", words)
    if number != 2003:
        return Unusable(_CONNECTING.get(number, "other"), words)
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, socket.gaierror):
        return Unusable("unknown_host", words)
    return Unusable("refused" if isinstance(cause, ConnectionRefusedError) else "unreachable", words)


# -- values -----------------------------------------------------------------------------------------------------------

_BINARY_CHARSET = 63

_TYPE_NAMES = {
    FIELD_TYPE.DECIMAL: "DECIMAL",
    FIELD_TYPE.TINY: "TINYINT",
    FIELD_TYPE.SHORT: "SMALLINT",
    FIELD_TYPE.LONG: "INT",
    FIELD_TYPE.FLOAT: "FLOAT",
    FIELD_TYPE.DOUBLE: "DOUBLE",
    FIELD_TYPE.NULL: "NULL",
    FIELD_TYPE.TIMESTAMP: "TIMESTAMP",
    FIELD_TYPE.LONGLONG: "BIGINT",
    FIELD_TYPE.INT24: "MEDIUMINT",
    FIELD_TYPE.DATE: "DATE",
    FIELD_TYPE.NEWDATE: "DATE",
    FIELD_TYPE.TIME: "TIME",
    FIELD_TYPE.DATETIME: "DATETIME",
    FIELD_TYPE.YEAR: "YEAR",
    FIELD_TYPE.BIT: "BIT",
    FIELD_TYPE.JSON: "JSON",
    FIELD_TYPE.NEWDECIMAL: "DECIMAL",
    FIELD_TYPE.GEOMETRY: "GEOMETRY",
    FIELD_TYPE.ENUM: "ENUM",
    FIELD_TYPE.SET: "SET",
}
# Text and bytes share their codes; the character set tells them apart.
_TEXT_AND_BYTES = {
    FIELD_TYPE.VARCHAR: ("VARCHAR", "VARBINARY"),
    FIELD_TYPE.VAR_STRING: ("VARCHAR", "VARBINARY"),
    FIELD_TYPE.STRING: ("CHAR", "BINARY"),
    FIELD_TYPE.TINY_BLOB: ("TEXT", "BLOB"),
    FIELD_TYPE.MEDIUM_BLOB: ("TEXT", "BLOB"),
    FIELD_TYPE.LONG_BLOB: ("TEXT", "BLOB"),
    FIELD_TYPE.BLOB: ("TEXT", "BLOB"),
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
    FIELD_TYPE.DECIMAL: through,
    FIELD_TYPE.NEWDECIMAL: through,
    FIELD_TYPE.DATE: through,
    FIELD_TYPE.TIME: through,
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
    if code in _TEXT_AND_BYTES:
        if field.flags & FLAG.ENUM:
            return "ENUM"
        if field.flags & FLAG.SET:
            return "SET"
        text, binary = _TEXT_AND_BYTES[code]
        return binary if field.charsetnr == _BINARY_CHARSET else text
    name = _TYPE_NAMES.get(code, "unknown")
    return f"{name} UNSIGNED" if code in _INTEGERS and code != FIELD_TYPE.YEAR and field.flags & FLAG.UNSIGNED else name


# -- the catalogue ----------------------------------------------------------------------------------------------------

# There is no schema: the database is the connection's.
COLUMNS = """
SELECT NULL, t.table_name, t.table_type LIKE '%VIEW', c.column_name, c.column_type, c.is_nullable = 'NO',
  c.column_comment, CASE WHEN t.table_type LIKE '%VIEW' THEN '' ELSE t.table_comment END
FROM information_schema.tables t
LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = DATABASE() ORDER BY t.table_name, c.ordinal_position
"""

KEYS = """
SELECT table_name, constraint_name, referenced_table_name, column_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() AND (constraint_name = 'PRIMARY' OR referenced_table_schema = DATABASE())
ORDER BY table_name, constraint_name, ordinal_position
"""

# Those that the role may execute, in lower case.
STORED_FUNCTIONS = """
SELECT DISTINCT lower(routine_name) FROM information_schema.routines
WHERE routine_schema = DATABASE() AND routine_type = 'FUNCTION'
"""

GRANTS = "SHOW GRANTS"

# Without ANSI_QUOTES and NO_BACKSLASH_ESCAPES, which our sessions do not have.
_PIECE = re.compile(
    r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`((?:[^`]|``)*)`|([\w$]+)|\s+|/\*.*?\*/|(?:\#|--\s)[^\n]*|.""",
    re.DOTALL,
)

_RIGHTS = (
    (
        re.compile(r"\b(ALL PRIVILEGES|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|INDEX|SUPER|GRANT OPTION|\w+_ADMIN)\b"),
        "may change data",
    ),
    (re.compile(r"\b(ALL PRIVILEGES|FILE)\b"), "may use files of the server"),
    (re.compile(r"\b(ALL PRIVILEGES|EXECUTE)\b"), "may execute stored functions"),
    (re.compile(r"\b(ALL PRIVILEGES|SUPER|CONNECTION ADMIN|CONNECTION_ADMIN)\b"), "may end the sessions of others"),
)


def keys_of(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows of `KEYS`, one a column, as one a key, for `physical_tables`."""
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
    return [words for pattern, words in _RIGHTS if pattern.search(granted)]
