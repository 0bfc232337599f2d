"""The aggregates whose result depends on how often a row is there, and the columns that they take values from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlglot import exp

from askwell.sql.names import fold

# The columns whose values make up one part of an aggregate's argument, and all such parts.
Term = tuple[exp.Expr, ...]
Terms = tuple[Term, ...]


class Kind(StrEnum):
    """What repeated rows do to an aggregate."""

    SUM = "sum"
    AVERAGE = "average"
    COUNT = "count"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate, and the window it is computed over, if it is.

    `terms` are the columns whose values go in, a set for each part that is added or chosen on its own; empty where rows
    are counted, whatever is in them.
    """

    node: exp.Expr
    kind: Kind
    terms: Terms
    window: exp.Expr | None = None


# MIN, MAX, ANY_VALUE, BOOL_OR, BIT_AND and everything with DISTINCT are the same however often a row is there.
_KINDS: Mapping[type[exp.Expr], Kind] = {
    exp.Sum: Kind.SUM,
    **dict.fromkeys((exp.Count, exp.CountIf), Kind.COUNT),
    **dict.fromkeys((exp.ArrayAgg, exp.GroupConcat, exp.JSONArrayAgg), Kind.LIST),
    **dict.fromkeys((exp.Avg, exp.Median, exp.Quantile, exp.ApproxQuantile), Kind.AVERAGE),
    **dict.fromkeys((exp.PercentileCont, exp.PercentileDisc, exp.Variance, exp.VariancePop), Kind.AVERAGE),
    **dict.fromkeys((exp.Stddev, exp.StddevPop, exp.StddevSamp), Kind.AVERAGE),
}
# Names that the parser has no type for: sums of SQLite and DuckDB, averages and quantiles of DuckDB.
_NAMED = dict.fromkeys(("total", "fsum", "kahan_sum", "sumkahan"), Kind.SUM) | dict.fromkeys(
    ("favg", "quantile_cont", "quantile_disc"), Kind.AVERAGE
)
# More parts than this are taken together: they would multiply with one another.
_MOST_TERMS = 16


def aggregates_in(root: exp.Expr) -> Iterator[Aggregate]:
    """The aggregates of an expression, not those of queries inside it."""
    stack: list[tuple[exp.Expr, exp.Expr | None]] = [(root, None)]
    while stack:
        node, window = stack.pop()
        if isinstance(node, exp.Query):
            continue
        if isinstance(node, exp.Window):
            stack += [(part, node if part is node.this else None) for part in _children(node)]
            continue
        kind = _kind(node)
        if kind is not None and not _distinct(node):
            yield Aggregate(node, kind, _terms_of(node), window)
        keeps = isinstance(node, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls)
        stack += [(part, window if keeps and part is node.this else None) for part in reversed(_children(node))]


def has_aggregate(root: exp.Expr) -> bool:
    """Whether an expression aggregates at all, over rows and not over a window."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, exp.Query):
            continue
        if isinstance(node, exp.AggFunc) or _kind(node) is not None:
            return True
        stack += _children(node) if not isinstance(node, exp.Window) else _children(node)[1:]
    return False


def value_columns(node: exp.Expr | None) -> Terms:
    """The columns that a value is made of, a set for each part that is added or chosen on its own.

    Columns of conditions are left out: they choose among values as a filter does.
    """
    match node:
        case None | exp.Literal() | exp.Null() | exp.Boolean() | exp.Star() | exp.Predicate() | exp.Connector():
            return ()
        case exp.Column():
            return ((node,),)
        case exp.Not():
            return ()
        case exp.Paren() | exp.Cast() | exp.TryCast() | exp.Neg() | exp.Round() | exp.Order() | exp.Nullif():
            return value_columns(node.this)
        case exp.Add() | exp.Sub():
            return value_columns(node.this) + value_columns(node.expression)
        case exp.Mul() | exp.Div():
            return _products(value_columns(node.this), value_columns(node.expression))
        case exp.Case():
            parts = [branch.args.get("true") for branch in node.args["ifs"]]
            return tuple(term for part in (*parts, node.args.get("default")) for term in value_columns(part))
        case exp.If():
            return value_columns(node.args.get("true")) + value_columns(node.args.get("false"))
        case exp.Coalesce():
            return tuple(term for part in (node.this, *node.expressions) for term in value_columns(part))
    columns = tuple(node.find_all(exp.Column))
    return (columns,) if columns else ()


def _products(left: Terms, right: Terms) -> Terms:
    if not left or not right:
        return left or right
    if len(left) * len(right) > _MOST_TERMS:
        return (tuple(column for term in left + right for column in term),)
    return tuple(one + other for one in left for other in right)


def _kind(node: exp.Expr) -> Kind | None:
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return _NAMED.get(fold(node.name))
    return _KINDS.get(type(node))


def _distinct(node: exp.Expr) -> bool:
    this = node.this
    if isinstance(this, exp.Order):
        this = this.this
    return isinstance(this, exp.Distinct)


def _terms_of(node: exp.Expr) -> Terms:
    if isinstance(node, exp.CountIf):
        return ()
    if isinstance(node, exp.Anonymous | exp.AnonymousAggFunc):
        return value_columns(node.expressions[0]) if node.expressions else ()
    around = node.parent
    if isinstance(around, exp.WithinGroup) and isinstance(around.expression, exp.Order):
        return value_columns(around.expression.expressions[0].this)
    if isinstance(node, exp.Count) and node.expressions:
        return (tuple(column for part in (node.this, *node.expressions) for column in part.find_all(exp.Column)),)
    return value_columns(node.this)


def _children(node: exp.Expr) -> list[exp.Expr]:
    return list(node.iter_expressions())
