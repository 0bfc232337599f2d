"""An aggregate over related rows, taken apart into the one value that it reads of each row and what it does with it."""

from __future__ import annotations

from sqlglot import exp


class TooComplex(Exception):
    """The aggregate reads more of each row than one value."""


def combined(aggregate: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """(value, template): `value` is an expression over the related row, `template` the aggregate around a placeholder.

    A FILTER becomes part of the value, `CASE WHEN condition THEN value END`, which every aggregate that skips nulls
    takes for the same. Raises `TooComplex` where several arguments read columns.
    """
    condition = None
    core = aggregate
    if isinstance(core, exp.Filter):
        condition = core.expression.this
        core = core.this
    template = core.copy()
    value = _value_of(template)
    placeholder = exp.Placeholder()
    if value is template:
        raise TooComplex("it reads no column of the related rows")
    replaced = exp.Literal.number(1) if isinstance(value, exp.Star) else value.copy()
    value.replace(placeholder)
    if next(template.find_all(exp.Column), None) is not None:
        raise TooComplex("only one of its arguments may read related rows")
    if condition is None:
        return replaced, template
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=replaced)]), template


def _value_of(core: exp.Expr) -> exp.Expr:
    """The argument that reads the related row: the first of the function, inside DISTINCT."""
    if isinstance(core, exp.WithinGroup):
        raise TooComplex("WITHIN GROUP is not supported over related rows")
    if isinstance(core, exp.Anonymous | exp.AnonymousAggFunc):
        return core.expressions[0] if core.expressions else core
    value = core.this
    if isinstance(value, exp.Distinct):
        if len(value.expressions) != 1:
            raise TooComplex("DISTINCT over several columns is not supported over related rows")
        value = value.expressions[0]
    return value if isinstance(value, exp.Expr) else core
