"""Kinds of values in SQL, and which of them all values of a column of the temporary table `raw` are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

MOST_FIRST_ROWS = 10_000
FIRST_ROWS = f"FROM raw LIMIT {MOST_FIRST_ROWS}"
ALL_ROWS = "FROM raw"
# Planning the conditions takes longer than counting a column of a few rows: columns are counted together. Their values
# stand in one list for each row, which bounds how many at once.
_COLUMNS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Kind:
    """`condition` holds for values of the kind, and `value` turns one into its `type`; @ is the text in both."""

    type: str
    condition: str
    value: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many values SQL gives for the rows that were looked at, and how many of them are of each kind."""

    values: int
    of_kind: Mapping[Kind, int]

    def fitting(self, kinds: Sequence[Kind]) -> list[Kind]:
        """The kinds that every value is of."""
        return [kind for kind in kinds if self.of_kind[kind] == self.values]


def matching(pattern: str) -> str:
    """The condition that a text is like the pattern, from its begin to its end."""
    return f"regexp_full_match(@, {sql_text(pattern)})"


def all_fitting(connection: duckdb.DuckDBPyConnection, value: str, kinds: Sequence[Kind]) -> list[Kind]:
    """The kinds that every value is of."""
    # Most kinds fail within the first rows, and need not be tried on the others.
    return fitting(connection, value, fitting(connection, value, kinds, FIRST_ROWS), ALL_ROWS)


def fitting(connection: duckdb.DuckDBPyConnection, value: str, kinds: Sequence[Kind], rows: str) -> list[Kind]:
    """The kinds that every value in these rows is of."""
    return counted(connection, [value], kinds, rows)[0].fitting(kinds)


def counted(
    connection: duckdb.DuckDBPyConnection, values: Sequence[str], kinds: Sequence[Kind], rows: str, made_of: str = "@"
) -> list[Counts]:
    """The counts in these rows for each of `values`, SQL for the values of a column. Counted is what `made_of` makes of
    one, SQL in which @ is the value: written into each of `values`, it would be planned for each."""
    if not kinds:
        return [Counts(0, {}) for _ in values]
    found: list[Counts] = []
    counts = ", ".join(f"count_if({one.condition})" for one in kinds).replace("@", "value")
    for start in range(0, len(values), _COLUMNS_AT_ONCE):
        some = values[start : start + _COLUMNS_AT_ONCE]
        lists = f"SELECT [{', '.join(some)}] AS cells {rows}"
        cells = f"SELECT unnest(range({len(some)})) AS number, unnest(cells) AS cell FROM ({lists})"
        made = f"SELECT number, {made_of.replace('@', 'cell')} AS value FROM ({cells})"
        told = connection.execute(f"SELECT number, count(value), {counts} FROM ({made}) GROUP BY number").fetchall()
        by_number = {number: Counts(count, dict(zip(kinds, of, strict=True))) for number, count, *of in told}
        found += [by_number[number] if number in by_number else _nothing(kinds) for number in range(len(some))]
    return found


def _nothing(kinds: Sequence[Kind]) -> Counts:
    return Counts(0, dict.fromkeys(kinds, 0))


def sql_text(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
