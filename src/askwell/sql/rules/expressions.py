"""What stands inside one SELECT: outputs and conditions as sqlglot expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.query import Condition, Output, Subset
from askwell.sql.rules.vocabulary import Vocabulary

# The first day that MySQL supports (Reference Manual, 13.2.2); smaller ones are stand-ins for none.
FIRST_DAY = "1000-01-01"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPERATORS: dict[str, type[exp.Binary]] = {
    "=": exp.EQ,
    "<>": exp.NEQ,
    ">": exp.GT,
    "<": exp.LT,
    ">=": exp.GTE,
    "<=": exp.LTE,
}
_AGGREGATES: dict[str, type[exp.AggFunc]] = {"avg": exp.Avg, "sum": exp.Sum, "min": exp.Min, "max": exp.Max}
_ALIASES = {
    "per": "average_number_of",
    "avg": "average",
    "sum": "total",
    "min": "lowest",
    "max": "highest",
    "count": "number_of",
}


class Scope:
    """Expressions inside one SELECT; `qualified` where it reads more than one table."""

    def __init__(self, vocabulary: Vocabulary, qualified: bool) -> None:
        self._vocabulary = vocabulary
        self._qualified = qualified

    def _column(self, ref: ColumnRef) -> exp.Expr:
        return self._vocabulary.column(ref, qualified=self._qualified)

    def expression(self, output: Output) -> exp.Expr:
        """What an output computes."""
        if output.aggregate == "count":
            if output.column is None or not output.distinct:
                return exp.Count(this=exp.Star())
            return exp.Count(this=exp.Distinct(expressions=[self._column(output.column)]))
        if output.aggregate == "per" and output.column is not None:
            rows = exp.Mul(this=exp.Literal.number("1.0"), expression=exp.Count(this=exp.Star()))
            each = exp.Count(this=exp.Distinct(expressions=[self._column(output.column)]))
            return exp.Div(this=rows, expression=each, typed=True, safe=True)
        if output.column is None:
            raise AssertionError("only a count needs no column")
        column = self._column(output.column)
        if output.bucket is not None:
            return self._vocabulary.bucket(column, output.bucket, output.column)
        per = self._vocabulary.per(output.column)
        if output.aggregate == "avg" and per is not None:
            each = exp.Count(this=exp.Distinct(expressions=[self._column(per)]))
            return exp.Div(this=exp.Sum(this=column), expression=each, typed=False, safe=True)
        if output.aggregate in ("sum", "avg") and self._vocabulary.reads_types:
            column = self._as_number(column, output.column)
        return _AGGREGATES[output.aggregate](this=column) if output.aggregate is not None else column

    def _as_number(self, column: exp.Expr, ref: ColumnRef) -> exp.Expr:
        """A column that holds nothing but numbers, as text, as the numbers; any other column as it is."""
        return exp.Cast(this=column, to=exp.DataType.build("double")) if self._vocabulary.plain_numbers(ref) else column

    def everything(self, table: str) -> exp.Expr:
        """All columns of a table."""
        return exp.Column(this=exp.Star(), table=self._vocabulary.identifier(table)) if self._qualified else exp.Star()

    def shown(self, output: Output) -> exp.Expr:
        """An output of the select list, named where the database would make up a name."""
        expression = self.expression(output)
        name = alias(output)
        return exp.alias_(expression, self._vocabulary.identifier(name)) if name is not None else expression

    def ranked(self, output: Output) -> exp.Expr:
        """An output that rows are sorted by, under a name that tells people what it is."""
        plain = output.column.column if output.column is not None else "rank"
        return exp.alias_(self.expression(output), self._vocabulary.identifier(alias(output) or plain))

    def condition(self, condition: Condition) -> exp.Expr:
        """A condition; negated ones keep the rows without a value out, as people expect of "not". What has never
        happened has not happened in a period either."""
        found = self._positive(condition)
        if not condition.negated:
            return found
        negation = _negation(found)
        if condition.period is None or self._vocabulary.always_there(condition.column):
            return negation
        return exp.or_(negation, exp.Is(this=self._column(condition.column), expression=exp.Null()))

    def _positive(self, condition: Condition) -> exp.Expr:
        column: exp.Expr = self._column(condition.column)
        if condition.than_average or condition.than:
            ref, own = condition.column, self._vocabulary.column(condition.column, qualified=False)
            if condition.than_average:
                column, own = self._as_number(column, ref), self._as_number(own, ref)
            inner = exp.select(_AGGREGATES[condition.than or "avg"](this=own))
            average = exp.Subquery(this=inner.from_(self._vocabulary.table(ref.table)))
            return OPERATORS[condition.operator](this=column, expression=average)
        if condition.period is not None:
            return exp.and_(*self._during(condition, column))
        if condition.other is not None:
            return OPERATORS[condition.operator](this=column, expression=self._column(condition.other))
        if condition.subset is not None:
            return self._within(condition.subset, column)
        if (
            self._vocabulary.numeric_text(condition.column)
            and condition.values
            and all(not isinstance(v, str) for v in condition.values)
        ):
            return self._numeric(condition, column)
        return self._compared(condition, column)

    def _within(self, subset: Subset, column: exp.Expr) -> exp.Expr:
        """A row may be of the outer table as well, so the inner one has a scope of its own and no joins."""
        inner = Scope(self._vocabulary, False)
        conditions = (inner.condition(condition) for condition in subset.conditions)
        chosen = exp.select(self._vocabulary.column(subset.column, qualified=False))
        chosen = chosen.from_(self._vocabulary.table(subset.column.table)).where(*conditions)
        return exp.In(this=column, query=exp.Subquery(this=chosen))

    def _compared(self, condition: Condition, column: exp.Expr) -> exp.Expr:
        values = [self._vocabulary.literal_of(value, condition.column) for value in condition.values]
        match condition.operator:
            case "between":
                return exp.Between(this=column, low=values[0], high=values[1])
            case "like":
                # nobody minds capitals in a part of a name; elsewhere LIKE does not either
                like = exp.ILike if self._vocabulary.minds_capitals else exp.Like
                if self._vocabulary.needs_text(condition.column):
                    column = exp.Cast(this=column, to=exp.DataType.build("text"))
                return like(this=column, expression=self._vocabulary.literal(condition.values[0]))
            case "in":
                return exp.In(this=column, expressions=values)
            case "true":
                return exp.EQ(this=column, expression=exp.true())
            case "blank" | "filled" as state:
                return self._blank(condition.column, column, blank=state == "blank")
            case "null":
                return exp.Is(this=column, expression=exp.Null())
            case operator:
                return OPERATORS[operator](this=column, expression=values[0])

    def _blank(self, ref: ColumnRef, column: exp.Expr, *, blank: bool) -> exp.Expr:
        """Whether nothing is there: no value, and of a text or a number not an empty one either."""
        missing: exp.Expr = exp.Is(this=column, expression=exp.Null())
        nothing = self._vocabulary.nothing(ref)
        if not blank:
            there = [_negation(missing)]
            return exp.and_(*there, *([exp.NEQ(this=column.copy(), expression=nothing)] if nothing else []))
        return exp.or_(missing, exp.EQ(this=column.copy(), expression=nothing)) if nothing else missing

    def _numeric(self, condition: Condition, column: exp.Expr) -> exp.Expr:
        """Numbers that are kept as text compare as numbers; equality does not need it."""
        if condition.operator in ("=", "in"):
            texts = tuple(str(value) for value in condition.values)
            return self._compared(replace(condition, values=texts), column)
        return self._compared(condition, exp.Cast(this=column, to=exp.DataType.build("double")))

    def _during(self, condition: Condition, column: exp.Expr) -> Iterable[exp.Expr]:
        period, ref = condition.period, condition.column
        if period is not None and period.start is None and self._vocabulary.has_zero_dates(ref):
            yield exp.GTE(this=column.copy(), expression=exp.Literal.string(FIRST_DAY))
        if period is not None and period.start is not None:
            yield exp.GTE(this=column, expression=self._vocabulary.moment(period.start, ref))
        if period is not None and period.end is not None:
            yield exp.LT(this=column.copy(), expression=self._vocabulary.moment(period.end, ref))


def _negation(condition: exp.Expr) -> exp.Expr:
    """NOT, written as people do."""
    match condition:
        case exp.EQ(this=left, expression=exp.Boolean(this=True)):
            return exp.EQ(this=left, expression=exp.false())
        case exp.EQ(this=left, expression=right):
            return exp.NEQ(this=left, expression=right)
        case exp.Is(this=left, expression=exp.Null() as nothing):
            return exp.Is(this=left, expression=exp.Not(this=nothing))
        case exp.Is(this=left, expression=exp.Not(this=nothing)):
            return exp.Is(this=left, expression=nothing)
        case exp.Connector():  # NOT binds more tightly than AND and OR
            return exp.Not(this=exp.Paren(this=condition))
        case _:
            return exp.Not(this=condition)


def alias(output: Output) -> str | None:
    """The name of an output that the database would make one up for; None where it has its own."""
    if output.bucket is not None:
        return output.bucket
    if output.aggregate is None:
        return None
    rows = output.rows_of if output.aggregate in ("count", "per") else None
    about = (rows or (output.column.column if output.column is not None else "rows")).removeprefix("total_")
    if about.lower() == "total":
        return "total" if output.aggregate == "sum" else f"{_ALIASES[output.aggregate]}_total"
    return f"{_ALIASES[output.aggregate]}_{about}".lower() if _NAME.fullmatch(about) else None
