"""From a manifest that validates to the authorised view that the rest of the service works with: nothing in it, join
hints included, gives a hidden column away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from askwell.mdl import statements
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_condition, read_expression, references
from askwell.mdl.lookup import Lookup, Reach
from askwell.mdl.manifest import (
    EnumDefinition,
    Grouped,
    Manifest,
    Metric,
    MetricField,
    Model,
    ModelColumn,
    RelationshipEntry,
    View,
)
from askwell.mdl.names import singular, words
from askwell.mdl.secret_columns import with_inherited
from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRole,
    Relationship,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.spelling import spelled_words

# `table.column` as people write it in a sentence, whatever quotes either name is in.
_DOTTED = re.compile(r'(\w+)["`\]]?\.["`\[]?(\w+)')


class HintFilter:
    """Tells which hints may be shown, by the tables of the authorised view and the names of hidden columns by table."""

    def __init__(self, tables: Mapping[str, Table], hidden: Mapping[str, tuple[str, ...]]) -> None:
        self._tables = {name.lower(): table for name, table in tables.items()}
        self._hidden = {
            name: (_singulars(name), [re.compile(rf"(?<!\w){re.escape(column)}(?!\w)", re.I) for column in columns])
            for name, columns in hidden.items()
            if columns
        }
        self._hidden_names = {column.lower() for columns in hidden.values() for column in columns}

    def may_be_shown(self, hint: str, owner: str) -> bool:
        """Whether every column that a condition names is in the view and, whatever the text is, it has no word that is
        a hidden column of `owner`, whose hint it is, or of a table that it mentions."""
        sides = read_condition(hint)
        if not isinstance(sides, Unreadable) and not all(
            self._is_there(side.table, side.column) for pair in sides for side in pair
        ):
            return False
        # A condition has to be looked through as well, as it may have a comment.
        rest = _DOTTED.sub(lambda found: "" if self._is_there(found[1], found[2]) else found[0], hint)
        if any(column.lower() in self._hidden_names for _, column in _DOTTED.findall(rest)):
            return False
        mentioned = _singulars(hint)
        return not any(
            column.search(rest)
            for name, (table_words, columns) in self._hidden.items()
            if name == owner or table_words <= mentioned
            for column in columns
        )

    def _is_there(self, table: str, column: str) -> bool:
        found = self._tables.get(table.lower())
        return found is not None and found.column(column) is not None


def _singulars(text: str) -> set[str]:
    return {singular(word) for word in words(text)}


# Flags in properties, as people and tools write them.
_TRUE = frozenset({"true", "yes", "1", "1.0"})
_FALSE = frozenset({"", "false", "no", "0", "0.0", "none", "null"})


def authorised_view(manifest: Manifest, content_hash: str) -> SemanticModel:
    """What may be asked about: no hidden columns, no relationship handles, no join over a column that is not there.

    Calculated fields and views stay visible whatever they read: their author decided that. But where one reads a hidden
    column its expression or statement is not shown, nor a join hint that names one, since nobody may learn of that
    column. Takes a manifest that `read_manifest` accepted; parts that do not resolve are left out rather than guessed.
    """
    enums = {enum.name.lower(): enum for enum in manifest.enum_definitions}
    lookup = Lookup(manifest)
    dialect = sql_dialect(manifest.data_source)
    tables = {model.name: _model_table(model, enums, lookup, dialect) for model in manifest.models}
    relationships = tuple(
        found for entry in manifest.relationships if (found := _relationship(entry, lookup, tables)) is not None
    )
    read = _statements(manifest, tables, enums)
    tables |= {name: _without_hidden(read.table(name), read.reading(name), lookup, dialect) for name in read.names}
    written = {
        model.name: {column.name: column.expression for column in model.columns if column.expression}
        for model in manifest.models
    }
    tables = with_inherited(tables, written)
    hints = HintFilter(tables, _hidden_names(manifest))
    tables = {name: _with_visible_hints(table, hints) for name, table in tables.items()}
    return SemanticModel(
        content_hash=content_hash,
        data_source=manifest.data_source or "DUCKDB",
        tables=tables,
        relationships=relationships,
    )


def is_visible(column: ModelColumn) -> bool:
    """Whether people may name the column at all."""
    return not column.is_hidden and column.relationship is None


def _model_table(model: Model, enums: Mapping[str, EnumDefinition], lookup: Lookup, dialect: str) -> Table:
    columns = tuple(_model_column(column, enums) for column in model.columns if is_visible(column))
    columns = tuple(
        replace(column, expression=None) if _reads_hidden(column.expression, model, lookup, dialect) else column
        for column in columns
    )
    names = {column.name.lower(): column.name for column in columns}
    keys = (_visible_key(key, names) for key in model.unique_keys)
    return Table(
        name=model.name,
        kind=TableKind.MODEL,
        columns=columns,
        primary_key=_visible_key(model.primary_key, names),
        unique_keys=tuple(dict.fromkeys(key for key in keys if key)),
        schema=(model.table_reference.schema_name or None) if model.table_reference else None,
        **_described(model.properties),
    )


def _visible_key(key: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    """The key as its columns are spelt; nothing where one of them is hidden, as part of a key tells no rows apart."""
    found = tuple(names[name.lower()] for name in key if name.lower() in names)
    return found if len(found) == len(key) else ()


def _reads_hidden(expression: str | None, model: Model, lookup: Lookup, dialect: str) -> bool:
    tree = read_expression(expression, dialect) if expression else None
    if tree is None or isinstance(tree, Unreadable):
        return False
    reached = (lookup.reach(model, names) for _, names in references(tree))
    return any(isinstance(reach, Reach) and reach.column.is_hidden for reach in reached)


def _without_hidden(table: Table, reading: statements.StatementReading, lookup: Lookup, dialect: str) -> Table:
    """The view, metric or cube, without the text of a statement or expression that names hidden columns."""
    read = ((lookup.model(name), columns) for name, columns in (reading.reads or {}).items())
    if not any(
        column.is_hidden and column.name in columns for model, columns in read if model for column in model.columns
    ):
        return table
    base = lookup.model(table.base or "")
    columns = tuple(
        replace(column, expression=None) if base and _reads_hidden(column.expression, base, lookup, dialect) else column
        for column in table.columns
    )
    return replace(table, statement=None, columns=columns)


def _with_visible_hints(table: Table, hints: HintFilter) -> Table:
    given = table.properties.get("join_hints")
    if not isinstance(given, list):
        return table
    kept = [hint for hint in given if isinstance(hint, str) and hints.may_be_shown(hint, table.name)]
    return replace(table, properties={**table.properties, "join_hints": kept})


def _hidden_names(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    """The columns of each model that are hidden; a relationship's handle is no secret."""
    return {
        model.name: tuple(column.name for column in model.columns if column.is_hidden and column.relationship is None)
        for model in manifest.models
    }


