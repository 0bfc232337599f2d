"""Looking at a database, within bounds, for the values that columns hold which questions name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import TypeVar

from sqlglot import exp

from askwell.errors import AskwellError
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SampledValues, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.written_values import ISO_DATE, date_form, is_called_a_date
from askwell.providers.engine.base import QueryRows
from askwell.resources import words_file
from askwell.services.value_probe import execute_query, named_column, named_table
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.outcome import RejectedSql, RejectionKind

T = TypeVar("T")

# Columns that a warning names.
_MOST_NAMES = 10
# In a table with more rows than were read, a column whose first values nearly all differ holds no vocabulary, unless
# its name says that questions name its values.
_NEARLY_ALL = 0.9
# Values that few rows of many have are a vocabulary even where the other rows are never read.
_FEW = 0.25
# Of fewer numbers chance makes nothing but 0 and 1.
_FEWEST = 20
# While sampling, so many times the values that are kept in the end may be held.
_HELD = 3


@dataclass(frozen=True, slots=True)
class SamplingBounds:
    """How much is looked at, and after how long anew. Times are in seconds, lengths in characters."""

    first_rows: int = 1_200
    distinct_per_column: int = 5_000
    value_length: int = 60
    values_in_all: int = 50_000
    seconds_per_query: float = 5.0
    seconds_in_all: float = 20.0
    max_age: float = 86_400.0
    concurrency: int = 2


@dataclass(frozen=True, slots=True)
class SampledColumns:
    """What was found, and in sentences what could not be looked at."""

    values: SampledValues
    warnings: tuple[str, ...] = ()


async def sample_values(
    model: SemanticModel,
    checker: SqlChecker,
    *,
    bounds: SamplingBounds,
    on_progress: Callable[[int, int], None],
) -> SampledColumns:
    """Distinct values of text columns that have few of them.

    One query reads the first rows of a table for all its text columns: of most tables that is everything. In larger
    ones each column whose first values repeat is asked for its distinct values. Every query takes the way of any other
    statement: guarded, planned over the model, run read-only under a time limit. What is kept is told to everybody, so
    columns are left out of which session properties decide what is read. Hidden columns are not in the model;
    sensitive ones are passed over, those that are called passwords and the like, and enums, whose values are known. A
    column that fails, is late or holds long texts is left out; sampling as a whole never fails. Where there is too
    little time or room, the columns with the most telling names and the fewest values come first.
    """
    # Thousands of columns take a tenth of a second, here and at the end.
    sampling = await asyncio.to_thread(_Sampling, model, checker, bounds, on_progress)
    await sampling.run()
    return await asyncio.to_thread(sampling.found)


@dataclass(slots=True)
class _Found:
    values: dict[ColumnRef, tuple[str, ...]] = field(default_factory=dict)
    # Columns that failed, each with the reason.
    failures: dict[ColumnRef, str] = field(default_factory=dict)
    total: int = 0
    # Columns for which there was no time or room, or none to read more than the first rows.
    skipped: set[ColumnRef] = field(default_factory=set)


class _Sampling:
    def __init__(
        self, model: SemanticModel, checker: SqlChecker, bounds: SamplingBounds, on_progress: Callable[[int, int], None]
    ) -> None:
        self._tables, self._personal = _same_for_all(worth_sampling(model), checker)
        self._checker = checker
        self._bounds = bounds
        self._on_progress = on_progress
        self._dialect = sql_dialect(model.data_source)
        self._ends = time.monotonic() + bounds.seconds_in_all
        self._found = _Found()
        self._ranks = {ColumnRef(table.name, one.name): rank(one) for table, listed in self._tables for one in listed}
        self._done = 0
        self._total = sum(len(columns) for _, columns in self._tables)

    async def run(self) -> None:
        later: list[tuple[Table, Column]] = []
        await self._each(self._tables, lambda table, columns: self._first_rows(table, columns, later))
        later.sort(key=lambda pair: self._ranks[ColumnRef(pair[0].name, pair[1].name)])
        await self._each(later, self._distinct)

    async def _each(self, items: Iterable[tuple[Table, T]], work: Callable[[Table, T], Awaitable[None]]) -> None:
        """A few at a time: to begin with all of a thousand tables keeps everybody else waiting."""
        waiting = iter(items)

        async def next_ones() -> None:
            for table, columns in waiting:
                await work(table, columns)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._bounds.concurrency):
                group.create_task(next_ones())

    def found(self) -> SampledColumns:
        """What there is in the end, in the order of the model."""
        self._make_room()
        found = self._found
        ordered = {place: found.values[place] for place in self._ranks if place in found.values}
        return SampledColumns(ordered, (*_about_personal(self._personal), *_sentences(list(self._ranks), found)))

    async def _first_rows(self, table: Table, columns: Sequence[Column], later: list[tuple[Table, Column]]) -> None:
        """All columns of a table at once; those that need a look of their own are added to `later`."""
        places = [ColumnRef(table.name, column.name) for column in columns]
        if self._is_too_late(places):
            return
        names = [column.name for column in columns]
        query = exp.select(*map(named_column, names)).from_(named_table(table.name))
        rows = await self._rows(query, places, self._bounds.first_rows)
        if rows is None:
            self._count(len(columns))
            return
        if isinstance(rows, RejectedSql):
            # One column may be missing, or too large to be read: the others are not to suffer from it.
            later += [(table, column) for column in columns]
            return
        for number, column in enumerate(columns):
            texts = [str(row[number]) for row in rows.rows if row[number] is not None]
            distinct = set(texts)
            if needs_values(column, self._dialect):
                if distinct == YES_AND_NO and rows.truncated:
                    later.append((table, column))
                    continue
                self._keep(table, column, distinct if distinct != YES_AND_NO or len(texts) >= _FEWEST else ())
                self._count(1)
                continue
            if not rows.truncated or len(distinct) <= _FEW * len(texts) or are_dates(column, distinct):
                self._keep(table, column, distinct)
            repeats = len(distinct) <= _NEARLY_ALL * len(texts) or rank(column) == 0
            if rows.truncated and repeats and self._sayable(distinct) is not None:
                later.append((table, column))
            else:
                self._count(1)

    async def _distinct(self, table: Table, column: Column) -> None:
        """The distinct values of a column of which the first rows do not say enough."""
        place = ColumnRef(table.name, column.name)
        if self._is_too_late([place]):
            return
        distinct = exp.select(named_column(column.name)).distinct().from_(named_table(table.name))
        distinct = distinct.where(named_column(column.name).is_(exp.null()).not_())
        rows = await self._rows(distinct, [place], self._bounds.distinct_per_column)
        if isinstance(rows, RejectedSql):
            self._found.failures[place] = rows.error
        elif rows is not None:
            found = {str(row[0]) for row in rows.rows if row[0] is not None}
            self._keep(table, column, () if rows.truncated and not are_dates(column, found) else found)
        self._count(1)

    async def _rows(self, query: exp.Select, places: Sequence[ColumnRef], limit: int) -> QueryRows | RejectedSql | None:
        """The first rows of a query; None where it failed or was late, which is noted for its columns."""
        # One more than wanted shows that there are too many, and lets the database stop there.
        more, seconds = query.limit(limit + 1), self._bounds.seconds_per_query
        match await execute_query(self._checker, more, self._dialect, row_limit=limit, seconds=seconds):
            case Executed(rows=rows):
                return rows
            case RejectedSql(kind=RejectionKind.TIME_OUT, error=failure) | AskwellError(message=failure):
                self._found.failures |= dict.fromkeys(places, failure)
                return None
            case rejected:
                return rejected

    def _is_too_late(self, places: Sequence[ColumnRef]) -> bool:
        """Whether the time is over, which is noted for these columns."""
        if time.monotonic() <= self._ends:
            return False
        self._found.skipped.update(places)
        self._count(len(places))
        return True

    def _sayable(self, texts: Iterable[str]) -> list[str] | None:
        """The values that a question may name; None for a column of free text. A value of several lines would be taken
        for more than a value in a prompt."""
        held = [text for text in texts if text.strip()]
        sayable = [text for text in held if len(text) <= self._bounds.value_length and len(text.splitlines()) == 1]
        return sayable if sayable and len(sayable) * 2 >= len(held) else None

    def _keep(self, table: Table, column: Column, texts: Collection[str]) -> None:
        """Of what only values tell that alone is kept which says more than the column's type."""
        place = ColumnRef(table.name, column.name)
        if needs_values(column, self._dialect) and not say_more(column, texts):
            texts = ()
        self._found.total -= len(self._found.values.pop(place, ()))
        sayable = self._sayable(texts)
        if sayable is None or len(sayable) > self._bounds.distinct_per_column:
            return
        self._found.values[place] = tuple(sorted(sayable))
        self._found.total += len(sayable)
        if self._found.total > _HELD * self._bounds.values_in_all:
            self._make_room()

    def _make_room(self) -> None:
        """Let columns go that there is no room for: those with very many values first, then the least telling."""
        found = self._found
        if found.total <= self._bounds.values_in_all:
            return
        many = self._bounds.first_rows

        def wish(place: ColumnRef) -> tuple[bool, int, int]:
            count = len(found.values[place])
            return count > many, self._ranks[place], count

        best = sorted(found.values, key=wish)
        found.total = 0
        for place in best:
            count = len(found.values[place])
            if found.total + count > self._bounds.values_in_all:
                del found.values[place]
                found.skipped.add(place)
            else:
                found.total += count

    def _count(self, columns: int) -> None:
        self._done += columns
        self._on_progress(self._done, self._total)


