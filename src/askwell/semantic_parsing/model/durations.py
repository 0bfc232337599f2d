"""How long something took, and how old somebody is: columns that are computed from dates of a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, time
from statistics import median

from sqlglot import exp

from askwell.mdl.semantic_model import Column, ColumnRef, SampledValues
from askwell.question.lexicon import english
from askwell.question.words import Stems, stem, stems
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.measures import Formula, column_of
from askwell.semantic_parsing.model.word_forms import word_forms

NAME, AGE = "duration", "age"
# Of the Gregorian calendar, to the hundredth.
_DAYS_OF_A_YEAR = "365.25"
# From how many seconds on a unit is what people say.
_LEAST = {"days": 172_800, "hours": 7_200, "minutes": 120}


def with_durations(facts: ModelFacts, values: SampledValues) -> ModelFacts:
    """The facts with a column of time for each table with one pair of such dates, and one of years for each that says
    when somebody was born and not how old they are."""
    found = {
        column.ref: column for table in facts.tables.values() for column in (*_durations(table, values), *_ages(table))
    }
    return replace(facts, columns={**facts.columns, **found})


def duration_names(table: TableFacts) -> Iterator[Stems]:
    """What people call the duration of a table's rows: "length of stay", "how many nights"."""
    for word in english().durations:
        if any(stem(word) in column.words for column in table.columns):
            continue
        yield (stem(word),)
        yield (*table.words, stem(word))
        yield (stem(word), "of", *table.words)


def _durations(table: TableFacts, values: SampledValues) -> Iterator[ColumnFacts]:
    if any(column.words == (stem(NAME),) for column in table.columns):
        return
    dates = [column for column in table.columns if column.is_date]
    pairs = [(a, b) for a in dates for b in dates if _spans(a.words, b.words)]
    pairs = pairs or [(a, b) for a in dates for b in dates if _goes_on_to(a.words, b.words)]
    ends = {frozenset((begin.ref, end.ref)) for begin, end in pairs}
    if len(ends) != 1:
        return
    begin, end = pairs[0]  # a stay has its arrival first, and a flight its departure
    days = _days(_written(end), _written(begin))
    yield _computed(
        ColumnRef(table.table.name, NAME),
        days,
        f"time from {begin.readable} to {end.readable}",
        _unit(begin, end, values),
    )


def _unit(begin: ColumnFacts, end: ColumnFacts, values: SampledValues) -> str:
    """The unit that fits the time between two dates: days where neither has a time of day, else by the sampled values,
    else hours."""
    first, last = (sorted(_moments(values.get(column.ref, ()))) for column in (begin, end))
    if not first or not last:
        return "days" if begin.column.type.upper() == end.column.type.upper() == "DATE" else "hours"
    if not any(moment.time() != time() for moment in (*first, *last)):
        return "days"
    # Sorted, the values stand beside those of other rows, and as far from them on average.
    typical = median((b - a).total_seconds() for a, b in zip(first, last, strict=False))
    return next((unit for unit, least in _LEAST.items() if typical >= least), "seconds")


def _moments(texts: Iterable[str]) -> Iterator[datetime]:
    for text in texts:
        with suppress(ValueError):
            yield datetime.fromisoformat(text).replace(tzinfo=None)


def _ages(table: TableFacts) -> Iterator[ColumnFacts]:
    born = [column for column in table.columns if column.is_date and english().births & set(column.words)]
    if any(stem(AGE) in column.words for column in table.columns):
        return
    if len(born) != 1:
        yield from () if born else _ages_by_year(table)
        return
    days = _days(exp.CurrentDate(), _written(born[0]))
    years = exp.Floor(this=exp.Div(this=days, expression=exp.Literal.number(_DAYS_OF_A_YEAR), typed=False, safe=False))
    yield _computed(ColumnRef(table.table.name, AGE), years, f"years since {born[0].readable}")


def _ages_by_year(table: TableFacts) -> Iterator[ColumnFacts]:
    numbers = [column for column in table.columns if column.kind is ColumnKind.NUMBER]
    born = [c for c in numbers if english().births & set(c.words) and stem("year") in c.words]
    if len(born) == 1:
        year = exp.Cast(
            this=exp.TimeToStr(this=exp.CurrentDate(), format=exp.Literal.string("%Y")), to=exp.DataType.build("int")
        )
        years = exp.Sub(this=year, expression=_written(born[0]))
        yield _computed(ColumnRef(table.table.name, AGE), years, f"years since {born[0].readable}")


def _written(column: ColumnFacts) -> exp.Column:
    return column_of(column.ref.table, column.ref.column)


def _days(end: exp.Expr, begin: exp.Expr) -> exp.DateDiff:
    """The time between as a formula has it. Statements write it in the unit that is asked for, and as a fraction."""
    return exp.DateDiff(this=end, expression=begin, unit=exp.var("DAY"))


def _computed(ref: ColumnRef, expression: exp.Expr, readable: str, unit: str | None = None) -> ColumnFacts:
    return ColumnFacts(
        ref=ref,
        column=Column(ref.column, "REAL", display_name=readable, unit=unit),
        names=(stems(ref.column),),
        kind=ColumnKind.NUMBER,
        is_key=False,
        is_reference=False,
        numeric_text=False,
        iso_text=False,
        formula=Formula(expression),
    )


def _spans(begin: Stems, end: Stems) -> bool:
    """Whether two names differ only in that one begins what the other ends."""
    for first, last in english().spans:
        if first in begin and last in end and _without(begin, first) == _without(end, last):
            return True
    return False


def _goes_on_to(begin: Stems, end: Stems) -> bool:
    """Whether two names are of what began a row and of what it came to: "order date", "delivery date"."""
    first, last = english().first_dates, english().reached_dates
    return bool(first & set(begin) and last & set(end)) and not (last & set(begin) or first & set(end))


def _without(words: Stems, word: str) -> Stems:
    return tuple(other for other in words if other != word and other not in word_forms().function_words)
