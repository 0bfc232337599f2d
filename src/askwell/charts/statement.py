"""What the statement behind a result says about its columns: whether two amounts may be put together, and whose names
a column called `name` holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.charts.columns import MeasuredColumn, Role
from askwell.charts.words import chart_words

# What is computed with one of these holds for its own rows only: two averages make no average of both.
_FINAL = (
    *(exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.ApproxQuantile, exp.PercentileCont, exp.PercentileDisc),
    *(exp.ApproxDistinct, exp.Distinct, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    *(exp.SafeDivide, exp.Window, exp.AnyValue, exp.First, exp.Last),
)


def with_statement(sql: str, columns: Sequence[MeasuredColumn], dialect: str = "") -> tuple[MeasuredColumn, ...]:
    """The columns with what `sql`, in sqlglot's `dialect`, says about them. Where it cannot be read, their names
    decide."""
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
    owners = _owners(tree)
    return tuple(
        replace(_judged(one, made, is_grouped=is_grouped), of_table=owners.get(one.name.lower(), "")) for one in columns
    )


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
