"""Looking at a project's database, within bounds, for the values that its text columns hold."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby

from sqlglot import exp

from askwell.errors import AskwellError
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SampledValues, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.providers.engine.base import QueryRows
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql

# Columns of a table that a warning names.
_MOST_NAMES = 10


@dataclass(frozen=True, slots=True)
class SamplingBounds:
    """How much is looked at. Times are in seconds, lengths in characters."""

    distinct_per_column: int = 1_200
    value_length: int = 60
    values_in_all: int = 50_000
    seconds_per_column: float = 5.0
    seconds_in_all: float = 60.0
    concurrency: int = 2


@dataclass(frozen=True, slots=True)
class SampledColumns:
    """What was found, and in sentences what could not be looked at."""

    values: SampledValues
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Progress:
    values: dict[ColumnRef, tuple[str, ...]] = field(default_factory=dict)
    # Columns that failed, each with the reason.
    failures: dict[ColumnRef, str] = field(default_factory=dict)
    skipped: int = 0
    total: int = 0


async def sample_values(
    model: SemanticModel,
    checker: SqlChecker,
    *,
    bounds: SamplingBounds,
    on_progress: Callable[[int, int], None],
) -> SampledColumns:
    """Distinct values of text columns that have few of them.

    Every query takes the way of any other statement: guarded, planned over the model, run read-only under a time limit.
    Hidden columns are not in the model; sensitive ones are passed over, and enums, whose values are known. A column
    that fails, is late or holds long texts is left out; sampling as a whole never fails.
    """
    columns = list(_worth_sampling(model))
    progress = _Progress()
    done = 0
    ends = time.monotonic() + bounds.seconds_in_all
    slots = asyncio.Semaphore(bounds.concurrency)

    dialect = sql_dialect(model.data_source)

    async def one(table: Table, column: Column) -> None:
        nonlocal done
        async with slots:
            if time.monotonic() > ends or progress.total >= bounds.values_in_all:
                progress.skipped += 1
            else:
                await _sample_column(table, column, checker, dialect, bounds, progress)
            done += 1
            on_progress(done, len(columns))

    async with asyncio.TaskGroup() as group:
        for table, column in columns:
            group.create_task(one(table, column))
    ordered = {
        ref: progress.values[ref]
        for table, column in columns
        if (ref := ColumnRef(table.name, column.name)) in progress.values
    }
    return SampledColumns(ordered, tuple(_sentences(columns, progress)))


def _worth_sampling(model: SemanticModel) -> Iterator[tuple[Table, Column]]:
    for table in model:
        if table.kind is not TableKind.MODEL:
            continue
        for column in table.columns:
            is_text = type_family(column.type) is TypeFamily.TEXT
            if is_text and column.role is ColumnRole.PLAIN and not column.sensitive and not column.values:
                yield table, column


async def _sample_column(
    table: Table, column: Column, checker: SqlChecker, dialect: str, bounds: SamplingBounds, progress: _Progress
) -> None:
    values = exp.column(exp.to_identifier(column.name, quoted=True))
    distinct = exp.select(values).distinct().from_(exp.table_(table.name, quoted=True))
    # One more than wanted shows that there are too many, and lets the database stop there.
    bounded = distinct.where(values.copy().is_(exp.null()).not_()).limit(bounds.distinct_per_column + 1)
    sql = bounded.sql(dialect=dialect)
    try:
        outcome = await checker.execute(
            sql,
            context=QueryContext(now=datetime.now(UTC)),
            row_limit=bounds.distinct_per_column,
            timeout=bounds.seconds_per_column,
        )
    except AskwellError as error:
        progress.failures[ColumnRef(table.name, column.name)] = error.message
        return
    match outcome:
        case RejectedSql():
            progress.failures[ColumnRef(table.name, column.name)] = outcome.error
        case Executed(rows=rows):
            found = _few_and_short(rows, bounds)
            # SQLite takes a quoted name that it does not know for a text: then every row holds the column's own name.
            if found is not None and found != (column.name,):
                progress.values[ColumnRef(table.name, column.name)] = found
                progress.total += len(found)


def _few_and_short(rows: QueryRows, bounds: SamplingBounds) -> tuple[str, ...] | None:
    """The values, sorted; None for a column of free text or of too many values to be a vocabulary."""
    if rows.truncated:
        return None
    texts = [str(row[0]) for row in rows.rows if row[0] is not None and str(row[0]).strip()]
    short = [text for text in texts if len(text) <= bounds.value_length]
    return tuple(sorted(short)) if len(short) * 2 >= len(texts) and short else None


def _sentences(columns: list[tuple[Table, Column]], progress: _Progress) -> Iterator[str]:
    """One for each table with columns that failed: which they are, unless it is all of them, and why the first did."""
    for name, columns_of_table in groupby(columns, key=lambda pair: pair[0].name):
        places = [ColumnRef(name, column.name) for _, column in columns_of_table]
        failed = [place for place in places if place in progress.failures]
        if not failed:
            continue
        which = ", ".join(f"{place.table}.{place.column}" for place in failed[:_MOST_NAMES])
        if len(failed) > _MOST_NAMES:
            which += f" and {len(failed) - _MOST_NAMES} more columns"
        if len(failed) == len(places):
            which = name
        yield f"Values of {which} could not be looked at: {progress.failures[failed[0]]}"
    if progress.skipped:
        yield (
            f"{progress.skipped} text columns were not looked at for values, because the others took all the time or "
            "room there is; questions that name their values are understood less well."
        )
