"""Periods that are counted from today, or say no year, as days: for values that are bound when they are read."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from askwell.question.periods import Moment, Period, day_number, day_of, period_at, year_of
from askwell.question.tokens import Token, TokenKind
from askwell.question.words import LISTING, MONTHS, NUMBER_WORDS, PERIODS

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Days:
    """From `start` (included) to `end` (not included); either may be open. `written` is the only
    day, where it was written as 2024-01-31. `says_year`: it lies where it lies, whatever day today is."""

    start: date | None
    end: date | None
    written: date | None = None
    says_year: bool = True

    @property
    def is_one_day(self) -> bool:
        return self.start is not None and self.end == self.start + _DAY


@dataclass(frozen=True, slots=True)
class DayWords:
    """The words around days; see `filling.yaml`. Each is one word or several."""

    since: Sequence[str]
    after: Sequence[str]
    before: Sequence[str]
    until: Sequence[str]
    between: Sequence[str]
    joined: Sequence[str]
    part_of: Sequence[str]
    parts: dict[str, int]


def days_at(tokens: Sequence[Token], i: int, today: date, words: DayWords) -> tuple[Days, int] | None:
    """The days that are named from token `i` on, and how many tokens that takes. Of a month or a day without a year,
    the last one that has begun is meant."""
    try:
        return _range(tokens, i, today, words)
    except (OverflowError, ValueError):  # outside the calendar
        return None


def phrase_at(tokens: Sequence[Token], i: int, phrases: Sequence[str]) -> int:
    """How many tokens the longest of the phrases takes that stands at token `i`; 0 where none does."""
    found = 0
    for phrase in phrases:
        parts = phrase.split()
        if [token.low for token in tokens[i : i + len(parts)]] == parts:
            found = max(found, len(parts))
    return found


def _range(tokens: Sequence[Token], i: int, today: date, words: DayWords) -> tuple[Days, int] | None:
    if begins := phrase_at(tokens, i, words.between):
        if (whole := period_at(tokens, i)) is not None:  # “from January to March 2024”
            return _resolved(whole[0], today), whole[1]
        if found := _joined(tokens, i + begins, today, words):
            return found[0], found[1] + begins
    if found := _joined(tokens, i, today, words):
        return found
    for phrases in (words.since, words.after, words.before, words.until):
        taken = phrase_at(tokens, i, phrases)
        if not taken or (one := _one(tokens, i + taken, today, words)) is None:
            continue
        days, length = one
        if phrases is words.since:
            return Days(days.start, None), length + taken
        if phrases is words.after:
            return Days(days.end, None), length + taken
        end = days.start if phrases is words.before else days.end
        return Days(None, end), length + taken
    return _one(tokens, i, today, words)


def _joined(tokens: Sequence[Token], i: int, today: date, words: DayWords) -> tuple[Days, int] | None:
    """Two ends, both included."""
    first = _one(tokens, i, today, words)
    taken = phrase_at(tokens, i + first[1], words.joined) if first is not None else 0
    last = _one(tokens, i + first[1] + taken, today, words) if first is not None and taken else None
    if first is None or last is None or first[0].start is None or last[0].end is None:
        return None
    start, end = first[0].start, last[0].end
    begun = phrase_at(tokens, i - 1, words.between) if i else 0
    if first[0].says_year and first[0].end != last[0].start and not begun and tokens[i + first[1]].low in LISTING:
        return None  # "in 2022 and 2024"
    if not first[0].says_year:
        start = start.replace(year=(end - _DAY).year) if last[0].says_year else start
        if start >= end:
            start = start.replace(year=start.year - 1)
    return Days(start, end), first[1] + taken + last[1]


def _one(tokens: Sequence[Token], i: int, today: date, words: DayWords) -> tuple[Days, int] | None:
    if i >= len(tokens):
        return None
    token = tokens[i]
    if token.low == "the" and (found := _one(tokens, i + 1, today, words)):
        return found[0], found[1] + 1
    if token.kind is TokenKind.NUMBER and (day := day_of(token.text)) is not None:
        return Days(day, day + _DAY, day), 1
    if (part := _part(tokens, i, today, words)) is not None:
        return part
    if (period := period_at(tokens, i)) is not None:
        return _resolved(period[0], today), period[1]
    if (year := year_of(token)) is not None:
        return Days(date(year, 1, 1), date(year + 1, 1, 1)), 1
    return _without_year(tokens, i, today)


def _resolved(period: Period, today: date) -> Days:
    start, end = (None if moment is None else _day(moment, today) for moment in (period.start, period.end))
    return Days(start, end)


def _without_year(tokens: Sequence[Token], i: int, today: date) -> tuple[Days, int] | None:
    """March · March 5 · 5 March · the 5th of March."""
    month, day, length = MONTHS.get(tokens[i].low), None, 1
    if month is not None:
        day = day_number(tokens, i + 1)
        length += day is not None
    else:
        day = day_number(tokens, i)
        at = i + 2 if i + 1 < len(tokens) and tokens[i + 1].low == "of" else i + 1
        month = MONTHS.get(tokens[at].low) if day is not None and at < len(tokens) else None
        length = at - i + 1
    if month is None:
        return None
    year = today.year if date(today.year, month, day or 1) <= today else today.year - 1
    start = date(year, month, day or 1)
    return Days(start, start + _DAY if day else _months_on(start, 1), says_year=False), length


def _part(tokens: Sequence[Token], i: int, today: date, words: DayWords) -> tuple[Days, int] | None:
    """ "first two weeks of May 2024", "last day of March"."""
    side = words.parts.get(tokens[i].low)
    if side is None:
        return None
    low = tokens[i + 1].low if i + 1 < len(tokens) else ""
    count = NUMBER_WORDS.get(low) or (int(low) if low.isascii() and low.isdigit() and len(low) <= 3 else None)
    at = i + 1 + (count is not None)
    unit = PERIODS.get(tokens[at].low) if at < len(tokens) else None
    of = phrase_at(tokens, at + 1, words.part_of)
    whole = _one(tokens, at + 1 + of, today, words) if unit is not None and of else None
    if whole is None or unit is None or whole[0].start is None or whole[0].end is None:
        return None
    steps = side * (count or 1)
    if side > 0:
        days = replace(whole[0], end=min(moved(whole[0].start, unit, steps), whole[0].end))
    else:
        days = replace(whole[0], start=max(moved(whole[0].end, unit, steps), whole[0].start))
    return days, at + 1 + of + whole[1] - i


def _day(moment: Moment, today: date) -> date:
    if moment.day is not None:
        return moment.day
    steps = {"months_from_today": "month", "years_from_today": "year", "months_of_year": "month"}
    start = start_of("year" if moment.unit == "months_of_year" else moment.unit, today)
    return moved(start, steps.get(moment.unit, moment.unit), moment.shift)


def start_of(unit: str, day: date) -> date:
    """The first day of the week (from Monday on), month, quarter or year that a day is in; else the day itself."""
    starts = {
        "week": day - timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "quarter": date(day.year, (day.month - 1) // 3 * 3 + 1, 1),
        "year": date(day.year, 1, 1),
    }
    return starts.get(unit, day)


def moved(day: date, unit: str, count: int) -> date:
    """The day so many days, weeks, months, quarters or years later; of a shorter month, the last."""
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    return _months_on(day, count * {"month": 1, "quarter": 3, "year": 12}[unit])


def _months_on(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
