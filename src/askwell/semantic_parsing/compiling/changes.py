"""How a figure differs from that of the period before."""

from __future__ import annotations

from sqlglot import exp

from askwell.semantic_parsing.compiling.vocabulary import Vocabulary


def changes_of(figures: exp.Select, vocabulary: Vocabulary, *, first: bool) -> exp.Select:
    """The rows of `figures`, a period and a figure each, in order of time, with the difference from the row before, as
    it is and in percent of that one. `first`: the first row is shown, which has none before it."""
    period, figure = (exp.Column(this=vocabulary.identifier(one.alias_or_name)) for one in figures.selects)
    by_time = exp.Order(expressions=[exp.Ordered(this=period.copy())])
    before = exp.Window(this=exp.Lag(this=figure.copy()), order=by_time)
    compared = exp.select(period.copy(), figure.copy(), exp.alias_(before, "previous"))
    compared = compared.from_(figures.subquery("figures"))
    previous = exp.column("previous")
    difference = exp.Sub(this=figure.copy(), expression=previous.copy())
    hundred = exp.Mul(this=exp.Literal.number("100.0"), expression=exp.paren(difference.copy()))
    percent = exp.Div(this=hundred, expression=previous.copy(), typed=False, safe=True)
    found = exp.select(
        period.copy(), figure.copy(), exp.alias_(difference, "difference"), exp.alias_(percent, "difference_percent")
    ).from_(compared.subquery("compared"))
    if not first:
        found = found.where(exp.Is(this=previous, expression=exp.Not(this=exp.Null())))
    return found.order_by(exp.Ordered(this=period.copy()))
