"""What the statement behind a result says: whether two amounts of a column may be put together, whose names a column
called `name` holds, and whether the order of the rows means something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.charts.columns import MeasuredColumn, Role
from askwell.charts.words import chart_words

# Of fewer rows every order looks like one.
_FEW_ROWS = 4
# What is computed with one of these holds for its own rows only: two averages make no average of both.
_FINAL = (
    *(exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.ApproxQuantile, exp.PercentileCont, exp.PercentileDisc),
    *(exp.ApproxDistinct, exp.Distinct, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    *(exp.SafeDivide, exp.Window, exp.AnyValue, exp.First, exp.Last),
)


def with_statement(
    sql: str, columns: Sequence[MeasuredColumn], dialect: str = ""
) -> tuple[tuple[MeasuredColumn, ...], bool]:
    """The columns with what `sql`, in sqlglot's `dialect`, says about them, and whether it sorts its rows. Where it
    cannot be read, the columns' names decide, and whether some column is sorted."""
    tree = _parsed(sql, dialect)
    if tree is None:
        return tuple(columns), any(_is_sorted(column.values) for column in columns if column.role is not Role.OTHER)
    is_grouped = tree.find(exp.Group, exp.AggFunc) is not None
    made: dict[str, str] = {}
    # The outermost select comes first and decides what its columns are.
    for select in tree.find_all(exp.Select):
        for one in select.expressions:
            if combining := _combining(one):
                made.setdefault(one.alias_or_name.lower(), combining)
    owners = _owners(tree)
    judged = tuple(
        replace(_judged(one, made, is_grouped=is_grouped), of_table=owners.get(one.name.lower(), "")) for one in columns
    )
    return judged, isinstance(tree, exp.Query) and tree.args.get("order") is not None


def _parsed(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return parse_one(sql, dialect=dialect) if sql.strip() else None
    except (SqlglotError, RecursionError):
        return None


def _owners(tree: object) -> dict[str, str]:
    """The table whose names an outermost column holds that is called no more than `name`; columns in lower case."""
    if not isinstance(tree, exp.Select):
        return {}
    made = {one.alias_or_name.lower() for one in tree.ctes}
    sources = (one for one in tree.find_all(exp.Table) if one.parent_select is tree)
    tables = {one.alias_or_name.lower(): one.name for one in sources if one.name.lower() not in made}
    sole = next(iter(tables)) if len(tables) == 1 else ""
    found = (one for one in tree.expressions if isinstance(one, exp.Column))
    names = chart_words().thing_names
    called = [(one.name.lower(), (one.table or sole).lower()) for one in found if one.name.lower() in names]
    # Two columns of one name are of two tables: nobody knows which is which by name.
    times = Counter(name for name, _ in called)
    return {name: tables[table] for name, table in called if times[name] == 1 and table in tables}


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


def _is_sorted(values: tuple[Any, ...]) -> bool:
    if len(values) < _FEW_ROWS or None in values or len({type(value) for value in values}) > 1:
        return False
    steps = list(pairwise(values))
    return len(set(values)) > 1 and (all(a <= b for a, b in steps) or all(a >= b for a, b in steps))


def sign_of_order(base: MeasuredColumn, amounts: MeasuredColumn) -> str | None:
    """Vega-Lite's sign of the order that rows have by their amounts: "-" where these fall, "" where they rise; None
    where the rows are sorted by their names, or by something else."""
    if _is_sorted(base.values) and list(base.values) == sorted(base.values):
        return None
    known = list(amounts.known)
    if known == sorted(known, reverse=True):
        return "-"
    return "" if known == sorted(known) else None
