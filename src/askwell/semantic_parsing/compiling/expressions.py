"""What stands inside one SELECT over joined tables: columns, spans of dates, figures and conditions on them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.semantic_parsing.compiling.comparability import Meaningless, refuse_figure
from askwell.semantic_parsing.compiling.joined import Joined, repeats
from askwell.semantic_parsing.compiling.outputs import Shown, Span
from askwell.semantic_parsing.compiling.predicates import OPERATORS, PredicateWriter
from askwell.semantic_parsing.forms import Compare, Measure, Metric, Ref, Rows
from askwell.semantic_parsing.model.catalog import DATE, KEY, Catalog
from askwell.semantic_parsing.model.durations import AGE

AGGREGATES: Mapping[str, type[exp.AggFunc]] = {
    "avg": exp.Avg,
    "mean": exp.Avg,
    "sum": exp.Sum,
    "total": exp.Sum,
    "min": exp.Min,
    "max": exp.Max,
}
_NULLS_FIRST = frozenset({"sqlite", "mysql"})
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAMES = {"p50": "median", "avg": "average", "sum": "total", "min": "lowest", "max": "highest", "count": "number_of"}


class ExpressionWriter:
    """Writes expressions over `joined` tables, of which `kinds` are shown once for each value in any spelling. Features
    go to `predicates`."""

    def __init__(
        self, catalog: Catalog, predicates: PredicateWriter, joined: Joined, kinds: frozenset[Shown] = frozenset()
    ) -> None:
        self._catalog, self._predicates, self._joined, self._kinds = catalog, predicates, joined, kinds
        self._vocabulary, self._columns = predicates.vocabulary, predicates.columns
        self._dialect = predicates.vocabulary.dialect

    def expression(self, shown: Shown) -> exp.Expr:
        """What is computed for it. Raises `Meaningless` for a figure of what has none."""
        match shown:
            case Measure():
                return self._measure(shown)
            case Span(unit, column):
                return self._vocabulary.bucket(self._vocabulary.moment_of(column), unit, column)
            case _ if shown in self._kinds:
                return self._vocabulary.kind_of(shown)
            case _:
                return self._vocabulary.column(shown, qualified=True)

    def shown(self, shown: Shown) -> exp.Expr:
        """An expression of the select list, named where the database would make up a name."""
        match shown:
            case Measure(op, of):
                column = self._columns[of] if isinstance(of, Ref) else None
                counted = "rows" if self._joined.joins else self._joined.root
                rows = of.table if isinstance(of, Rows) else counted
                about = self._vocabulary.heading(column) if column is not None else rows
                name = _named(of, op) or named(self._op(op, column), about)
            case Span(unit):
                name = unit
            case ColumnRef():
                name = self._vocabulary.heading(shown)
        expression = self.expression(shown)
        if isinstance(expression, exp.Column):
            return expression
        return exp.alias_(expression, self._vocabulary.identifier(name)) if name is not None else expression

    def ordered(self, by: Shown, descending: bool, *, limited: bool) -> exp.Ordered:
        """A sort key. Missing values never win a superlative; a plain sort keeps the dialect's own order."""
        formula = self._catalog.column(by).formula if isinstance(by, ColumnRef) and by.column == AGE else None
        born = formula.expression.find(exp.Column) if formula is not None else None
        if isinstance(by, ColumnRef) and born is not None:  # several may be so many years old
            by, descending = ColumnRef(by.table, born.name), not descending
        nulls_first = not descending and not limited and self._dialect in _NULLS_FIRST
        plain = by if isinstance(by, ColumnRef) and by not in self._kinds else None
        this = self._vocabulary.number(plain) if plain is not None else self.expression(by)
        return exp.Ordered(this=this, desc=descending, nulls_first=nulls_first)

    def having(self, having: Compare) -> exp.Expr:
        """A condition on groups. Raises `Meaningless` where it compares with no number."""
        if not isinstance(having.left, Measure):
            raise Meaningless("no figure")
        left = self._measure(having.left)
        values = [self._vocabulary.literal(v) for v in having.right if isinstance(v, int | float)]
        if len(values) != len(having.right) or not values:
            raise Meaningless("a figure beside a text")
        if having.op == "between":
            return exp.Between(this=left, low=values[0], high=values[1])
        return OPERATORS[having.op](this=left, expression=values[0])

    def _measure(self, measure: Measure) -> exp.Expr:
        match measure:
            case Measure("count", None) | Measure("share"):
                return exp.Count(this=exp.Star())
            case Measure("count", Rows(table), distinct):
                key, labels = self._catalog.key(table), self._catalog.labels(table)
                if key is not None and self._joined.outer:
                    return self._counted(key)
                if key is not None and table in self._joined.tables and repeats(self._catalog, self._joined, table):
                    self._predicates.features.append("sql:count_repeats")
                    return self._counted(key)
                return self._counted(labels[0]) if distinct and labels else exp.Count(this=exp.Star())
            case Measure("count", Ref() as of):
                column = self._columns[of]
                is_event = self._catalog.kind(column) == DATE and not english().times_asked & self._predicates.said
                if is_event and not measure.distinct:  # "how many bookings", where rows have a date of booking
                    return exp.Count(this=self._vocabulary.column(column, qualified=True))
                return self._counted(column, as_kinds=measure.distinct and measure in self._kinds)
            case Measure(op, Ref() as of) if (op := self._op(op, column := self._columns[of])) in AGGREGATES:
                if self._catalog.kind(column) == KEY:
                    raise Meaningless("figure of a key")
                refuse_figure(self._catalog.column(column), self._dialect, aggregate=op)
                return self._aggregate(op, column)
            case Measure("metric", Metric() as metric):
                if repeats(self._catalog, self._joined, metric.table):
                    raise Meaningless("a metric of repeated rows")
                return self._vocabulary.metric(metric)
        raise Meaningless("figure of what")

    def _op(self, op: str, column: ColumnRef | None) -> str:
        """The aggregate that is meant by a figure of a column: nobody adds up how long repairs took."""
        if op == "total" and (column is None or not self._vocabulary.is_elapsed(column)):
            return "sum"
        return "avg" if op in ("total", "mean") else op

    def _aggregate(self, op: str, column: ColumnRef) -> exp.Expr:
        return AGGREGATES[op](this=self._vocabulary.number(column))

    def _counted(self, column: ColumnRef, *, as_kinds: bool = False) -> exp.Expr:
        plain = self._vocabulary.column(column, qualified=True)
        counted = self._vocabulary.kind_of(column) if as_kinds else plain
        return exp.Count(this=exp.Distinct(expressions=[counted]))


def _named(of: Ref | Rows | Metric | None, op: str) -> str | None:
    """What a figure's column is called whatever it is about."""
    if isinstance(of, Metric):
        return of.measure.column
    return "percentage" if op == "share" else None


def named(op: str, about: str) -> str | None:
    """What a figure's column is called; None where its name would have to be quoted."""
    about, called = about.removeprefix("total_"), _NAMES.get(op, op)
    if about.lower() == "total":
        return "total" if op == "sum" else f"{called}_total"
    return f"{called}_{about}".lower() if _PLAIN_NAME.fullmatch(about) else None
