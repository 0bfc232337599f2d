"""Views, metrics and cubes as SQL statements, and the columns that a view's statement yields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import build_scope
from sqlglot.schema import MappingSchema

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_query
from askwell.mdl.manifest import Manifest, MetricField
from askwell.mdl.semantic_model import Column, ColumnRole, Table, TableKind


@dataclass(frozen=True, slots=True)
class GroupedView:
    """A metric or a cube, which are the same idea: `statement` groups the base object by the dimensions."""

    name: str
    kind: TableKind
    base: str
    dimensions: tuple[MetricField, ...]
    measures: tuple[MetricField, ...]
    statement: str
    properties: Mapping[str, Any]


def grouped_views(manifest: Manifest) -> Iterator[GroupedView]:
    """The manifest's metrics and cubes, in its order. A cube's time dimensions are dimensions like the others."""
    dialect = sql_dialect(manifest.data_source)
    for metric in manifest.metrics:
        yield _grouped(
            TableKind.METRIC,
            metric.name,
            metric.base_object,
            metric.dimension,
            metric.measure,
            metric.properties,
            dialect,
        )
    for cube in manifest.cubes:
        dimensions = cube.dimensions + cube.time_dimensions
        yield _grouped(TableKind.CUBE, cube.name, cube.base_object, dimensions, cube.measures, cube.properties, dialect)


def _grouped(
    kind: TableKind,
    name: str,
    base: str,
    dimensions: tuple[MetricField, ...],
    measures: tuple[MetricField, ...],
    properties: Mapping[str, Any],
    dialect: str,
) -> GroupedView:
    def quoted(identifier: str) -> str:
        return exp.to_identifier(identifier, quoted=True).sql(dialect=dialect)

    selected = [f"{field.expression or quoted(field.name)} AS {quoted(field.name)}" for field in dimensions + measures]
    statement = f"SELECT {', '.join(selected)} FROM {quoted(base)}"
    if dimensions and measures:
        statement += f" GROUP BY {', '.join(str(position + 1) for position in range(len(dimensions)))}"
    elif dimensions:
        statement = statement.replace("SELECT", "SELECT DISTINCT", 1)
    return GroupedView(name, kind, base, dimensions, measures, statement, properties)


def with_view_columns(
    derived: Mapping[str, Table], models: Mapping[str, Table], *, hidden: Mapping[str, tuple[str, ...]], dialect: str
) -> dict[str, Table]:
    """The derived tables, with the columns of each view read off its statement.

    A column that a view passes on keeps what is known about it. A statement may name hidden columns, which its author
    put there, but `*` in it means the visible ones. A view whose statement does not resolve gets no columns.
    """
    resolver = _Resolver(derived, models, hidden, dialect)
    return {name: resolver.resolved(name) for name in derived}


class _Resolver:
    """Resolves views in order of need, each once."""

    def __init__(
        self,
        derived: Mapping[str, Table],
        models: Mapping[str, Table],
        hidden: Mapping[str, tuple[str, ...]],
        dialect: str,
    ) -> None:
        self._unresolved = dict(derived)
        self._known = {name.lower(): table for name, table in models.items()}
        self._canonical = {name.lower(): name for name in derived}
        self._hidden = {name.lower(): columns for name, columns in hidden.items()}
        self._dialect = dialect

    def resolved(self, name: str) -> Table:
        table = self._unresolved.pop(name, None)
        if table is None:
            return self._known[name.lower()]
        # Known before its own statement is looked at, so that a view that reads itself ends instead of recursing.
        self._known[name.lower()] = table
        if table.kind is TableKind.VIEW and table.statement:
            table = replace(table, columns=self._columns(table.statement))
            self._known[name.lower()] = table
        return table

    def _columns(self, statement: str) -> tuple[Column, ...]:
        query = read_query(statement, self._dialect)
        if isinstance(query, Unreadable):
            return ()
        for node in query.find_all(exp.Table):
            needed = self._canonical.get(node.name.lower())
            if needed in self._unresolved:
                self.resolved(needed)
        lowered = _lower_case_names(query)
        try:
            schema = self._schema(lowered)
            bound = qualify(
                lowered,
                schema=schema,
                dialect=self._dialect,
                validate_qualify_columns=False,
                quote_identifiers=False,
                identify=False,
            )
            bound = annotate_types(bound, schema=schema, dialect=self._dialect)
        except (SqlglotError, RecursionError, ValueError, KeyError, TypeError, AttributeError):
            return ()
        # The statement's own spelling of the names it gives; what `*` yields is spelled as its table spells it.
        spelled = {projection.alias_or_name.lower(): projection.alias_or_name for projection in query.selects}
        return tuple(
            self._column(bound, output, spelled.get(output.alias_or_name))
            for output in bound.selects
            if output.alias_or_name and output.alias_or_name != "*"
        )

    def _schema(self, query: exp.Query) -> MappingSchema:
        """Types for the tables that the statement names; hidden columns are known but not part of `*`."""
        columns: dict[str, object] = {}
        visible: dict[str, object] = {}
        for node in query.find_all(exp.Table):
            table = self._known.get(node.name.lower())
            if table is None:
                continue
            node.set("db", None)
            node.set("catalog", None)
            visible[node.name] = [column.name.lower() for column in table.columns]
            types = {column.name.lower(): _sqlglot_type(column.type, self._dialect) for column in table.columns}
            columns[node.name] = types | {name.lower(): "UNKNOWN" for name in self._hidden.get(node.name, ())}
        return MappingSchema(columns, visible=visible, dialect=self._dialect, normalize=False)

    def _column(self, query: exp.Query, output: exp.Expr, written: str | None) -> Column:
        source = self._source(query, output.unalias())
        inherited = source is not None and source.name.lower() == output.alias_or_name
        name = written or (source.name if source and inherited else output.alias_or_name)
        if source is not None:
            # An outer join may leave nothing in a column that is never empty at its source.
            return replace(source, name=name, role=ColumnRole.PLAIN, expression=None, essential=False, not_null=False)
        kind = output.type
        if kind is None or kind.this in (exp.DataType.Type.UNKNOWN, exp.DataType.Type.NULL):
            return Column(name=name, type="")
        return Column(name=name, type=kind.sql(dialect=self._dialect))

    def _source(self, query: exp.Query, value: exp.Expr) -> Column | None:
        """The model column that a projection passes on unchanged, if it is one."""
        if not isinstance(query, exp.Select) or not isinstance(value, exp.Column):
            return None
        scope = build_scope(query)
        source = scope.sources.get(value.table) if scope else None
        table = self._known.get(source.name) if isinstance(source, exp.Table) else None
        return table.column(value.name) if table else None


def _lower_case_names(query: exp.Query) -> exp.Query:
    """A copy in which every name is in lower case: names of a model are the same in any case."""
    copy = query.copy()
    for identifier in copy.find_all(exp.Identifier):
        identifier.set("this", identifier.name.lower())
        identifier.set("quoted", False)
    return copy


def _sqlglot_type(type_name: str, dialect: str) -> str:
    try:
        exp.DataType.build(type_name, dialect=dialect)
    except (SqlglotError, ValueError):
        return "UNKNOWN"
    return type_name or "UNKNOWN"
