"""Conditions on when: a date in a period, a year beside a number."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import YEARS, Moment, Period
from askwell.semantic_parsing.compiling.comparability import Condition, Meaningless, refuse_condition
from askwell.semantic_parsing.compiling.vocabulary import Vocabulary
from askwell.semantic_parsing.forms import Number
from askwell.semantic_parsing.model.catalog import DATE, Catalog


@dataclass(frozen=True, slots=True)
class PeriodWriter:
    """Writes conditions on dates, and on years that are numbers."""

    catalog: Catalog
    vocabulary: Vocabulary

    def within(self, column: ColumnRef, period: Period) -> exp.Expr:
        """That a column lies in a period. Raises `Meaningless` where it has no dates."""
        if period.start is None and period.end is None:
            raise Meaningless("no time")
        if self.catalog.is_year(column):
            return self._year_numbers(column, period)
        refuse_condition(Condition(column, "during", period=period), self.catalog.facts, self.vocabulary.dialect)
        if self.catalog.kind(column) != DATE:
            raise Meaningless("no date")
        this = self.vocabulary.column(column, qualified=True)
        bounds: list[exp.Expr] = []
        if period.start is not None:
            bounds.append(exp.GTE(this=this, expression=self.vocabulary.moment(period.start, column)))
        if period.end is not None:
            bounds.append(exp.LT(this=this.copy(), expression=self.vocabulary.moment(period.end, column)))
        return exp.and_(*bounds)

    def years(self, column: ColumnRef, op: str, numbers: list[Number]) -> exp.Expr:
        """A date beside bare numbers: they are years. Raises `Meaningless` where they are none."""
        years = [int(number) for number in numbers if number in YEARS]
        if len(years) != len(numbers):
            raise Meaningless("no year")
        first, last = Moment(date(years[0], 1, 1)), Moment(date(years[-1] + 1, 1, 1))
        bounds: dict[str, tuple[Moment | None, Moment | None]]
        bounds = {"=": (first, last), "between": (first, last), ">": (last, None), ">=": (first, None)}
        bounds |= {"<": (None, first), "<=": (None, last)}
        if op not in bounds:
            raise Meaningless("no relation of years")
        return self.within(column, Period(*bounds[op]))

    def _year_numbers(self, column: ColumnRef, period: Period) -> exp.Expr:
        if any(moment is not None and moment.day is None for moment in (period.start, period.end)):
            raise Meaningless("years that are counted from today")
        this = self.vocabulary.number(column)
        if period.year is not None:
            return exp.EQ(this=this, expression=exp.Literal.number(period.year))
        first = period.start.day.year if period.start is not None and period.start.day is not None else None
        end = period.end.day.year if period.end is not None and period.end.day is not None else None
        bounds: list[exp.Expr] = []
        if first is not None:
            bounds.append(exp.GTE(this=this, expression=exp.Literal.number(first)))
        if end is not None:
            bounds.append(exp.LT(this=this.copy(), expression=exp.Literal.number(end)))
        return exp.and_(*bounds)