def _model_column(column: ModelColumn, enums: Mapping[str, EnumDefinition]) -> Column:
    return Column(
        name=column.name,
        role=ColumnRole.CALCULATED if column.is_calculated else ColumnRole.PLAIN,
        expression=column.expression if column.is_calculated else None,
        not_null=column.not_null,
        **_typed(column.type, enums, shown=column.column_level_access_control is None),
        **_column_facts(column.properties),
    )


def _typed(type_name: str, enums: Mapping[str, EnumDefinition], *, shown: bool = True) -> dict[str, Any]:
    """The type, and the values of an enum where they may be `shown`: those of a column that has a rule are for whom
    the rule lets read it."""
    enum = enums.get(type_name.lower())
    if enum is None:
        return {"type": type_name}
    held = {str(one.name if one.value is None else one.value): one.name for one in enum.values} if shown else {}
    names = {value: name for value, name in held.items() if name != value}
    return {"type": enum.sql_type, "values": tuple(held), "value_names": names}


def _described(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that tables and columns alike carry in their properties."""
    return {
        "display_name": _display_name(_text(properties.get("displayName"))),
        "description": _text(properties.get("description")),
        "synonyms": _texts(properties.get("synonyms")),
        "properties": dict(properties),
    }


def _display_name(name: str | None) -> str | None:
    """A name for people; one that begins with an underscore is an identifier, and its words are shown."""
    if name is None or not name.startswith("_"):
        return name
    spelled = " ".join(spelled_words(name))
    return spelled[:1].upper() + spelled[1:] or None


def _column_facts(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_described(properties),
        "essential": _flag(properties.get("essential")) in _TRUE,
        # Whatever does not clearly say no protects the column.
        "sensitive": _flag(properties.get("sensitive")) not in _FALSE,
        "unit": _text(properties.get("unit")),
        "epoch": _text(properties.get("epoch")),
    }


def _flag(flag: object) -> str:
    """A flag as people and tools write it: `true`, `"true"`, `1`."""
    return "" if flag is None else str(flag).strip().casefold()


def _text(value: object) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return text or None


def _texts(value: object) -> tuple[str, ...]:
    items: Iterable[object] = value if isinstance(value, list | tuple) else (value,)
    return tuple(text for item in items if (text := _text(item)))


def _relationship(entry: RelationshipEntry, lookup: Lookup, tables: Mapping[str, Table]) -> Relationship | None:
    """The relationship with canonical names, or nothing where a person could not write that join."""
    pairs = lookup.pairs(entry)
    models = [model for name in entry.models if (model := lookup.model(name))]
    if pairs is None or len(models) != 2:
        return None
    left, right = (tables[model.name] for model in models)
    if any(left.column(here) is None or right.column(there) is None for here, there in pairs):
        return None
    inferred = _flag(entry.properties.get("inferred")) in _TRUE
    return Relationship(
        name=entry.name,
        left=left.name,
        right=right.name,
        cardinality=Cardinality(entry.join_type.upper()),
        pairs=pairs,
        inferred=inferred,
        reason=(_text(entry.properties.get("reason")) or "") if inferred else "",
    )


def read_statements(manifest: Manifest) -> statements.Statements:
    """What the views, metrics and cubes of a manifest read and yield."""
    enums = {enum.name.lower(): enum for enum in manifest.enum_definitions}
    lookup, dialect = Lookup(manifest), sql_dialect(manifest.data_source)
    models = {model.name: _model_table(model, enums, lookup, dialect) for model in manifest.models}
    return _statements(manifest, models, enums)


def _statements(
    manifest: Manifest, models: Mapping[str, Table], enums: Mapping[str, EnumDefinition]
) -> statements.Statements:
    derived = {view.name: _view_table(view) for view in manifest.views}
    bases = {name.lower(): table for name, table in models.items()}
    derived |= {
        entry.name: _grouped_table(entry, manifest, bases.get(entry.base_object.lower()), enums)
        for *_, entry in manifest.grouped()
    }
    return statements.Statements(models, derived, _hidden_names(manifest), sql_dialect(manifest.data_source))


def _view_table(view: View) -> Table:
    return Table(
        name=view.name,
        kind=TableKind.VIEW,
        columns=(),
        statement=view.statement,
        question=_text(view.properties.get("question")),
        view_id=_text(view.properties.get("viewId")),
        **_described(view.properties),
    )


def _ruled(manifest: Manifest, name: str) -> frozenset[str]:
    """The lower-case names of the columns of that model that have a rule."""
    of_model = (model.columns for model in manifest.models if model.name.lower() == name.lower())
    return frozenset(
        column.name.lower() for columns in of_model for column in columns if column.column_level_access_control
    )


def _grouped_table(
    entry: Grouped, manifest: Manifest, base: Table | None, enums: Mapping[str, EnumDefinition]
) -> Table:
    ruled = _ruled(manifest, entry.base_object)
    fields = [(field, ColumnRole.DIMENSION) for field in entry.all_dimensions]
    fields += [(field, ColumnRole.MEASURE) for field in entry.all_measures]
    columns = (
        _metric_column(field, role, base, {} if _written(field).lower() in ruled else enums)
        for field, role in fields
        if not field.is_hidden
    )
    return Table(
        name=entry.name,
        kind=TableKind.METRIC if isinstance(entry, Metric) else TableKind.CUBE,
        columns=tuple(columns),
        statement=statements.grouped_statement(entry, sql_dialect(manifest.data_source)),
        base=entry.base_object,
        **_described(entry.properties),
    )


def _written(field: MetricField) -> str:
    return (field.expression or field.name).strip()


def _metric_column(
    field: MetricField, role: ColumnRole, base: Table | None, enums: Mapping[str, EnumDefinition]
) -> Column:
    """A dimension that is a column of the base keeps what is known of that column, where it says nothing itself."""
    written = _written(field)
    column = Column(
        name=field.name,
        role=role,
        expression=None if written == field.name else written,
        **_typed(field.type, enums),
        **_column_facts(field.properties),
    )
    source = base.column(written.strip('"')) if base is not None and role is ColumnRole.DIMENSION else None
    if source is None:
        return column
    return replace(
        column,
        display_name=column.display_name or source.display_name,
        description=column.description or source.description,
        synonyms=column.synonyms or source.synonyms,
        values=column.values or source.values,
        value_names=column.value_names or source.value_names,
        sensitive=column.sensitive or source.sensitive,
        unit=column.unit or source.unit,
        epoch=column.epoch or source.epoch,
    )
