"""Small questions about the values of a database, asked within bounds: does a column tell rows apart, are the values of
one column among those of another."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlglot import exp

from askwell.errors import AskwellError
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.semantic_model import Relationship, SemanticModel, Table
from askwell.mdl.types import TypeFamily, type_family
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql, RejectionKind

# Values of a column that are looked for in another one.
SAMPLE = 10_000
_SECONDS_EACH = 2.0
_SECONDS_IN_ALL = 10.0


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What the rows of a table that were looked at hold in a column: how many rows these are, how many of them have a
    value, how many different ones, and the smallest and largest, as the database gives them."""

    rows: int
    present: int
    distinct: int
    low: Any = None
    high: Any = None

    @property
    def whole(self) -> bool:
        """Whether all rows of the table were looked at."""
        return self.rows < SAMPLE

    @property
    def density(self) -> float | None:
        """The share of the whole numbers between its smallest and largest value that it has; None where its values are
        no numbers. What lies in that range by accident is among its values with this probability."""
        low, high = _number(self.low), _number(self.high)
        return None if low is None or high is None else min(1.0, self.distinct / (high - low + 1))


class Refused(Exception):
    """The database turned the question away: columns of these types cannot be compared."""


class ValueProbe:
    """Asks as any other statement would be: guarded, planned over the model, read-only and under a time limit. Columns
    that the model hides or calls sensitive are not looked at. An answer is None where there is none in time.

    It asks in a person's `context`; without one for everybody, and then not for columns of which session properties
    decide what is read."""

    def __init__(self, model: SemanticModel, checker: SqlChecker, context: QueryContext | None = None) -> None:
        self._model = model
        self._checker = checker
        self._context = context
        self._dialect = sql_dialect(model.data_source)
        self._ends = time.monotonic() + _SECONDS_IN_ALL

    async def tells_rows_apart(self, table: str, column: str) -> bool | None:
        """Whether every row has a value of its own there, and there are rows at all. Raises `Refused` where values of
        its type cannot be compared."""
        name = self._open(table, (column,))
        if name is None:
            return None
        key = named_column(column)
        counts = [exp.Count(this=exp.Star()), exp.Count(this=key), exp.Count(this=exp.Distinct(expressions=[key]))]
        query = exp.select(*(exp.alias_(count, f"c{n}") for n, count in enumerate(counts))).from_(named_table(name))
        counted = await self._counts(query)
        return None if counted is None else len(set(counted)) == 1 and counted[0] > 0

    async def profiles(self, table: str, columns: Sequence[str]) -> Mapping[str, ColumnProfile]:
        """What columns hold in the first 10,000 rows of a table, in one query; without those that may not be looked at,
        and empty where there is no answer in time or values of their types cannot be compared."""
        shown = [column for column in columns if self._open(table, (column,))]
        if not shown:
            return {}
        asked: list[exp.Expression] = [exp.Count(this=exp.Star())]
        for name in shown:
            key = named_column(name)
            distinct = exp.Count(this=exp.Distinct(expressions=[key]))
            asked += [exp.Count(this=key), distinct, exp.Min(this=key.copy()), exp.Max(this=key.copy())]
        first = exp.select(*map(named_column, shown)).from_(named_table(table)).limit(SAMPLE)
        query = exp.select(*(exp.alias_(one, f"c{n}") for n, one in enumerate(asked))).from_(first.subquery("s"))
        try:
            row = await self._row(query)
        except Refused:
            return {}
        if row is None:
            return {}
        return {
            name: ColumnProfile(int(row[0]), int(row[at]), int(row[at + 1]), row[at + 2], row[at + 3])
            for name, at in zip(shown, range(1, len(row), 4), strict=True)
        }

    async def values(self, table: str, column: str, most: int) -> tuple[str, ...]:
        """The different values of a column in the first 10,000 rows, one more than `most` where it has more; empty
        where there is no answer."""
        if self._open(table, (column,)) is None:
            return ()
        key = named_column(column)
        first = exp.select(exp.alias_(key, "v")).from_(named_table(table))
        first = first.where(exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null()))).limit(SAMPLE)
        try:
            rows = await self._rows(exp.select("v").distinct().from_(first.subquery("s")).limit(most + 1), most + 1)
        except Refused:
            return ()
        return tuple(str(row[0]) for row in rows or ())

    async def rows(self, table: str, columns: Sequence[str], most: int) -> Sequence[tuple[Any, ...]]:
        """The first rows of a table, of these columns; empty where there is no answer."""
        if self._open(table, columns) is None:
            return ()
        try:
            return (
                await self._rows(exp.select(*map(named_column, columns)).from_(named_table(table)).limit(most), most)
                or ()
            )
        except Refused:
            return ()

    async def holding(self, table: str, text: str) -> str | None:
        """The text column that has this text, in any capitals, in one of the first 10,000 rows; None where none has."""
        found = self._model.tables.get(table)
        columns = [one.name for one in found.columns if type_family(one.type) is TypeFamily.TEXT] if found else []
        shown = [name for name in columns if self._open(table, (name,))]
        if not shown:
            return None
        first = exp.select(*map(named_column, shown)).from_(named_table(table)).limit(SAMPLE)
        same = (exp.EQ(this=exp.Lower(this=named_column(name)), expression=exp.Literal.string(text)) for name in shown)
        counts = [
            exp.Sum(this=exp.Case().when(one, exp.Literal.number(1)).else_(exp.Literal.number(0))) for one in same
        ]
        query = exp.select(*(exp.alias_(one, f"c{n}") for n, one in enumerate(counts))).from_(first.subquery("s"))
        try:
            row = await self._row(query)
        except Refused:
            return None
        return next((name for name, count in zip(shown, row or (), strict=False) if count), None)

    async def found(self, link: Relationship) -> tuple[int, int] | None:
        """How many distinct values of the link's left column were looked at, and how many its right column has. Raises
        `Refused` where they cannot be compared."""
        if len(link.pairs) != 1:
            return None
        ((here, there),) = link.pairs
        left, right = self._open(link.left, (here,)), self._open(link.right, (there,))
        if left is None or right is None:
            return None
        values = exp.select(exp.alias_(named_column(here), "v")).from_(named_table(left))
        some = values.where(exp.Not(this=exp.Is(this=named_column(here), expression=exp.Null()))).limit(SAMPLE)
        distinct = exp.select("v").distinct().from_(some.subquery("s"))
        query = (
            exp.select(exp.alias_(exp.Count(this=exp.Star()), "c0"))
            .select(exp.alias_(exp.Count(this=named_column(there, "k")), "c1"))
            .from_(distinct.subquery("d"))
            .join(
                exp.alias_(named_table(right), "k", table=True),
                on=named_column(there, "k").eq(exp.column("v", "d")),
                join_type="left",
            )
        )
        counted = await self._counts(query)
        return None if counted is None else (counted[0], counted[1])

    def _open(self, table: str, columns: Sequence[str]) -> str | None:
        found: Table | None = self._model.tables.get(table)
        shown = [found.column(name) for name in columns] if found else []
        if not shown or any(column is None or column.sensitive for column in shown):
            return None
        is_for_all = self._context is not None or len(self._checker.same_for_all(table, columns)) == len(set(columns))
        return table if is_for_all else None

    async def _counts(self, query: exp.Select) -> tuple[int, ...] | None:
        row = await self._row(query)
        return None if row is None else tuple(map(int, row))

    async def _row(self, query: exp.Select) -> tuple[Any, ...] | None:
        rows = await self._rows(query, 1)
        return None if rows is None else rows[0]

    async def _rows(self, query: exp.Select, limit: int) -> Sequence[tuple[Any, ...]] | None:
        left = self._ends - time.monotonic()
        if left <= 0:
            return None
        seconds = min(left, _SECONDS_EACH)
        match await execute_query(
            self._checker, query, self._dialect, row_limit=limit, seconds=seconds, context=self._context
        ):
            case Executed(rows=rows):
                return rows.rows
            case RejectedSql(kind=RejectionKind.DRY_RUN):
                raise Refused
            case _:
                return None


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


async def execute_query(
    checker: SqlChecker,
    query: exp.Query,
    dialect: str,
    *,
    row_limit: int,
    seconds: float,
    context: QueryContext | None = None,
) -> Executed | RejectedSql | AskwellError:
    """What comes of a query over the model, in a person's `context` or for everybody; the error where the database
    cannot be asked."""
    context = context or QueryContext(now=datetime.now(UTC))
    try:
        return await checker.execute(query.sql(dialect=dialect), context=context, row_limit=row_limit, timeout=seconds)
    except AskwellError as error:
        return error


def named_table(name: str) -> exp.Table:
    """The table in a query over the model."""
    return exp.table_(name, quoted=True)


def named_column(name: str, table: str | None = None) -> exp.Column:
    """The column in such a query."""
    return exp.column(exp.to_identifier(name, quoted=True), table)
