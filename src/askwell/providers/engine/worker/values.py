"""Database values as JSON.

Numbers stay numbers while a JSON reader can hold them exactly (integers up to 2^53 - 1, finite floats); beyond that,
and for decimals, they become text, so that nothing is rounded on the way. Dates and times are ISO 8601 text, blobs
base64 text, nested values lists and objects.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import json
import math
from collections.abc import Iterable
from typing import Any

MAX_EXACT_INTEGER = 2**53 - 1

_encode_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def row_as_json(row: Iterable[Any]) -> str:
    """One row as a JSON array."""
    return _encode_json([encode(value) for value in row])


def encode(value: Any) -> Any:
    """`value` in terms of JSON; a type nobody foresaw becomes its text."""
    match value:
        case None | str() | bool():
            return value
        case int():
            return value if -MAX_EXACT_INTEGER <= value <= MAX_EXACT_INTEGER else str(value)
        case float():
            return value if math.isfinite(value) else _name_of_non_finite(value)
        case decimal.Decimal():
            return format(value, "f")
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case datetime.timedelta():
            return _duration(value)
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(value).decode("ascii")
        case list() | tuple():
            return [encode(item) for item in value]
        case dict():
            return {_key(key): encode(item) for key, item in value.items()}
        case _:
            return str(value)


def _key(key: Any) -> str:
    encoded = encode(key)
    return encoded if isinstance(encoded, str) else _encode_json(encoded)


def _name_of_non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _duration(value: datetime.timedelta) -> str:
    """ISO 8601, in days and seconds: `P3DT4.5S`, `-P1D`."""
    sign = "-" if value < datetime.timedelta(0) else ""
    value = abs(value)
    seconds = f"{value.seconds + value.microseconds / 1_000_000:.6f}".rstrip("0").rstrip(".")
    days = f"{value.days}D" if value.days else ""
    time = f"T{seconds}S" if seconds != "0" or not days else ""
    return f"{sign}P{days}{time}"
