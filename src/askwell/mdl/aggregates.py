"""Aggregates over related rows, inside the expression of a calculated field."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from askwell.mdl.lookup import Hop, Reach


class TooComplex(Exception):
    """The aggregate cannot be worked out row by row; the message says why."""


def aggregate_around(node: exp.Expr, top: exp.Expr) -> exp.Expr | None:
    """The outermost aggregate between a reference and `top`, with its FILTER; a function nobody knows may be one."""
    found: exp.Expr | None = None
    unknown: exp.Expr | None = None
    here = node.parent
    while here is not None and here is not top:
        if isinstance(here, exp.AggFunc | exp.Filter | exp.WithinGroup):
            found = here
        elif isinstance(here, exp.Anonymous) and unknown is None:
            unknown = here
        here = here.parent
    return found or unknown


def is_own_aggregate(node: exp.Expr, top: exp.Expr) -> bool:
    """Whether a reference to the row itself stands in an aggregate, which would make one row of all the rows."""
    aggregate = aggregate_around(node, top)
    if not isinstance(aggregate, exp.AggFunc | exp.Filter):
        return False
    return not isinstance(aggregate.parent, exp.Window) and not isinstance(aggregate, exp.AnonymousAggFunc)


def common_hops(reaches: Sequence[Reach]) -> tuple[Hop, ...]:
    """The hops that all references of one aggregate share and that lead to its rows.

    A hop to one row stands alone: on that row, the aggregate is one over its own related rows. Otherwise the hops go
    up to the last that leads to several rows, and have to be the same for all. Raises `TooComplex`.
    """
    first = reaches[0].hops
    if first and not first[0].to_many and all(r.hops and r.hops[0].handle == first[0].handle for r in reaches):
        return first[:1]
    ways = {tuple(hop.handle for hop in _to_last_many(reach.hops)) for reach in reaches}
    if len(ways) != 1:
        raise TooComplex("it mixes values of different relationships in one aggregate")
    return _to_last_many(first)


def _to_last_many(hops: tuple[Hop, ...]) -> tuple[Hop, ...]:
    many = [position for position, hop in enumerate(hops) if hop.to_many]
    return hops[: many[-1] + 1] if many else ()


def taken_apart(aggregate: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """(value, template): what the aggregate reads of each row, and the aggregate around a placeholder for that.

    A FILTER becomes part of the value, `CASE WHEN condition THEN value END`, which every aggregate that skips nulls
    takes for the same. Raises `TooComplex` where several arguments read columns.
    """
    condition = None
    core = aggregate
    if isinstance(core, exp.Filter):
        condition = core.expression.this
        core = core.this
    template = core.copy()
    argument = _argument(template)
    value = exp.Literal.number(1) if isinstance(argument, exp.Star) else argument.copy()
    argument.replace(exp.Placeholder())
    if next(template.find_all(exp.Column), None) is not None:
        raise TooComplex("only one argument of an aggregate may read related rows")
    if condition is None:
        return value, template
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value)]), template


def _argument(core: exp.Expr) -> exp.Expr:
    """The argument that reads the related row: the first of the function, inside DISTINCT."""
    if isinstance(core, exp.WithinGroup):
        raise TooComplex("WITHIN GROUP is not supported over related rows")
    arguments = core.expressions if isinstance(core, exp.Anonymous | exp.AnonymousAggFunc) else [core.this]
    if arguments and isinstance(arguments[0], exp.Distinct):
        arguments = arguments[0].expressions
        if len(arguments) != 1:
            raise TooComplex("DISTINCT over several columns is not supported over related rows")
    if arguments and isinstance(arguments[0], exp.Order):
        arguments = [arguments[0].this]
    if not arguments or not isinstance(arguments[0], exp.Expr):
        raise TooComplex("it reads no column of the related rows")
    return arguments[0]
