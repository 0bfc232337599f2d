"""What the statement behind a result says about its amounts: whether two of them may be put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.charts.columns import MeasuredColumn, Role

# What is computed with one of these holds for its own rows only: two averages make no average of both.
_FINAL = (
    *(exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.ApproxQuantile, exp.PercentileCont, exp.PercentileDisc),
    *(exp.ApproxDistinct, exp.Distinct, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    *(exp.SafeDivide, exp.Window, exp.AnyValue, exp.First, exp.Last),
)


def with_statement(sql: str, columns: Sequence[MeasuredColumn], dialect: str = "") -> tuple[MeasuredColumn, ...]:
    """The columns with what `sql`, in sqlglot's `dialect`, says about their amounts. Where it cannot be read, their
    names decide."""
    if not sql.strip():
        return tuple(columns)
    try:
        tree = parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return tuple(columns)
    is_grouped = tree.find(exp.Group, exp.AggFunc) is not None
    made: dict[str, str] = {}
    # The outermost select comes first and decides what its columns are.
    for select in tree.find_all(exp.Select):
        for one in select.expressions:
            if combining := _combining(one):
                made.setdefault(one.alias_or_name.lower(), combining)
    return tuple(_judged(one, made, is_grouped=is_grouped) for one in columns)


def _combining(projection: exp.Expression) -> str:
    """How values of a projection are put together: "never", "sum", or "" where it does not say."""
    if projection.find(*_FINAL) is not None:
        return "never"
    # Cents divided by 100 are still amounts; one amount divided by another is a ratio.
    if any(not isinstance(one.expression.unnest(), exp.Literal) for one in projection.find_all(exp.Div)):
        return "never"
    return "sum" if projection.find(exp.Sum, exp.Count, exp.CountIf) is not None else ""


def _judged(column: MeasuredColumn, made: dict[str, str], *, is_grouped: bool) -> MeasuredColumn:
    if column.role is not Role.MEASURE:
        return column
    combining = made.get(column.name.lower(), "")
    # A price or a rating of grouped rows stands for many of them.
    if not combining and is_grouped and column.combining == "mean":
        combining = "never"
    # Weights of pets listed one by one are no weight of a species.
    if not combining and not is_grouped and column.combining == "sum" and not column.adds_up:
        combining = "mean"
    return replace(column, stated=combining) if combining else column
