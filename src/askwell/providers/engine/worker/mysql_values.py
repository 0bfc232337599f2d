"""Values and types of MySQL and MariaDB, as the driver hands them over.

Dates, times and decimals come as the database's own text: Python's types know neither `0000-00-00` nor a time of
838 hours.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from pymysql.constants import FIELD_TYPE, FLAG
from pymysql.converters import conversions, through

from askwell.providers.engine.worker.session import Columns

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
