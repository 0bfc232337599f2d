"""Time in a question: named days, months, quarters and years, and periods counted from today, all half-open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from askwell.question import words
from askwell.question.tokens import Token, TokenKind

# Numbers that may be years, and those that are taken for years where nothing says so.
YEARS, SURELY_YEARS = range(1000, 2200), range(1500, 2200)
# A month may have as many days as in it.
_LEAP_YEAR = 2000
# What lies farther from today is outside the calendar of some database.
_MOST_PERIODS = {"year": 1_000, "quarter": 4_000}
_MONTHS_OF = {"months_of_year": 1, "month": 1, "quarter": 3, "year": 12}
# Words of the first end of a span: “the 3rd of March, 2024”.
_LONGEST_END = 6


@dataclass(frozen=True, slots=True)
class Moment:
    """The start of a day: a named one (`day`), or `shift` units from the start of the current `unit`; of some units,
    such as "months_of_year", from that of another one."""

    day: date | None = None
    unit: str = "day"
    shift: int = 0

    def earlier(self, months: int) -> Moment | None:
        """The moment so many months before; None where that is no whole number of its units, or no such day."""
        if self.day is None:
            units, rest = divmod(months, _MONTHS_OF.get(self.unit, months + 1))
            return None if rest else replace(self, shift=self.shift - units)
        years, month = divmod(12 * self.day.year + self.day.month - 1 - months, 12)
        is_day = years > 0 and self.day.day <= _days_of(years, month + 1)
        return Moment(self.day.replace(years, month + 1)) if is_day else None


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` (included) to `end` (not included); either may be open. `year` is set when the words name no
    more than a year, so that a column of years can be compared with it."""

    start: Moment | None
    end: Moment | None
    year: int | None = None

    def earlier(self, months: int) -> Period | None:
        """The period so many months before; None for one that is not made of months."""
        start, end = (one and one.earlier(months) for one in (self.start, self.end))
        return (
            Period(start, end, start.day.year if self.year and start and start.day else None) if start and end else None
        )

    @property
    def is_today(self) -> bool:
        """Whether it is the current day."""
        return (self.start, self.end) == (Moment(), Moment(shift=1))


def whole_year(year: int) -> Period:
    """All of one year."""
    return Period(Moment(date(year, 1, 1)), Moment(date(year + 1, 1, 1)), year)


def _months(year: int | Moment, first: int, last: int) -> Period:
    if isinstance(year, Moment):
        start = Moment(unit="months_of_year", shift=12 * year.shift + first - 1)
        return Period(start, replace(start, shift=start.shift + last - first + 1))
    return Period(Moment(date(year, first, 1)), Moment(_month_after(year, last)))


def whole_day(day: date) -> Period:
    """All of one day; after the last day of the calendar there is none."""
    return Period(Moment(day), Moment(date.fromordinal(day.toordinal() + 1)) if day < date.max else None)


def _month_after(year: int, month: int) -> date:
    return date(year + 1, 1, 1) if month == 12 else date(year, month + 1, 1)


def day_of(text: str) -> date | None:
    """The day an ISO date names, when there is such a day."""
    try:
        year, month, day = (int(part) for part in text[:10].split("-"))
        return date(year, month, day)
    except ValueError:
        return None


def impossible_day(tokens: Sequence[Token]) -> str | None:
    """A day that the question names and no calendar has: "31 February"."""
    for i, token in enumerate(tokens):
        if token.kind is TokenKind.NUMBER and "-" in token.text[1:] and day_of(token.text) is None:
            return token.text
        month = words.MONTHS.get(token.low) if token.kind is TokenKind.WORD else None
        before = i - 2 if i > 1 and _low(tokens, i - 1) in words.OF_A_PERIOD["day"] else i - 1
        for first, last in ((before, i), (i, i + 1)) if month is not None else ():
            day = day_number(tokens, first if first != i else last) if first >= 0 else None
            years = (year_of(one) for one in tokens[last + 1 : last + 3])
            year = next((year for year in years if year is not None), _LEAP_YEAR)
            if month is not None and day is not None and not _is_day(year, month, day):
                return " ".join(one.text for one in tokens[first : last + 1])
    return None


def _is_day(year: int, month: int, day: int) -> bool:
    return 1 <= day <= _days_of(year, month)


def _days_of(year: int, month: int) -> int:
    return (_month_after(year, month) - date(year, month, 1)).days


