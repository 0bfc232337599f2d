"""What the columns of a result are good for in a chart, measured from their values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Any

from askwell.charts.fields import is_drawable
from askwell.charts.words import chart_words
from askwell.providers.engine.base import ResultColumn
from askwell.spelling import spelled_words

# Text is a date when so much of it reads as one.
_ENOUGH_DATES = 0.95
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_YEAR_PART = re.compile(r"\d{4}[- ]?[QWHK]\w?\d{1,2}", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_BOOLEAN_TYPE = re.compile(r"BOOL|^BIT$", re.IGNORECASE)
_FLAGS = {"True": "yes", "1": "yes", "False": "no", "0": "no"}
_TEXT_TYPE = re.compile(r"CHAR|TEXT|STRING|CLOB|UUID|ENUM", re.IGNORECASE)


class Role(StrEnum):
    """What a column can be: a moment, a numbered or named period (2024, March), an amount, one of a few names, a name
    for one thing each, or nothing that a chart shows."""

    TEMPORAL = "temporal"
    PERIOD = "period"
    MEASURE = "measure"
    CATEGORY = "category"
    IDENTIFIER = "identifier"
    OTHER = "other"


class Grain(StrEnum):
    """How fine moments are, coarsest first."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    HOUR = "hour"
    MINUTE = "minute"


@dataclass(frozen=True)
class MeasuredColumn:
    """A column and its values: numbers as floats, moments and names as text, what is missing as None.

    `period` is the unit of a period ("year", …; "" for names with an order of their own). `is_date` says that moments
    have no time of day, which browsers read as midnight UTC rather than local midnight. `stated` is how the statement
    says that its amounts are put together ("" where it does not). `of_table` says whose names it holds where its own
    name does not: the `name` of a genre.
    """

    name: str
    role: Role
    values: tuple[Any, ...]
    grain: Grain = Grain.DAY
    is_date: bool = False
    period: str = ""
    stated: str = ""
    of_table: str = ""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name, in lower case."""
        return tuple(word.lower() for word in spelled_words(self.name))

    @cached_property
    def known(self) -> tuple[Any, ...]:
        return tuple(value for value in self.values if value is not None)

    @cached_property
    def distinct(self) -> int:
        """How many different values, a missing one among them."""
        return len({str(value) if isinstance(value, (list, dict)) else value for value in self.values})

    @property
    def is_unique(self) -> bool:
        return self.distinct == len(self.values)

    @cached_property
    def is_integral(self) -> bool:
        return all(isinstance(value, float) and value.is_integer() for value in self.known)

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of numbers; 0 where there are none."""
        return max((abs(value) for value in self.known if isinstance(value, float)), default=0.0)

    @property
    def is_averaged(self) -> bool:
        """Whether its numbers are no amounts to be added up."""
        return self.combining != "sum"

    @property
    def combining(self) -> str:
        """How two of its amounts are put together: "sum"; "mean" for prices and ratings of single rows; "never" for
        what the result has averaged, or counted without repetitions, itself."""
        words = chart_words()
        if self.stated:
            return self.stated
        if not words.final.isdisjoint(self.words):
            return "never"
        # A count of ratings is a count.
        is_total = not words.aggregates.isdisjoint(self.words)
        return "sum" if is_total or words.averages.isdisjoint(self.words) else "mean"

    @property
    def adds_up(self) -> bool:
        """Whether amounts of single rows make a whole: money, quantities, and whole numbers of things."""
        words = chart_words()
        of_things = self.is_integral and self.words[-1:] and self.words[-1].endswith("s")
        return bool(of_things) or not (words.additive | words.aggregates).isdisjoint(self.words)

    @property
    def is_thing_name(self) -> bool:
        """Whether it holds names, which several things can share."""
        return self.role is Role.CATEGORY and not chart_words().thing_names.isdisjoint(self.words)

    @property
    def is_share(self) -> bool:
        return not chart_words().shares.isdisjoint(self.words)

    @property
    def is_time(self) -> bool:
        """Whether it runs along a line: moments and years."""
        return self.role is Role.TEMPORAL or (self.role is Role.PERIOD and self.period in ("year", "part of year"))

    def as_category(self) -> MeasuredColumn:
        """The same column as names of things: whole numbers without a fraction."""
        if self.role is not Role.MEASURE:
            return replace(self, role=Role.CATEGORY)
        names = (None if value is None else int(value) if value.is_integer() else value for value in self.values)
        return replace(self, role=Role.CATEGORY, values=tuple(names))


