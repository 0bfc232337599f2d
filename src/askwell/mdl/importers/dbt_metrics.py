"""MetricFlow's semantic models and metrics as cubes: one for each semantic model, with the metrics that are computed
over it alone. What spans several, looks back in time or is derived from others is told and left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from askwell.mdl.importers.imported import quoted, unique_name, with_properties
from askwell.mdl.importers.json_text import record, records, text, texts
from askwell.mdl.names import listed
from askwell.mdl.problems import Findings, shown

_AGGREGATES = {
    "sum": ("sum({0})", "DOUBLE"),
    "count": ("count({0})", "BIGINT"),
    "count_distinct": ("count(DISTINCT {0})", "BIGINT"),
    "average": ("avg({0})", "DOUBLE"),
    "min": ("min({0})", ""),
    "max": ("max({0})", ""),
    "median": ("median({0})", "DOUBLE"),
    "sum_boolean": ("sum(CASE WHEN {0} THEN 1 ELSE 0 END)", "BIGINT"),
}
# `{{ Dimension('order__status') }}`, `{{ TimeDimension('order__ordered_at', 'day') }}`
_DIMENSION = re.compile(r"\{\{\s*(?:Time)?Dimension\(\s*['\"](?:\w+__)?(\w+)['\"][^)]*\)\s*\}\}")


@dataclass(slots=True)
class _Semantic:
    """A semantic model: its columns' SQL by the names of dimensions, entities and measures."""

    name: str
    base: str
    columns: Mapping[str, str]
    types: Mapping[str, str]
    dimensions: dict[str, str] = field(default_factory=dict)
    time: set[str] = field(default_factory=set)
    measures: dict[str, dict[str, Any]] = field(default_factory=dict)
    metrics: list[dict[str, Any]] = field(default_factory=list)

    def sql(self, expression: str, name: str) -> str:
        """An expression over the model; a plain name is the column as the model spells it."""
        written = expression or name
        known = self.columns.get(written.lower())
        return quoted(known) if known else written


def add_cubes(
    mdl: dict[str, Any],
    manifest: Mapping[str, Any],
    names: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    findings: Findings,
) -> None:
    """Add the cubes to `mdl`, whose models have `names` and `columns` by dbt's unique ids."""
    types = {
        one["name"]: {column["name"]: column.get("type", "") for column in one["columns"]} for one in mdl["models"]
    }
    semantics = list(_semantics(manifest, names, columns, types, findings))
    left_out = list(_place_metrics(manifest, semantics))
    if left_out:
        what = f"metrics that a model cannot hold are left out: {shown(listed(left_out), 600)}"
        todo = "They span several models, look back in time or are derived; write views for those that matter."
        findings.warn("metrics", what, todo)
    taken = {name.lower() for name in names.values()}
    cubes = [_cube(one, taken) for one in semantics if one.metrics]
    if cubes:
        mdl["cubes"] = cubes


def _semantics(
    manifest: Mapping[str, Any],
    names: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    types: Mapping[str, Mapping[str, str]],
    findings: Findings,
) -> Iterator[_Semantic]:
    for unique_id, value in record(manifest.get("semantic_models")).items():
        node = record(value)
        base = next((one for one in texts(record(node.get("depends_on")).get("nodes")) if one in names), None)
        if base is None:
            findings.warn(shown(unique_id), "its model is not imported, so its metrics are left out", "Document it.")
            continue
        one = _Semantic(text(node.get("name")), names[base], columns[base], types[names[base]])
        for dimension in records(node.get("dimensions")):
            if name := text(dimension.get("name")):
                one.dimensions[name] = one.sql(text(dimension.get("expr")), name)
                if text(dimension.get("type")) == "time":
                    one.time.add(name)
        for measure in records(node.get("measures")):
            one.measures[text(measure.get("name"))] = measure
        yield one


def _place_metrics(manifest: Mapping[str, Any], semantics: list[_Semantic]) -> Iterator[str]:
    """Put each metric to its semantic model; yields the names of those that have none."""
    for value in record(manifest.get("metrics")).values():
        metric = record(value)
        name = text(metric.get("name"))
        found = _simple(metric, semantics) if text(metric.get("type")) == "simple" else None
        if found is None:
            yield name or "one without a name"
            continue
        semantic, expression, kind = found
        properties = {"displayName": text(metric.get("label")), "description": text(metric.get("description"))}
        measure = {"name": name, "type": kind, "expression": expression}
        semantic.metrics.append(with_properties(measure, properties))


def _simple(metric: Mapping[str, Any], semantics: list[_Semantic]) -> tuple[_Semantic, str, str] | None:
    parameters = record(metric.get("type_params"))
    used = record(parameters.get("measure"))
    own = record(parameters.get("metric_aggregation_params"))
    if own:
        # Since dbt 1.12 a simple metric has its own aggregate, and there are no measures.
        semantic = next((one for one in semantics if one.name == text(own.get("semantic_model"))), None)
        measure: Mapping[str, Any] = {**own, "expr": own.get("expr") or parameters.get("expr")}
        measure_name = text(metric.get("name"))
    else:
        measure_name = text(used.get("name"))
        semantic = next((one for one in semantics if measure_name in one.measures), None)
        measure = semantic.measures[measure_name] if semantic else {}
    if semantic is None or text(measure.get("agg")) not in _AGGREGATES:
        return None
    pattern, kind = _AGGREGATES[text(measure.get("agg"))]
    expression = str(measure.get("expr") or "").strip()
    argument = semantic.sql(expression, measure_name)
    conditions = [_condition(record(one).get("filter"), semantic) for one in (metric, used)]
    if None in conditions:
        return None
    kind = kind or semantic.types.get(argument.strip('"'), "") or "DOUBLE"
    written = " AND ".join(f"({one})" for one in conditions if one)
    return semantic, pattern.format(argument) + (f" FILTER (WHERE {written})" if written else ""), kind


def _condition(value: object, semantic: _Semantic) -> str | None:
    """The SQL of a metric's filter, "" without one, None where it speaks of something else than its dimensions."""
    parts = records(record(value).get("where_filters"))
    conditions = []
    for part in parts:
        unknown = False

        def written(match: re.Match[str]) -> str:
            nonlocal unknown
            unknown = unknown or match[1] not in semantic.dimensions
            return semantic.dimensions.get(match[1], "")

        condition = _DIMENSION.sub(written, text(part.get("where_sql_template")))
        if unknown or "{" in condition or not condition:
            return None
        conditions.append(f"({condition})" if len(parts) > 1 else condition)
    return " AND ".join(conditions)


def _cube(semantic: _Semantic, taken: set[str]) -> dict[str, Any]:
    metrics = {metric["name"].lower() for metric in semantic.metrics}
    fields: dict[str, list[dict[str, Any]]] = {"dimensions": [], "timeDimensions": []}
    for name, expression in semantic.dimensions.items():
        if name.lower() in metrics:
            continue
        kind = semantic.types.get(expression.strip('"'), "") or ("TIMESTAMP" if name in semantic.time else "VARCHAR")
        entry = {"name": name, "type": kind, "expression": expression}
        fields["timeDimensions" if name in semantic.time else "dimensions"].append(entry)
    name = unique_name(f"{semantic.base}_metrics", taken)
    description = f"The metrics of {semantic.base}, one row for each combination of its dimensions."
    cube = {"name": name, "baseObject": semantic.base, **fields, "measures": semantic.metrics}
    return cube | {"properties": {"description": description}}