def year_of(token: Token) -> int | None:
    """The year a bare four-digit number may mean."""
    if token.kind is TokenKind.NUMBER and token.text.isdigit() and len(token.text) == 4:
        year = int(token.text)
        return year if year in YEARS else None
    return None


def _year_at(tokens: Sequence[Token], i: int) -> tuple[int | Moment, int] | None:
    """The year that is named at token `i`, or counted from the current one ("last year"), and the token after it."""
    year, shift = year_of(tokens[i]) if i < len(tokens) else None, words.SHIFTS.get(_low(tokens, i))
    if year is not None:
        return year, i + 1
    is_shifted = shift is not None and _low(tokens, i) not in words.ROLLING and _low(tokens, i + 1) == "year"
    return (Moment(unit="year", shift=shift), i + 2) if shift is not None and is_shifted else None


def period_at(tokens: Sequence[Token], i: int) -> tuple[Period, int] | None:
    """The period that starts at token `i`, and how many tokens it takes. A bare year is left to the grammar."""
    return (
        _span(tokens, i)
        or _quarter(tokens, i)
        or _relative(tokens, i)
        or _month_or_day(tokens, i)
        or _month_of_a_list(tokens, i)
    )


def _span(tokens: Sequence[Token], i: int) -> tuple[Period, int] | None:
    """ "between January and March 1998", "Jan to June 2017", "from 3 to 7 May 2021": both ends are included. The first
    may leave the year to the second, or its month too; the second its month to the first: "March 3 and 7, 2021"."""
    begin = i + (_low(tokens, i) in words.FROM)
    joining = words.UNTIL_BOTH if begin > i else words.UNTIL
    at = next(
        (at for at in range(begin + 1, min(begin + _LONGEST_END, len(tokens))) if tokens[at].low in joining), None
    )
    if at is None:
        return None
    said = tokens[begin:at]
    last, end = _named_whole(tokens[at + 1 :])
    if last is None and said[0].low in words.MONTHS:
        last, end = _named_whole([said[0], *tokens[at + 1 :]])
        end -= 1
    if last is None or last.end is None:
        return None
    end += at + 1
    left_out = [tokens[at + 2 : end], tokens[end - 1 : end]]
    for more in left_out if begin == i else [(), *left_out]:
        first, length = _named_whole([*said, *more])
        if first is not None and first.start is not None and length == len(said) + len(more):
            return (Period(first.start, last.end), end - i) if _is_before(first.start, last.end) else None
    return None


def _is_before(one: Moment, other: Moment) -> bool:
    if one.day is None or other.day is None:
        return one.day is other.day and one.unit == other.unit and one.shift < other.shift
    return one.day < other.day


def _named_whole(tokens: Sequence[Token]) -> tuple[Period | None, int]:
    """The quarter, month or day of a year that is named first, and how many tokens that takes."""
    found = (_quarter(tokens, 0) or _month_or_day(tokens, 0)) if tokens else None
    return found or (None, 0)


def _low(tokens: Sequence[Token], i: int) -> str:
    return tokens[i].low if i < len(tokens) else ""


def _count(tokens: Sequence[Token], i: int) -> int | None:
    if i >= len(tokens):
        return None
    token = tokens[i]
    if token.kind is TokenKind.NUMBER and token.text.isdigit() and len(token.text) <= 4:
        return int(token.text)
    return words.NUMBER_WORDS.get(token.low)


def _relative(tokens: Sequence[Token], i: int) -> tuple[Period, int] | None:
    word = tokens[i].low
    if (days := words.DAYS.get(word)) is not None:
        return Period(Moment(shift=days), Moment(shift=days + 1)), 1
    if (shift := words.SHIFTS.get(word)) is None:
        return None
    if not shift and (month := words.MONTHS.get(_low(tokens, i + 1))) is not None:
        return _months(Moment(unit="year"), month, month), 2
    unit = words.PERIODS.get(_low(tokens, i + 1))
    if unit is not None and not _low(tokens, i + 1).endswith("ly"):
        if word in words.ROLLING:
            return _counted(unit, 1, shift), 2
        start = Moment(unit=unit, shift=shift)
        if shift == 0 and _low(tokens, i + 2) in words.UNTIL and _low(tokens, i + 3) in words.NOW:
            return Period(start, Moment(shift=1)), 4
        return Period(start, Moment(unit=unit, shift=shift + 1)), 2
    counted, unit = _count(tokens, i + 1), words.PERIODS.get(_low(tokens, i + 2))
    if counted is None or counted < 1 or unit is None or not shift or counted > _MOST_PERIODS.get(unit, counted):
        return None
    return _counted(unit, counted, shift), 3