def _same_for_all(
    listed: Iterable[tuple[Table, list[Column]]], checker: SqlChecker
) -> tuple[list[tuple[Table, list[Column]]], list[ColumnRef]]:
    """The columns of which everybody reads the same values, by table, and all others."""
    same: list[tuple[Table, list[Column]]] = []
    personal: list[ColumnRef] = []
    for table, columns in listed:
        everybodys = checker.same_for_all(table.name, [column.name for column in columns])
        personal += [ColumnRef(table.name, column.name) for column in columns if column.name not in everybodys]
        if everybodys:
            same.append((table, [column for column in columns if column.name in everybodys]))
    return same, personal


def _about_personal(personal: Sequence[ColumnRef]) -> Iterator[str]:
    if personal:
        yield (
            f"Askwell stores no values of {_listed(personal)}, because access rules decide who reads them. "
            "It understands questions with such values less well."
        )


def _listed(places: Sequence[ColumnRef]) -> str:
    names = ", ".join(map(str, places[:_MOST_NAMES]))
    more = len(places) - _MOST_NAMES
    return f"{names} and {more} more columns" if more > 0 else names


def _sentences(places: Sequence[ColumnRef], found: _Found) -> Iterator[str]:
    """One for each table with columns that failed: which they are, unless it is all of them, and why the first did."""
    for name, of_table in groupby(places, key=lambda place: place.table):
        columns = list(of_table)
        failed = [place for place in columns if place in found.failures]
        if not failed:
            continue
        which = name if len(failed) == len(columns) else _listed(failed)
        yield f"Values of {which} could not be read: {found.failures[failed[0]]}"
    if found.skipped:
        yield (
            f"The values of {len(found.skipped)} columns were not read, or only from their first rows, because time or "
            "space ran out. Askwell understands questions with such values less well."
        )


