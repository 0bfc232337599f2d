"""From a manifest that validates to the authorised view that the rest of the service works with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from askwell.mdl import statements
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_condition
from askwell.mdl.manifest import EnumDefinition, Manifest, MetricField, Model, ModelColumn, RelationshipEntry
from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRole,
    Relationship,
    SemanticModel,
    Table,
    TableKind,
)


def authorised_view(manifest: Manifest, content_hash: str) -> SemanticModel:
    """What may be asked about: no hidden columns, no relationship handles, no join over a column that is not there.

    Calculated fields and views stay visible whatever they read: their author decided that. Takes a manifest that
    `read_manifest` accepted; parts that do not resolve are left out rather than guessed.
    """
    enums = {enum.name.lower(): enum for enum in manifest.enum_definitions}
    tables = {model.name: _model_table(model, enums) for model in manifest.models}
    relationships = tuple(found for entry in manifest.relationships if (found := _relationship(entry, tables)))
    tables |= _derived_tables(manifest, tables, enums)
    return SemanticModel(
        content_hash=content_hash,
        data_source=manifest.data_source or "DUCKDB",
        tables=tables,
        relationships=relationships,
    )


def is_visible(column: ModelColumn) -> bool:
    """Whether people may name the column at all."""
    return not column.is_hidden and column.relationship is None


def _model_table(model: Model, enums: Mapping[str, EnumDefinition]) -> Table:
    columns = tuple(_model_column(column, enums) for column in model.columns if is_visible(column))
    names = {column.name.lower(): column.name for column in columns}
    return Table(
        name=model.name,
        kind=TableKind.MODEL,
        columns=columns,
        primary_key=tuple(names[key.lower()] for key in model.primary_key if key.lower() in names),
        **_described(model.properties),
    )


def _model_column(column: ModelColumn, enums: Mapping[str, EnumDefinition]) -> Column:
    return Column(
        name=column.name,
        role=ColumnRole.CALCULATED if column.is_calculated else ColumnRole.PLAIN,
        expression=column.expression if column.is_calculated else None,
        not_null=column.not_null,
        **_typed(column.type, enums),
        **_column_facts(column.properties),
    )


def _typed(type_name: str, enums: Mapping[str, EnumDefinition]) -> dict[str, Any]:
    enum = enums.get(type_name.lower())
    if enum is None:
        return {"type": type_name}
    values = [value.name if value.value is None else value.value for value in enum.values]
    numeric = bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return {"type": "DOUBLE" if numeric else "VARCHAR", "values": tuple(str(value) for value in values)}


def _described(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that tables and columns alike carry in their properties."""
    return {
        "display_name": _text(properties.get("displayName")),
        "description": _text(properties.get("description")),
        "synonyms": _texts(properties.get("synonyms")),
        "properties": dict(properties),
    }


def _column_facts(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_described(properties),
        "essential": properties.get("essential") is True,
        "sensitive": properties.get("sensitive") is True,
        "unit": _text(properties.get("unit")),
        "epoch": _text(properties.get("epoch")),
    }


def _text(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return text or None


def _texts(value: object) -> tuple[str, ...]:
    items: Iterable[object] = value if isinstance(value, list | tuple) else (value,)
    return tuple(text for item in items if (text := _text(item)))


def _relationship(entry: RelationshipEntry, tables: Mapping[str, Table]) -> Relationship | None:
    """The relationship with canonical names, or nothing where a person could not write that join."""
    by_lower = {name.lower(): table for name, table in tables.items()}
    left, right = (by_lower.get(name.lower()) for name in entry.models)
    condition = read_condition(entry.condition)
    if left is None or right is None or isinstance(condition, Unreadable):
        return None
    pairs = []
    for one, other in condition:
        # In a self-join both sides name the same model: then the left side of the equality is the left model.
        if one.table.lower() != left.name.lower():
            one, other = other, one
        left_column, right_column = left.column(one.column), right.column(other.column)
        if left_column is None or right_column is None:
            return None
        pairs.append((left_column.name, right_column.name))
    return Relationship(
        name=entry.name,
        left=left.name,
        right=right.name,
        cardinality=Cardinality(entry.join_type.upper()),
        pairs=tuple(pairs),
        inferred=entry.properties.get("inferred") is True,
    )


def _derived_tables(
    manifest: Manifest, models: Mapping[str, Table], enums: Mapping[str, EnumDefinition]
) -> dict[str, Table]:
    """Views, metrics and cubes. They may be built on one another, so columns are resolved in order of need."""
    derived: dict[str, Table] = {}
    for view in manifest.views:
        derived[view.name] = Table(
            name=view.name,
            kind=TableKind.VIEW,
            columns=(),
            statement=view.statement,
            question=_text(view.properties.get("question")),
            view_id=_text(view.properties.get("viewId")),
            **_described(view.properties),
        )
    for grouped in statements.grouped_views(manifest):
        dimensions = [(field, ColumnRole.DIMENSION) for field in grouped.dimensions]
        measures = [(field, ColumnRole.MEASURE) for field in grouped.measures]
        derived[grouped.name] = Table(
            name=grouped.name,
            kind=grouped.kind,
            columns=tuple(
                _metric_column(field, role, enums) for field, role in dimensions + measures if not field.is_hidden
            ),
            statement=grouped.statement,
            base=grouped.base,
            **_described(grouped.properties),
        )
    hidden = {
        model.name: tuple(column.name for column in model.columns if column.is_hidden and column.relationship is None)
        for model in manifest.models
    }
    dialect = sql_dialect(manifest.data_source)
    return statements.with_view_columns(derived, models, hidden=hidden, dialect=dialect)


def _metric_column(field: MetricField, role: ColumnRole, enums: Mapping[str, EnumDefinition]) -> Column:
    expression = field.expression if field.expression and field.expression.strip() != field.name else None
    return Column(
        name=field.name,
        role=role,
        expression=expression,
        **_typed(field.type, enums),
        **_column_facts(field.properties),
    )