def measure_columns(columns: Sequence[ResultColumn], rows: Sequence[Sequence[Any]]) -> tuple[MeasuredColumn, ...]:
    """What each column is. Of columns that share a name only the last can be told by it: the others are left out."""
    places = {column.name: at for at, column in enumerate(columns)}
    return tuple(
        _measured(columns[at], tuple(row[at] if at < len(row) else None for row in rows)) for at in places.values()
    )


def _measured(column: ResultColumn, values: tuple[Any, ...]) -> MeasuredColumn:
    known = [value for value in values if value is not None]
    if not known or not is_drawable(column.name) or any(isinstance(value, dict | list) for value in known):
        return MeasuredColumn(column.name, Role.OTHER, values)
    are_flags = _BOOLEAN_TYPE.search(column.type) and {str(value) for value in known} <= set(_FLAGS)
    if are_flags or all(isinstance(value, bool) for value in known):
        flags = tuple(None if value is None else _FLAGS[str(value)] for value in values)
        return MeasuredColumn(column.name, Role.CATEGORY, flags)
    numbers = [as_number(value) for value in values]
    if all(number is not None or not isinstance(value, str) for number, value in zip(numbers, values, strict=True)):
        if _are_numbers(known, column.type):
            return _number_column(column.name, tuple(numbers))
    return _text_column(column.name, tuple(None if value is None else str(value) for value in values))


