"""Conditions on time: "last month", "in March 2024", "since 2020", "between 2010 and 2012"."""

from __future__ import annotations

from askwell.question.periods import Period, day_of, whole_day, whole_year
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.grammar.context import column_before, place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Span, Thing
from askwell.sql.rules.timecolumns import date_column, no_date, refuse_untold, verbs_of, year_column
from askwell.sql.rules.translation import Assumption


def period_of(span: Span) -> Period | None:
    """The period a span names: a phrase, a day, or a year."""
    if span.kind is Thing.PERIOD:
        return span.period
    if span.kind is not Thing.NUMBER:
        return None
    if "-" in span.detail:
        day = day_of(span.detail)
        return whole_day(day) if day is not None else None
    if span.detail.isdigit() and len(span.detail) == 4 and 1000 <= int(span.detail) <= 2199:
        return whole_year(int(span.detail))
    return None


def period_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "last month", "in March 2024"."""
    return year_at(reader, draft, i, i)


def year_at(reader: Reader, draft: Draft, i: int, j: int, choice: Choice | None = None) -> tuple[Draft, int] | None:
    """The period at `j` under the comparison at `i` (none where they are the same), on the chosen or the only date."""
    sentence = reader.sentence
    period = period_of(sentence.span(j))
    if period is None:
        return None
    if choice is None:
        column = column_before(reader, draft, i)
        if column is not None and sentence.table(column) is None:
            named = reader.choose(sentence.span(column).columns, column, back=True)
            if reader.column(named.ref).is_date:
                choice, draft = named, draft.take(column)
    choice = choice or date_column(reader)
    if choice is None:
        raise no_date(reader, sentence.span(j).text)
    refuse_untold(reader, i, choice.ref)
    operator = sentence.span(i).detail if i != j else ""
    bounded = _bounded(period, operator)
    if bounded.start is None and bounded.end is None:  # nothing is after the last day
        raise DeadEnd("unplaced_words", sentence.span(i).text, sentence.span(j).text)
    condition = Condition(choice.ref, "during", period=bounded)
    draft = draft.take(i, j, *verbs_of(reader, choice.ref)).assume(*choice.assumptions).shaped("time")
    return place(reader, draft, condition, i), j + 1


def _bounded(period: Period, operator: str) -> Period:
    match operator:
        case ">":
            return Period(period.end, None)
        case ">=":
            return Period(period.start, None)
        case "<":
            return Period(None, period.start)
        case "<=":
            return Period(None, period.end)
        case _:
            return period


def bound_at(
    reader: Reader, low: int, high: int, choice: Choice | None = None
) -> tuple[Condition, tuple[Assumption, ...]] | None:
    """ "between 2010 and 2012" or between two days, both included, when there is a date to compare with."""
    first, last = period_of(reader.sentence.span(low)), period_of(reader.sentence.span(high))
    if first is None or last is None:
        return None
    if choice is None and first.year is not None and year_column(reader, low) is not None:
        return None
    choice = choice or date_column(reader)
    if choice is None:
        return None
    return Condition(choice.ref, "during", period=Period(first.start, last.end)), choice.assumptions
