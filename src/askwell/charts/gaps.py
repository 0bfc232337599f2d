"""Periods that a series over time has no rows for."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import pairwise
from typing import Any

from askwell.charts.columns import Grain, MeasuredColumn, Role, read_moment


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
    """The periods from the first to the last, as `base` writes them; none where that cannot be told. A year of weeks is
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
