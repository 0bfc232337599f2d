"""What a statement gives on the database, and whether that shows what another one gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from askwell.providers.engine.base import Engine, QueryFailure
from askwell.sql.same_result import Row, same_result

_SECONDS = 30.0
_MOST_ROWS = 100_000
_MOST_ARRANGEMENTS = 500
# Engines give decimals as text, which would tell 1.5 from 1.50.
_DECIMAL = re.compile(r"\s*(decimal|numeric|number|bignumeric|money)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueryBroke:
    """The database refused the query, or it ran out of its time."""

    message: str


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Rows with the names of their columns; without names where a file gave the rows."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


async def run_query(engine: Engine, sql: str) -> QueryResult | QueryBroke:
    """All rows of a statement, or why the database refuses it. Raises `EngineUnavailable`."""
    found = await engine.execute(sql, row_limit=_MOST_ROWS, timeout=_SECONDS)
    if isinstance(found, QueryFailure):
        return QueryBroke(found.message)
    decimals = [bool(_DECIMAL.match(column.type)) for column in found.columns]
    rows = found.rows
    if any(decimals):
        rows = tuple(tuple(_number(v) if d else v for v, d in zip(row, decimals, strict=True)) for row in rows)
    return QueryResult(tuple(column.name for column in found.columns), rows)


def shows(wanted: Sequence[Row], given: Sequence[Row], *, ordered: bool) -> bool:
    """Whether the given rows are the wanted ones when only some of their columns, in any order, are looked at: a public
    benchmark fixes which columns are shown, a business user does not."""
    if len(wanted) != len(given):
        return False
    if not wanted:
        return True
    fitting = [[j for j in range(len(given[0])) if _same_column(wanted, i, given, j)] for i in range(len(wanted[0]))]
    chosen = (columns for columns in product(*fitting) if len(set(columns)) == len(columns))
    return any(
        same_result(wanted, [tuple(row[j] for j in columns) for row in given], ordered=ordered)
        for columns in islice(chosen, _MOST_ARRANGEMENTS)
    )


def is_ordered(sql: str, dialect: str) -> bool:
    """Whether the outermost query of a statement has an ORDER BY; False where it cannot be parsed."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except SqlglotError:
        return False
    return isinstance(tree, exp.Query) and tree.args.get("order") is not None


def _same_column(wanted: Sequence[Row], i: int, given: Sequence[Row], j: int) -> bool:
    return same_result([(row[i],) for row in wanted], [(row[j],) for row in given], ordered=False)


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value