# All values of a number that says yes or no.
YES_AND_NO = {"0", "1"}


def worth_sampling(model: SemanticModel) -> Iterator[tuple[Table, list[Column]]]:
    """The columns of each model whose values may be kept, by what the model says of them and their names: texts, and
    those of which only the values say what they hold (`needs_values`)."""
    for table in model:
        if table.kind is not TableKind.MODEL:
            continue
        columns = [column for column in table.columns if _is_worth_sampling(column, sql_dialect(model.data_source))]
        if columns:
            yield table, columns


def _is_worth_sampling(column: Column, dialect: str) -> bool:
    is_told = type_family(column.type) is TypeFamily.TEXT or needs_values(column, dialect)
    is_open = not is_secret(column) and (not column.values or bool(column.value_names))
    return is_told and column.role is ColumnRole.PLAIN and is_open


def needs_values(column: Column, dialect: str) -> bool:
    """Whether only the values tell if a column holds dates, or yes and no: whole numbers, and in SQLite what is
    declared as a date."""
    family = type_family(column.type)
    is_loose = family is TypeFamily.TIME and dialect == "sqlite"
    may_tell = "INT" in column.type.upper() or is_called_a_date(column.name)
    return column.epoch is None and (is_loose or (family is TypeFamily.NUMBER and may_tell))


def say_more(column: Column, texts: Collection[str]) -> bool:
    """Whether these values of a column that they tell of are what its type does not say: yes and no, or dates."""
    is_number = type_family(column.type) is TypeFamily.NUMBER
    if is_number and set(texts) == YES_AND_NO:
        return True
    return are_dates(column, texts) if is_number else not all(map(ISO_DATE.match, texts))


def are_dates(column: Column, texts: Collection[str]) -> bool:
    """Whether these values of a column are dates, as databases write them or otherwise."""
    is_number = type_family(column.type) is TypeFamily.NUMBER
    written = date_form(column.name, texts, column.epoch, is_number=is_number)
    return written is not None or (bool(texts) and all(map(ISO_DATE.match, texts)))


def rank(column: Column) -> int:
    """How telling a column is by its name; smaller is better."""
    named = words(column.name)
    if named and named[-1] in _words("telling"):
        return 0
    return 1 if _words("untelling").isdisjoint(named) else 2


@cache
def _words(kind: str) -> frozenset[str]:
    return frozenset(words_file("askwell.services", "telling_columns.yaml")[kind].split())
