"""Values of DuckDB that its driver would change, and how a query is written that gives them as they are.

The driver turns a month into thirty days, knows no nanoseconds, and gives the last day that Python knows for infinity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

# These come in DuckDB's own words, also inside of lists and the like. What is quoted is a name or a value.
_QUOTED = r"""("(?:[^"]|"")*"|'(?:[^']|'')*')"""
_LOSSY = re.compile(rf"{_QUOTED}|\b(?:INTERVAL|TIMESTAMP_NS)\b")
# A day inside of a list is the same in DuckDB's words, but for infinity.
_LOSSY_INSIDE = re.compile(rf"{_QUOTED}|\b(?:INTERVAL|TIMESTAMP_NS|DATE)\b")
_MAY_BE_INFINITE = frozenset(
    ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
)

Columns = Sequence[tuple[str, str]]
Row = tuple[Any, ...]


def exact_query(sql: str, columns: Columns) -> str | None:
    """The same query with its columns as types that the driver loses nothing of; None where it loses nothing anyway.
    Behind them stands one more for each that may be infinite: the word for it where it is, else NULL."""
    names = [f"c{number}" for number in range(len(columns))]
    wanted = [_exact(type_name) for _, type_name in columns]
    endless = _endless(columns)
    if not endless and wanted == [type_name for _, type_name in columns]:
        return None
    outputs = [
        name if exact == type_name else f"CAST({name} AS {exact})"
        for name, exact, (_, type_name) in zip(names, wanted, columns, strict=True)
    ]
    outputs += [f"CASE WHEN isinf({names[place]}) THEN CAST({names[place]} AS VARCHAR) END" for place in endless]
    inner = sql.strip().rstrip(";")
    return f"SELECT {', '.join(outputs)} FROM ({inner}\n) AS q({', '.join(names)})"


def with_infinity(row: Row, columns: Columns) -> Row:
    """A row of such a query without what stands behind its columns: infinite values are the word for it."""
    words = row[len(columns) :]
    if not any(words):
        return row[: len(columns)]
    values = list(row[: len(columns)])
    for place, word in zip(_endless(columns), words, strict=True):
        if word is not None:
            values[place] = word
    return tuple(values)


def _exact(type_name: str) -> str:
    lossy = _LOSSY if type_name in _MAY_BE_INFINITE else _LOSSY_INSIDE
    return lossy.sub(lambda found: found[1] or "VARCHAR", type_name)


def _endless(columns: Columns) -> list[int]:
    return [place for place, (_, type_name) in enumerate(columns) if type_name in _MAY_BE_INFINITE]
