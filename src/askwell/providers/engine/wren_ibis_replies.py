"""What an ibis-server answers, in our terms. The facts are listed in `wren_ibis.py`."""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from askwell.providers.engine.base import (
    ForeignKey,
    PhysicalColumn,
    PhysicalSchema,
    PhysicalTable,
    QueryFailure,
    QueryRows,
    ResultColumn,
)
from askwell.providers.engine.worker.outcomes import Trouble, withheld, without_values
from askwell.providers.engine.worker.values import encode
from askwell.providers.engine.wren_ibis_server import unusable

_MESSAGE_LENGTH = 300
# What follows lists names that nobody asked for.
_OTHER_NAMES = re.compile(r"\s*(Valid fields are|Did you mean|Column names are|Candidate).*", re.IGNORECASE | re.DOTALL)
# The server cannot reach its database, or does not know what it is asked for.
_SETTING_UP = frozenset({"GET_CONNECTION_ERROR", "INVALID_CONNECTION_INFO", "MDL_NOT_FOUND", "NOT_IMPLEMENTED"})
# The planner puts the model's own catalog and schema before what it was asked for.
_OWN_SCHEMA = re.compile(r"'[\w-]+\.[\w-]+\.([^']+)'")
_PARSER = re.compile(r"ParserError\(\"(.*?)(?: at Line: \d+, Column: \d+)?\"\)", re.DOTALL)
_DECIMAL = re.compile(r"decimal\d*\(\d+, (\d+)\)")


def query_rows(reply: bytes, row_limit: int) -> QueryRows:
    """At most `row_limit` rows of a reply to a query. Raises `EngineUnavailable` for what is no such reply."""
    try:
        content = json.loads(reply)
        types = content["dtypes"]
        columns = [ResultColumn(str(name), str(types.get(name, "unknown"))) for name in content["columns"]]
        return typed_rows(columns, content["data"], row_limit)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise unusable("It gave no usable reply to a query") from error


def typed_rows(columns: Sequence[ResultColumn], data: Sequence[Any], row_limit: int) -> QueryRows:
    """At most `row_limit` of the rows, each value read by the Arrow type of its column. Raises what goes with rows of
    another shape."""
    readers = [_reader(column.type) for column in columns]
    rows = tuple(
        tuple(None if value is None else read(value) for read, value in zip(readers, row, strict=True))
        for row in data[:row_limit]
    )
    return QueryRows(tuple(columns), rows, truncated=len(data) > row_limit)


def failure_of(
    status: int, reply: bytes, sql: str, secrets: Sequence[str], *, hides_rows: bool = False
) -> QueryFailure:
    """What became of a statement that did not succeed. Raises `EngineUnavailable` where it is not the statement's
    fault."""
    error = _error(reply)
    code, phase = str(error.get("errorCode") or ""), str(error.get("phase") or "")
    if status == 504 or code == "DATABASE_TIMEOUT":
        return QueryFailure("timeout", "The statement did not finish within the time limit of the ibis-server.")
    about_statement = status == 422 and isinstance(error.get("message"), str)
    if code in _SETTING_UP or not (about_statement or phase.startswith("SQL_")):
        raise unusable(f"It answered with HTTP {status}{f' ({code})' if re.fullmatch('[A-Z_]+', code) else ''}")
    if hides_rows:
        return QueryFailure("error", withheld(Trouble.OTHER))
    return QueryFailure("error", in_short(str(error.get("message")), sql, secrets))


def physical_schema(tables: Any, constraints: Any) -> PhysicalSchema:
    """Tables and constraints as the metadata routes give them. Raises what goes with another shape."""
    names = {str(table["name"]): _own_name(table) for table in tables}
    keys: dict[str, list[ForeignKey]] = defaultdict(list)
    grouped: dict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
    for one in constraints:
        if one["constraintType"] == "FOREIGN KEY":
            place = (one["constraintTable"], one["constraintName"], one["constraintedTable"])
            grouped[place].append((one["constraintColumn"], one["constraintedColumn"]))
    for (table, _, target), pairs in grouped.items():
        here, there = zip(*pairs, strict=True)
        keys[table].append(ForeignKey(here, names.get(target, target.rpartition(".")[2]), there))
    return PhysicalSchema(tuple(_table(table, tuple(keys[table["name"]])) for table in tables))


def _table(table: Mapping[str, Any], foreign_keys: tuple[ForeignKey, ...]) -> PhysicalTable:
    columns = (PhysicalColumn(c["name"], c["type"], bool(c.get("notNull"))) for c in table["columns"])
    return PhysicalTable(
        name=_own_name(table),
        schema=(table.get("properties") or {}).get("schema"),
        columns=tuple(columns),
        primary_key=(table["primaryKey"],) if table.get("primaryKey") else (),
        foreign_keys=foreign_keys,
    )


def _own_name(table: Mapping[str, Any]) -> str:
    return str((table.get("properties") or {}).get("table") or table["name"])


def _error(reply: bytes) -> Mapping[str, Any]:
    try:
        error = json.loads(reply)
    except (ValueError, RecursionError):
        return {}
    return error if isinstance(error, Mapping) else {}


def in_short(message: str, sql: str, secrets: Sequence[str] = ()) -> str:
    """The line that says what is wrong, without values of rows, other names or the statement that was made of ours."""
    for secret in secrets:
        message = message.replace(secret, "…")
    # The planner wraps errors: `… caused by`, then what is wrong, on a line of its own.
    message = _OTHER_NAMES.sub("", re.split(r"\bcaused by\s*\n", message)[-1])
    message = _OWN_SCHEMA.sub(r"'\1'", _PARSER.sub(r"\1", message))
    line = next((line.strip() for line in message.splitlines() if line.strip()), "The statement is not accepted.")
    return without_values(line, sql)[:_MESSAGE_LENGTH]


def _reader(arrow_type: str) -> Callable[[Any], Any]:
    if match := _DECIMAL.match(arrow_type):
        return lambda value: _decimal(value, int(match[1]))
    if arrow_type.startswith("timestamp"):
        return _timestamp
    if arrow_type.startswith(("int", "uint")):
        # Beside nulls the server has floats for integers.
        return lambda value: encode(int(value) if isinstance(value, float) and value.is_integer() else value)
    if arrow_type.startswith(("binary", "large_binary", "fixed_size_binary")):
        return lambda value: base64.b64encode(bytes.fromhex(value)).decode("ascii")
    return encode


def _decimal(value: Any, scale: int) -> str:
    try:
        number = Decimal(str(value))
        rounded = round(number, scale)
    except InvalidOperation:
        return str(value)
    # The server makes every decimal one of nine places; those at the end that say nothing are not the database's.
    text = format(rounded, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _timestamp(value: Any) -> str:
    """ISO 8601 of `2024-01-31 10:00:00.000000 UTC`; a zone that is not UTC, or an offset, stays as it is written."""
    match = re.fullmatch(r"(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?: (UTC|[+-]\d\d:?\d\d))?", str(value))
    if match is None:
        return str(value)
    day, time, fraction, zone = match.groups()
    fraction = f".{fraction}" if fraction and fraction.strip("0") else ""
    return f"{day}T{time}{fraction}{'+00:00' if zone == 'UTC' else zone or ''}"
