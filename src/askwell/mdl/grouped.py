"""Metrics and cubes as SQL: grouped views of their base object."""

from __future__ import annotations

from sqlglot import exp

from askwell.mdl.expressions import Unreadable, read_expression
from askwell.mdl.manifest import Grouped, MetricField


def grouped_statement(entry: Grouped, dialect: str) -> str:
    """The statement that a metric or cube stands for."""
    dimensions, measures = entry.all_dimensions, entry.all_measures
    selected = [f"{_value(field, dialect)} AS {_quoted(field.name, dialect)}" for field in dimensions + measures]
    distinct = "DISTINCT " if dimensions and not measures else ""
    numbers = ", ".join(str(number + 1) for number in range(len(dimensions)))
    grouping = f" GROUP BY {numbers}" if dimensions and measures else ""
    return f"SELECT {distinct}{', '.join(selected)} FROM {_quoted(entry.base_object, dialect)}{grouping}"


def _value(field: MetricField, dialect: str) -> str:
    if not field.expression:
        return _quoted(field.name, dialect)
    tree = read_expression(field.expression, dialect)
    return field.expression if isinstance(tree, Unreadable) else tree.sql(dialect=dialect)


def _quoted(identifier: str, dialect: str) -> str:
    return exp.to_identifier(identifier, quoted=True).sql(dialect=dialect)
