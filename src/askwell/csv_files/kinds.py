"""Kinds of values in SQL, and which of them all values of a column of the temporary table `raw` are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

_FIRST_ROWS = 10_000
FIRST_ROWS = f"FROM raw LIMIT {_FIRST_ROWS}"
ALL_ROWS = "FROM raw"


@dataclass(frozen=True, slots=True)
class Kind:
    """`condition` holds for values of the kind, and `value` turns one into its `type`; @ is the text in both."""

    type: str
    condition: str
    value: str


def matching(pattern: str) -> str:
    """The condition that a text is like the pattern, from its begin to its end."""
    return f"regexp_full_match(@, {sql_text(pattern)})"


def all_fitting(connection: duckdb.DuckDBPyConnection, value: str, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds that every value is of."""
    # Most kinds fail within the first rows, and need not be tried on the others.
    return fitting(connection, value, fitting(connection, value, kinds, FIRST_ROWS), ALL_ROWS)


def fitting(connection: duckdb.DuckDBPyConnection, value: str, kinds: Sequence[Kind], rows: str) -> list[Kind]:
    """The kinds that every value in these rows is of."""
    values, counts = counted(connection, value, kinds, rows)
    return [kind for kind, count in zip(kinds, counts, strict=True) if count == values]


def counted(
    connection: duckdb.DuckDBPyConnection, value: str, kinds: Sequence[Kind], rows: str
) -> tuple[int, list[int]]:
    """How many values there are in these rows, and how many of each kind."""
    if not kinds:
        return 0, []
    counts = ", ".join(f"count_if({one.condition})" for one in kinds).replace("@", "value")
    found: Any = connection.execute(f"SELECT count(value), {counts} FROM (SELECT {value} AS value {rows})").fetchone()
    return found[0], list(found[1:])


def sql_text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
