"""When: years, days, months and periods, of the date that is named or of any."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.question.periods import Moment, Period, whole_year
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import Amount, Clock, Compare, During, Every, Ref, Versus
from askwell.semantic_parsing.forms import Bucket as DateBucket
from askwell.semantic_parsing.grammar.base import DENYING, TURNED, births, first_of, kept, rule, some_date, typed
from askwell.semantic_parsing.model.catalog import DATE, NUMBER, TRIMMED, Catalog

# How many months a period has.
_MONTHS = {1: "month", 3: "quarter", 12: "year"}


def some_time(catalog: Catalog) -> Ref:
    """Any date, and any column of years. Raises `Rejected` where the model has neither."""
    years = ((ref, TRIMMED) for ref in catalog.facts.columns if catalog.is_year(ref))
    options = (*catalog.hinted("date", (DATE,)), *years)
    if not options:
        raise Rejected
    return Ref(options, implicit=True)


def _period(moment: Period | Amount) -> Period:
    """The period; the whole of a year."""
    return moment if isinstance(moment, Period) else whole_year(int(moment.text))


def _bounded(op: str, period: Period) -> Period:
    """What lies before, after, or from the beginning of a period on. Raises `Rejected` for another relation."""
    match op:
        case ">":
            return Period(period.end, None)
        case ">=":
            return Period(period.start, None)
        case "<":
            return Period(None, period.start)
        case "<=":
            return Period(None, period.end)
    raise Rejected


@rule("When", "PERIOD", "DATE", "IN PERIOD", "YEAR_IN PERIOD", "IN DATE", "THROUGHOUT PERIOD")
@rule("When", "YEAR_IN YEAR", "YEAR", "UNIT YEAR")
def named_period(catalog: Catalog, *parts: Any) -> Period:
    return _period(parts[-1])


@rule("When", "COMPARE_BY PERIOD|DATE", "COMPARE_BY YEAR")
def before_or_after(catalog: Catalog, adjective: str, moment: Period | Amount) -> Period:
    op, _, hints = adjective.partition(" ")
    if "date" not in hints.split():
        raise Rejected
    return _bounded(op, _period(moment))


@rule("Pred", "COMPARE_BY YEAR")
def older_than_a_year(catalog: Catalog, adjective: str, year: Amount) -> During:
    """ "older than 2015": what was made or born before."""
    op, hints = adjective.split(" ", 1)
    years = ((ref, TRIMMED) for ref in catalog.facts.columns if catalog.is_year(ref))
    options = tuple(dict.fromkeys((*births(catalog), *years)))
    if hints != "age" or not options:
        raise Rejected
    return During(Ref(options), (_bounded(TURNED[op], _period(year)),))


@rule("When", "COMPARE AGO")
def longer_ago(catalog: Catalog, op: str, day: Moment) -> Period:
    """ "more than 30 days ago", and not in the future."""
    return Period(None, day) if op in (">", ">=") else Period(day, Moment(shift=1))


@rule("When", "COMPARE_BY YEAR OR_MORE", "COMPARE_BY PERIOD|DATE OR_MORE")
def from_then_on(catalog: Catalog, adjective: str, moment: Period | Amount, op: str) -> Period:
    """ "from 2022 on"."""
    if adjective.split()[0] != op:
        raise Rejected
    return since(catalog, moment, op)


@rule("When", "YEAR OR_MORE", "PERIOD OR_MORE")
def since(catalog: Catalog, moment: Period | Amount, op: str) -> Period:
    return _bounded(op, _period(moment))


@rule("When", "BETWEEN PERIOD|DATE AND|TO PERIOD|DATE", "IN PERIOD|DATE TO PERIOD|DATE")
@rule("When", "BETWEEN YEAR AND|TO YEAR", "IN? YEAR TO YEAR")
def between_periods(catalog: Catalog, _: str | None, first: Any, __: str, last: Any) -> Period:
    whole = Period(_period(first).start, _period(last).end)
    days = [one.day for one in (whole.start, whole.end) if one is not None and one.day is not None]
    if len(days) == 2 and days[0] >= days[1]:
        raise Rejected
    return whole


@rule("Pred", "When")
def when(catalog: Catalog, period: Period) -> During:
    return During(some_time(catalog) if _is_years(period) else some_date(catalog), (period,))


@rule("Pred", "YEAR_IN? YEAR AND!|OR! YEAR!", "When AND!|OR! When!")
def in_either_period(catalog: Catalog, *parts: Any) -> During:
    """ "in 2023 and 2024", "this week and last week"."""
    first, second = (_period(part) for part in parts if isinstance(part, Period | Amount))
    if None in (first.start, first.end, second.start, second.end):
        raise Rejected  # "after May and before July"
    return replace(when(catalog, first), periods=(first, second))


@rule("Pred", "BE? DONE When", "NOT BE? DONE When", "BE NOT DONE When")
def done_when(catalog: Catalog, *parts: Any) -> During:
    """ "(not) shipped in 2023"."""
    return replace(
        when_of(catalog, *parts), negated=not DENYING.isdisjoint(part for part in parts if isinstance(part, str))
    )


@rule("Pred", "Col When")
def when_of(catalog: Catalog, *parts: Any) -> During:
    ref = first_of(parts, Ref)
    period = first_of(parts, Period)
    return During(_timed(catalog, ref, period), (period,))


@rule("Pred", "NOT When", "NOT When OR|AND When", "NOT When COMMA When COMMA? OR|AND When")
def not_when(catalog: Catalog, *parts: Any) -> During:
    periods = tuple(part for part in parts if isinstance(part, Period))
    return replace(when(catalog, periods[0]), periods=periods, negated=True)


@rule("Pred", "Col|DONE? COMPARE_BY CLOCK", "Col|DONE? BETWEEN|COMPARE_BY CLOCK AND|TO CLOCK")
def at_time_of_day(catalog: Catalog, *parts: Any) -> Compare:
    """ "after 5 pm", "starting before 10:00", "between 9:00 and 11:00": of whatever day."""
    op, _, hints = first_of(parts, str).partition(" ")
    clocks = tuple(part for part in parts if isinstance(part, Clock))
    is_range = len(clocks) > 1 and clocks[0] < clocks[1] and op in ("between", ">=")
    if not is_range and (len(clocks) > 1 or "date" not in hints.split()):
        raise Rejected
    said = next((part for part in parts if isinstance(part, Ref)), None)
    ref = said or Ref(tuple((column, TRIMMED) for column in catalog.facts.columns), implicit=True)
    return Compare(kept(ref, catalog.has_hours), "between" if is_range else op, clocks)


@rule("Pred", "IN MONTH", "YEAR_IN MONTH", "MONTH")
def in_month(catalog: Catalog, *parts: Any) -> Signed:
    """ "in April", of whatever year."""
    return Signed(Compare(some_date(catalog), "month", (parts[-1],)), ("pred:month",))


@rule("Pred", "IN? DAYS", "DONE IN? DAYS")
def on_days(catalog: Catalog, *parts: Any) -> Signed:
    """ "on saturdays", "on saturday nights", "in the evening", of whatever week; "delivered on fridays"."""
    days, hours = parts[-1]
    ref = next((part for part in parts if isinstance(part, Ref)), None)
    ref = typed(catalog, ref, (DATE,)) if ref is not None else some_date(catalog)
    ref = kept(ref, catalog.has_hours) if hours else ref
    told = (Compare(ref, "weekday", days), Compare(ref, "hour", hours))
    found = tuple(one for one in told if one.right)
    return Signed(found[0] if len(found) == 1 else Every(found), ("pred:month",))


@rule("Versus", "When VERSUS When", "COMPARED When AND When")
def side_by_side(catalog: Catalog, *parts: Any) -> Versus:
    """ "2021 vs 2025", "this month against last month": each by itself."""
    first, second = (part for part in parts if isinstance(part, Period))
    unit = _unit(first)
    if unit is None or _unit(second) != unit:
        raise Rejected
    ref = some_time(catalog) if unit == "year" else some_date(catalog)
    return Versus(During(ref, (first, second)), DateBucket(unit, ref))


@rule("Versus", "When VERSUS EARLIER", "COMPARED When AND EARLIER")
def beside_an_earlier_one(catalog: Catalog, *parts: Any) -> Versus:
    """ "March 2025 compared with the same month a year ago", "this quarter versus the one before"."""
    period = first_of(parts, Period)
    months = 12 if parts[-1] == "year" else next((n for n, unit in _MONTHS.items() if unit == _unit(period)), None)
    before = period.earlier(months) if months is not None else None
    if before is None:
        raise Rejected
    return side_by_side(catalog, period, before)


@rule("Versus", "BETWEEN When AND When", "When TO When")
def from_one_to_the_other(catalog: Catalog, *parts: Any) -> Versus:
    """ "growth from 2021 to 2022": the two years of what changes; of anything else this is one period."""
    return replace(side_by_side(catalog, *parts), ends=True)


def _unit(period: Period) -> str | None:
    """What a period is one of: a day, week, month, quarter or year."""
    start, end = period.start, period.end
    if start is None or end is None:
        return None
    if start.day is None or end.day is None:
        if start.unit == "months_of_year" == end.unit:
            return _MONTHS.get(end.shift - start.shift)
        return start.unit if replace(start, shift=start.shift + 1) == end else None
    if (end.day - start.day).days == 1:
        return "day"
    months = 12 * (end.day.year - start.day.year) + end.day.month - start.day.month
    return _MONTHS.get(months) if start.day.day == end.day.day == 1 else None


def _is_years(period: Period) -> bool:
    """Whether it begins and ends with a year."""
    ends = [m for m in (period.start, period.end) if m is not None]
    return all(m.day is not None and (m.day.month, m.day.day) == (1, 1) for m in ends)


def _timed(catalog: Catalog, ref: Ref, period: Period) -> Ref:
    kinds = (DATE, NUMBER) if _is_years(period) else (DATE,)
    found = typed(catalog, ref, kinds)
    return kept(found, lambda column: catalog.kind(column) == DATE or catalog.is_year(column))
