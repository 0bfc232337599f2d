"""A semantic model without what its author, or its views, say of values: for prompts from which these are kept."""

from __future__ import annotations

from dataclasses import replace

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.privacy.statements import Masking, masked_sql

_LEFT_OUT = "…"


def without_values(model: SemanticModel) -> SemanticModel:
    """The same names, types, keys, relationships and descriptions; no enum values, no questions of views, and no
    literals in expressions. Those of relationships are names."""
    dialect = sql_dialect(model.data_source)
    return replace(model, tables={name: table_without_values(table, dialect) for name, table in model.tables.items()})


def table_without_values(table: Table, dialect: str) -> Table:
    """The same for one table."""
    return replace(
        table,
        question=None,
        statement=None,
        columns=tuple(_column(column, dialect) for column in table.columns),
    )


def _column(column: Column, dialect: str) -> Column:
    if column.expression is None:
        return column if not column.values else replace(column, values=(), value_names={})
    bare = masked_sql(column.expression, dialect, Masking(literal=lambda _: _LEFT_OUT, number=lambda _: _LEFT_OUT))
    return replace(column, values=(), value_names={}, expression=_LEFT_OUT if bare is None else bare)