def ago_at(tokens: Sequence[Token], i: int) -> tuple[Moment, int] | None:
    """The day so long before today, "30 days ago", and how many tokens that takes."""
    counted = 1 if tokens[i].low in words.ONES else _count(tokens, i)
    unit = words.PERIODS.get(_low(tokens, i + 1))
    if (
        not counted
        or unit is None
        or _low(tokens, i + 2) not in words.AGO
        or counted > _MOST_PERIODS.get(unit, counted)
    ):
        return None
    end = _counted(unit, counted, 1).end
    return (replace(end, shift=-end.shift), 3) if end is not None else None


def _counted(unit: str, counted: int, shift: int) -> Period:
    """The last (`shift` -1) or next so many units, counted from today, which is the last or first of their days."""
    step = {"week": 7, "quarter": 3}.get(unit, 1) * counted
    base = {"quarter": "months_from_today", "month": "months_from_today", "year": "years_from_today"}
    span = base.get(unit, "day")
    if shift < 0:
        return Period(Moment(unit=span, shift=-step + (span == "day")), Moment(shift=1))
    return Period(Moment(), Moment(unit=span, shift=step))


def _quarter(tokens: Sequence[Token], i: int) -> tuple[Period, int] | None:
    word = tokens[i].low
    if len(word) == 2 and word[0] == "q" and word[1] in "1234":
        ordinal, months, at = int(word[1]), 3, i + 1
    elif word in words.ORDINALS and _low(tokens, i + 1) in words.PARTS_OF_A_YEAR:
        ordinal, months, at = words.ORDINALS[word], words.PARTS_OF_A_YEAR[_low(tokens, i + 1)], i + 2
    else:
        return None
    year = _year_at(tokens, at + (_low(tokens, at) in words.OF_A_PERIOD["part"]))
    parts = 12 // months
    place = parts if word in words.SHIFTS else ordinal  # "the last half"
    if year is None or place > parts:
        return None
    return _months(year[0], months * (place - 1) + 1, months * place), year[1] - i


def _month_or_day(tokens: Sequence[Token], i: int) -> tuple[Period, int] | None:
    """March 2024 · March 5, 2024 · 5 March 2024 · March 5th 2024."""
    month = words.MONTHS.get(tokens[i].low)
    if month is None:
        day = day_number(tokens, i)
        at = i + 2 if _low(tokens, i + 1) in words.OF_A_PERIOD["day"] else i + 1
        month = words.MONTHS.get(_low(tokens, at))
        if day is None or month is None:
            return None
        return _named_day(tokens, i, at + 1, month, day)
    after = i + 2 if _low(tokens, i + 1) in words.OF_A_PERIOD["month"] else i + 1
    if (year := _year_at(tokens, after)) is not None:
        return _months(year[0], month, month), year[1] - i
    day = day_number(tokens, i + 1)
    return _named_day(tokens, i, i + 2, month, day) if day is not None else None


def _month_of_a_list(tokens: Sequence[Token], i: int) -> tuple[Period, int] | None:
    """The first month in "January and March 2024", which leaves the year to the last."""
    month = words.MONTHS.get(tokens[i].low)
    if month is None or _low(tokens, i + 1) not in words.LISTING or i + 2 >= len(tokens):
        return None
    found = _month_or_day(tokens, i + 2) or _month_of_a_list(tokens, i + 2)
    start = found[0].start if found is not None else None
    if found is None or start is None or (start.day is None and start.unit != "months_of_year"):
        return None
    year = start.day.year if start.day is not None else Moment(unit="year", shift=start.shift // 12)
    is_month = found[0] in [_months(year, number, number) for number in words.MONTHS.values()]
    return (_months(year, month, month), 1) if is_month else None


def day_number(tokens: Sequence[Token], i: int) -> int | None:
    """The day of a month that a token may be: "3", "3rd"."""
    text = _low(tokens, i)
    for ending in words.ORDINAL_ENDINGS:
        text = text.removesuffix(ending)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= 31 else None


def _named_day(tokens: Sequence[Token], i: int, at: int, month: int, day: int) -> tuple[Period, int] | None:
    if _low(tokens, at) in words.OF_A_PERIOD["month"]:
        at += 1
    year = year_of(tokens[at]) if at < len(tokens) else None
    if year is None:
        return None
    return (whole_day(date(year, month, day)), at - i + 1) if _is_day(year, month, day) else None
