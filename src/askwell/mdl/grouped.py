"""Metrics and cubes as SQL: grouped views of their base object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.expressions import Unreadable, read_expression
from askwell.mdl.manifest import Manifest, MetricField
from askwell.mdl.semantic_model import TableKind


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
        statement = _grouped(metric.base_object, metric.dimension, metric.measure, dialect)
        yield GroupedView(
            metric.name,
            TableKind.METRIC,
            metric.base_object,
            metric.dimension,
            metric.measure,
            statement,
            metric.properties,
        )
    for cube in manifest.cubes:
        dimensions = cube.dimensions + cube.time_dimensions
        statement = _grouped(cube.base_object, dimensions, cube.measures, dialect)
        yield GroupedView(
            cube.name, TableKind.CUBE, cube.base_object, dimensions, cube.measures, statement, cube.properties
        )


def _grouped(base: str, dimensions: tuple[MetricField, ...], measures: tuple[MetricField, ...], dialect: str) -> str:
    def quoted(identifier: str) -> str:
        return exp.to_identifier(identifier, quoted=True).sql(dialect=dialect)

    def value(field: MetricField) -> str:
        if not field.expression:
            return quoted(field.name)
        tree = read_expression(field.expression, dialect)
        return field.expression if isinstance(tree, Unreadable) else tree.sql(dialect=dialect)

    selected = [f"{value(field)} AS {quoted(field.name)}" for field in dimensions + measures]
    distinct = "DISTINCT " if dimensions and not measures else ""
    grouping = (
        f" GROUP BY {', '.join(str(number + 1) for number in range(len(dimensions)))}"
        if dimensions and measures
        else ""
    )
    return f"SELECT {distinct}{', '.join(selected)} FROM {quoted(base)}{grouping}"
