"""Looking at a project's database for what a language model needs to see of columns that hold no texts: how dates are
written where the database has no type for them, and codes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.names import words
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SampledValues, SemanticModel, Table, TableKind
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.written_values import is_called_a_date
from askwell.services.value_probe import execute_query, named_column, named_table
from askwell.services.value_sampling import SamplingBounds, say_more
from askwell.sql.checker import Executed, SqlChecker

# A number is a code where there are so few of them, each in so many rows or more.
_MOST_CODES = 8
_ROWS_OF_A_CODE = 5
# Dates that are shown.
_DATES = 2
# Last words of the names of numbers that point elsewhere.
_KEY_WORDS = frozenset({"id", "key"})
# A date is written within so many characters.
_LONGEST = 40


async def sample_examples(model: SemanticModel, checker: SqlChecker, *, bounds: SamplingBounds) -> SampledValues:
    """Two dates of each column of dates, the first and the last of those that were read, and the codes of columns that
    hold few. One query a table reads its first rows, on the way of every other statement; a table that fails is
    passed over, and so is what is left when the time is over. Hidden columns are not in the model; sensitive ones are
    passed over, and those of which session properties decide what is read."""
    found: dict[ColumnRef, tuple[str, ...]] = {}
    try:
        async with asyncio.timeout(bounds.seconds_in_all):
            for table, columns in await asyncio.to_thread(lambda: list(_worth_showing(model, checker))):
                found |= await _of_table(table, columns, checker, bounds, sql_dialect(model.data_source))
    except TimeoutError:
        pass  # they are a help, and not needed
    return found


def without_examples(
    model: SemanticModel, sampled: SampledValues
) -> tuple[SampledValues, SampledValues, SampledValues]:
    """Of everything that was sampled, the values, which questions may name, the examples, which only prompts show, and
    the dates of columns that hold them otherwise than the database does, by which rules and checks know their form."""
    columns = {ColumnRef(table.name, column.name): column for table in model for column in table.columns}
    texts = {place for place, column in columns.items() if type_family(column.type) is TypeFamily.TEXT}
    values = {place: found for place, found in sampled.items() if place in texts}
    others = {place: found for place, found in sampled.items() if place not in texts}
    known = (place for place in others if place in columns)
    dates = {place: others[place] for place in known if say_more(columns[place], others[place])}
    return values, others | {place: _first_and_last(found) for place, found in dates.items()}, dates


def _worth_showing(model: SemanticModel, checker: SqlChecker) -> Iterator[tuple[Table, list[Column]]]:
    linked = {
        (table, column)
        for one in model.relationships
        for left, right in one.pairs
        for table, column in ((one.left, left), (one.right, right))
    }
    typeless = sql_dialect(model.data_source) == "sqlite"
    for table in model:
        if table.kind is not TableKind.MODEL:
            continue
        wanted = [
            column
            for column in table.columns
            if column.role is ColumnRole.PLAIN
            and not is_secret(column)
            and not column.values
            and column.name not in table.primary_key
            and (table.name, column.name) not in linked
            and _may_tell(column, typeless)
        ]
        same = checker.same_for_all(table.name, [column.name for column in wanted]) if wanted else ()
        if columns := [column for column in wanted if column.name in same]:
            yield table, columns


def _may_tell(column: Column, typeless: bool) -> bool:
    family = type_family(column.type)
    if family is TypeFamily.NUMBER:
        return column.epoch is None and _KEY_WORDS.isdisjoint(words(column.name)[-1:])
    return typeless and family in (TypeFamily.TIME, TypeFamily.BOOLEAN)


async def _of_table(
    table: Table, columns: list[Column], checker: SqlChecker, bounds: SamplingBounds, dialect: str
) -> Mapping[ColumnRef, tuple[str, ...]]:
    names, rows = [column.name for column in columns], bounds.first_rows
    query = exp.select(*map(named_column, names)).from_(named_table(table.name)).limit(rows)
    outcome = await execute_query(checker, query, dialect, row_limit=rows, seconds=bounds.seconds_per_query)
    if not isinstance(outcome, Executed):
        return {}
    return await asyncio.to_thread(_told, table, columns, outcome.rows.rows)


def _told(
    table: Table, columns: Sequence[Column], rows: Sequence[Sequence[object]]
) -> Mapping[ColumnRef, tuple[str, ...]]:
    """Of all columns that have some. Wide tables take a while: on a thread."""
    fields = {
        ColumnRef(table.name, column.name): _examples(column, (row[number] for row in rows))
        for number, column in enumerate(columns)
    }
    return {place: examples for place, examples in fields.items() if examples}


def _first_and_last(dates: Sequence[str]) -> tuple[str, ...]:
    return tuple(dates if len(dates) <= _DATES else (dates[0], dates[-1]))


def _examples(column: Column, values: Iterable[object]) -> tuple[str, ...]:
    held = [value for value in values if value is not None and value != ""]
    if type_family(column.type) is TypeFamily.TIME or is_called_a_date(column.name):
        dates = sorted({str(value) for value in held if len(str(value)) <= _LONGEST})
        return _first_and_last(dates)
    codes = {value for value in held if isinstance(value, int | str)}
    is_code = len(codes) <= _MOST_CODES and len(held) >= _ROWS_OF_A_CODE * len(codes)
    if not is_code or any(not isinstance(value, int | str) for value in held):
        return ()
    return tuple(map(str, sorted(codes, key=lambda code: (isinstance(code, str), code))))
