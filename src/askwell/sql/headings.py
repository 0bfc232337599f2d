"""Headings of results that say the unit of what a column shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from askwell.mdl.names import readable
from askwell.mdl.semantic_model import Column, SemanticModel
from askwell.mdl.units import scale_of, with_unit
from askwell.providers.engine.base import ResultColumn
from askwell.sql.bound import BoundSql
from askwell.sql.names import fold
from askwell.sql.scopes.resolution import model_columns

# What shows amounts of the unit that it is made of.
_LINEAR = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Paren, exp.Neg, exp.Abs, exp.Cast, exp.Round, exp.Window)


def with_headings(columns: Sequence[ResultColumn], bound: BoundSql, model: SemanticModel) -> tuple[ResultColumn, ...]:
    """The columns of a result, with the unit and a heading that says it for those that show a column of the model or a
    linear aggregate of one."""
    tables = [table for name in bound.tables if (table := model.table(name)) is not None]
    if not any(column.unit for table in tables for column in table.columns):
        return tuple(columns)
    tree = bound.tree.unnest()
    shown = tree.expressions if isinstance(tree, exp.Select) else []
    if len(shown) != len(columns) or any(item.is_star for item in shown):
        held = [column for table in tables for column in table.columns]
        return tuple(_by_name(column, held) if any(item.is_star for item in shown) else column for column in columns)
    refs = model_columns(bound.resolution)

    def unit_of(node: exp.Expr) -> str | None:
        ref = refs.get(id(node))
        table = model.table(ref.table) if ref is not None else None
        column = table.column(ref.column) if table is not None and ref is not None else None
        return column.unit if column is not None else None

    units = [_unit(item.unalias(), unit_of) for item in shown]
    return tuple(_headed(column, unit) for column, unit in zip(columns, units, strict=True))


def _by_name(column: ResultColumn, held: Sequence[Column]) -> ResultColumn:
    units = {one.unit for one in held if fold(one.name) == fold(column.name)}
    return _headed(column, units.pop() if len(units) == 1 else None)


def _headed(column: ResultColumn, unit: str | None) -> ResultColumn:
    return replace(column, unit=unit, heading=with_unit(readable(column.name), unit)) if unit else column


def _unit(node: exp.Expr | None, unit_of: Callable[[exp.Expr], str | None]) -> str | None:
    """The unit of an expression; None where it is unknown."""
    if isinstance(node, exp.Column):
        return unit_of(node)
    if isinstance(node, exp.Add | exp.Sub):
        left, right = _unit(node.this, unit_of), _unit(node.expression, unit_of)
        return left if left == right else None
    if isinstance(node, exp.Mul | exp.Div):
        return _scaled(node, unit_of)
    if isinstance(node, exp.Coalesce):
        return _unit(node.this, unit_of)
    return _unit(node.this, unit_of) if isinstance(node, _LINEAR) else None


def _scaled(node: exp.Mul | exp.Div, unit_of: Callable[[exp.Expr], str | None]) -> str | None:
    """Of a calculation with a number: the unit itself times 1.0, the larger one where it is divided by the scale."""
    left, right = node.this, node.expression
    if isinstance(node, exp.Mul) and left.is_number:
        left, right = right, left
    unit = _unit(left, unit_of) if right.is_number else None
    number, scale = float(right.name) if unit and right.name else 0.0, scale_of(unit) if unit else None
    if unit and number == 1:
        return unit
    return scale[1] or None if scale and isinstance(node, exp.Div) and number == scale[0] else None
