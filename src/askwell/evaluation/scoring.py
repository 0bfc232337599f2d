"""Execution accuracy: is a predicted query's result the gold query's result?

Results are compared as multisets of rows, numbers to one part in a million, column names ignored; as lists only where
the gold's outermost query has an ORDER BY.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.errors import InvalidRequest

RELATIVE_TOLERANCE = 1e-6

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class QueryBroke:
    """The database refused the query, or it ran out of its time."""

    message: str


class SqliteReader:
    """A connection that runs queries with a time limit: a read-only one to a file, or one that is given, which it
    closes. Not for use by several threads. Raises `InvalidRequest` for a file that is no SQLite database."""

    def __init__(self, source: Path | sqlite3.Connection, timeout: float = 20.0) -> None:
        self._timeout = timeout
        self._connection = _opened(source) if isinstance(source, Path) else source
        self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection itself, for reading the schema."""
        return self._connection

    def run(self, sql: str, row_limit: int = 200_000) -> list[Row] | QueryBroke:
        """All rows (at most `row_limit`), or what went wrong."""
        deadline = time.monotonic() + self._timeout
        self._connection.set_progress_handler(lambda: time.monotonic() > deadline, 20_000)
        try:
            with closing(self._connection.execute(sql)) as cursor:
                return cursor.fetchmany(row_limit)
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as broke:
            return QueryBroke(str(broke))
        finally:
            self._connection.set_progress_handler(None, 0)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as broke:
        connection.close()
        raise InvalidRequest(f"{path} cannot be read: {broke}.", "It has to be a SQLite database.") from broke
    return connection


def parsed_query(sql: str, dialect: str) -> exp.Query | None:
    """The query; None where it cannot be parsed, or is none."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except SqlglotError:
        return None
    return tree if isinstance(tree, exp.Query) else None


def is_ordered(sql: str, dialect: str) -> bool:
    """Whether the outermost query of a statement has an ORDER BY; False where it cannot be parsed."""
    tree = parsed_query(sql, dialect)
    return tree is not None and tree.args.get("order") is not None


def same_result(gold: Sequence[Row], predicted: Sequence[Row], *, ordered: bool) -> bool:
    """Whether two results are the same, as this module's docstring says."""
    if len(gold) != len(predicted):
        return False
    if gold and len(gold[0]) != len(predicted[0]):
        return False
    if ordered:
        return all(_same_row(a, b) for a, b in zip(gold, predicted, strict=True))
    left = sorted(gold, key=_sort_key)
    right = sorted(predicted, key=_sort_key)
    return all(_same_row(a, b) for a, b in zip(left, right, strict=True))


def _same_row(a: Row, b: Row) -> bool:
    return all(_same_value(x, y) for x, y in zip(a, b, strict=True))


def _same_value(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)
    return bool(a == b)


def _sort_key(row: Row) -> tuple[tuple[int, Any], ...]:
    """Sorts rows of mixed types; numbers are rounded so that two results within the tolerance sort alike."""
    return tuple(_value_key(value) for value in row)


def _value_key(value: Any) -> tuple[int, Any]:
    match value:
        case None:
            return (0, 0)
        case bool() | int() | float():
            return (1, float(f"{float(value):.6g}") if abs(value) < 1e300 else float(value))
        case str():
            return (2, value)
        case bytes():
            return (3, value)
        case _:
            return (4, repr(value))