def as_number(value: Any) -> float | None:
    """A finite number, also one that is written as text; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return None
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _are_numbers(known: Sequence[Any], type_name: str) -> bool:
    """Decimals come as text. Digits that the database itself holds as text are names, as are codes such as 00123."""
    texts = [value for value in known if isinstance(value, str)]
    if len(texts) < len(known):
        return not texts or not _TEXT_TYPE.search(type_name)
    return not _TEXT_TYPE.search(type_name) and not any(map(_LEADING_ZERO.match, texts))


def _number_column(name: str, values: tuple[float | None, ...]) -> MeasuredColumn:
    column = MeasuredColumn(name, Role.MEASURE, values)
    if not column.known:
        return replace(column, role=Role.OTHER)
    words = chart_words()
    named = set(column.words)
    if not words.coordinates.isdisjoint(named):
        return replace(column, role=Role.OTHER)
    if not column.is_integral or not words.aggregates.isdisjoint(named):
        return column
    whole = tuple(None if value is None else int(value) for value in values)
    for unit, period in words.periods.items():
        ends = {*column.words[:1], *column.words[-1:]}
        if not period.names.isdisjoint(ends) and all(period.low <= value <= period.high for value in column.known):
            return MeasuredColumn(name, Role.PERIOD, whole, period=unit)
    if column.words and column.words[-1] in words.identifiers:
        return MeasuredColumn(name, Role.IDENTIFIER, whole)
    return column


def _text_column(name: str, values: tuple[str | None, ...]) -> MeasuredColumn:
    column = MeasuredColumn(name, Role.CATEGORY, values)
    known: Sequence[str] = column.known
    if all(map(_YEAR.fullmatch, known)):
        return replace(column, role=Role.PERIOD, period="year")
    if all(map(_YEAR_PART.fullmatch, known)):
        return replace(column, role=Role.PERIOD, period="part of year")
    moments = [moment for moment in map(read_moment, known) if moment is not None]
    if len(moments) >= _ENOUGH_DATES * len(known):
        is_date = not any("T" in value or ":" in value for value in known)
        return replace(column, role=Role.TEMPORAL, grain=_grain(moments), is_date=is_date)
    if any(all(value.lower() in order for value in known) for order in chart_words().ordered_names):
        return replace(column, role=Role.PERIOD)
    if column.words and column.words[-1] in chart_words().identifiers and column.is_unique:
        return replace(column, role=Role.IDENTIFIER)
    return column


def read_moment(value: str) -> datetime | None:
    """ISO text of a month, a day or a moment, without its offset; None where it is none."""
    try:
        if found := _DATE.fullmatch(value):
            return datetime(int(found[1]), int(found[2]), int(found[3] or 1))  # noqa: DTZ001 - a day has no zone
        if _MOMENT.fullmatch(value):
            return datetime.fromisoformat(value[:16].replace(" ", "T"))
    except ValueError:
        return None
    return None


def _grain(moments: Iterable[datetime]) -> Grain:
    found = set(moments)
    if all((one.hour, one.minute) == (0, 0) for one in found):
        if any(one.day != 1 for one in found):
            return Grain.DAY
        return Grain.MONTH if len(found) == 1 or any(one.month != 1 for one in found) else Grain.YEAR
    return Grain.HOUR if all(one.minute == 0 for one in found) else Grain.MINUTE


def day_span(column: MeasuredColumn) -> int:
    """How many days lie between the first and the last moment."""
    days = [moment.date() for moment in map(read_moment, column.known) if moment is not None]
    return (max(days, default=date.min) - min(days, default=date.min)).days


def in_natural_order(column: MeasuredColumn) -> list[Any]:
    """The different values of a period as time or their own order has them."""
    orders: tuple[Mapping[str, int], ...] = chart_words().ordered_names
    known = set(column.known)
    for order in orders:
        if all(isinstance(value, str) and value.lower() in order for value in known):
            return sorted(known, key=lambda value: order[value.lower()])
    return sorted(known)


# -- periods without rows ---------------------------------------------------------------------------------------------


def has_gaps(base: MeasuredColumn, series: MeasuredColumn | None) -> bool:
    """Whether a line along `base` runs through periods that do not exist: its steps are not all alike, or one of the
    `series` lacks a period that another has. Weekly rows are as regular as daily ones."""
    places = _places(base)
    steps = [b - a for a, b in pairwise(places)]
    if steps and max(steps) > min(steps):
        return True
    return series is not None and len(set(zip(base.values, series.values, strict=True))) < (
        base.distinct * series.distinct
    )


# An axis of periods has places for missing ones when they are not more than these in all.
_MOST_PERIODS = 120


def places_on_axis(base: MeasuredColumn) -> list[Any]:
    """All periods from the first to the last where some have no rows, and they run in the order of time; else none."""
    known = list(dict.fromkeys(base.known))
    if not base.is_time or base.role is not Role.PERIOD or known != sorted(known):
        return []
    every = all_periods(base)
    return every if len(known) < len(every) <= _MOST_PERIODS else []


def all_periods(base: MeasuredColumn) -> list[Any]:
    """The periods from the first to the last, as `base` writes them; none where that is not known. A year of weeks is
    taken to have 52, and those that have rows."""
    known = sorted(set(base.known))
    if base.period == "year":
        first, last = int(known[0]), int(known[-1])
        return [type(known[0])(year) for year in range(first, last + 1)]
    parts = [_PART.fullmatch(value) for value in known]
    if any(part is None for part in parts) or len({len(value) for value in known}) > 1:
        return []
    found = [(int(part[1]), part[2], part[3]) for part in parts if part is not None]
    (_, unit, digits), in_a_year = found[0], _IN_A_YEAR.get(found[0][1][-1:].upper(), 0)
    numbers = ((year, number) for year in range(found[0][0], found[-1][0] + 1) for number in range(1, in_a_year + 1))
    written = {f"{year}{unit}{number:0{len(digits)}}" for year, number in numbers}
    return sorted({one for one in written if known[0] <= one <= known[-1]} | set(known))


_PART = re.compile(r"(\d{4})([- ]?[QWHK]\w??)(\d{1,2})", re.IGNORECASE)
_IN_A_YEAR = {"Q": 4, "H": 2, "W": 52, "K": 52}


def _places(base: MeasuredColumn) -> list[int]:
    """The different periods, in order, as whole numbers that lie one apart where one follows the other."""
    if base.role is Role.PERIOD:
        numbered = all_periods(base) if base.is_time else []
        places = {value: at for at, value in enumerate(numbered)}
        return sorted({places.get(value, value) for value in base.known if isinstance(places.get(value, value), int)})
    moments = (read_moment(value) for value in base.known)
    return sorted({_place(moment, base.grain) for moment in moments if moment is not None})


def _place(moment: datetime, grain: Grain) -> int:
    match grain:
        case Grain.YEAR:
            return moment.year
        case Grain.MONTH:
            return moment.year * 12 + moment.month
        case Grain.DAY:
            return moment.toordinal()
        case Grain.HOUR:
            return moment.toordinal() * 24 + moment.hour
        case Grain.MINUTE:
            return (moment.toordinal() * 24 + moment.hour) * 60 + moment.minute
