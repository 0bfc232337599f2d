"""A chart that a language model wrote, brought into the form in which charts are given out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askwell.charts.checking import check_schema
from askwell.charts.columns import MeasuredColumn, Role, measure_columns
from askwell.charts.fields import field_of
from askwell.charts.plan import Chart, ChartPlan, NoChart, why_not_together
from askwell.charts.statement import with_statement
from askwell.charts.vega_spec import SCHEMA
from askwell.charts.words import ChartType
from askwell.providers.engine.base import ResultColumn

# Where null says something in Vega-Lite; elsewhere it is how models leave a part out.
_TELLING_NULLS = frozenset({"sort", "axis", "legend", "scale"})
_COUNTS = ("count", "distinct")
_DEPTH = 12


def read_chart(
    reasoning: str,
    schema: object,
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Any]],
    *,
    sql: str = "",
    dialect: str = "",
) -> Chart | NoChart:
    """The chart when it passes every check: the allow-list, Vega-Lite's own schema, types that fit the values, and the
    channels that its type needs. Where the statement sorts, axes of names keep its order."""
    checked = check_schema(_without_nulls(schema), columns)
    if isinstance(checked, NoChart):
        return checked
    kind = chart_type_of(checked)
    if not kind:
        return NoChart("Its mark lacks the channels that it needs: x and y, or theta and color.")
    measured = measure_columns(columns, rows)
    by_field = {field_of(one.name): one for one in measured}
    if reason := next(_type_errors(checked["encoding"], by_field), ""):
        return NoChart(reason)
    judged, is_ordered = with_statement(sql, measured, dialect)
    stated = {field_of(one.name): one for one in judged}
    if reason := _puts_final_together(checked, stated):
        return NoChart(reason)
    if is_ordered:
        for channel in ("x", "y"):
            definition = checked["encoding"].get(channel, {})
            if definition.get("type") in ("nominal", "ordinal"):
                definition.setdefault("sort", None)
    return Chart(reasoning, kind, {"$schema": SCHEMA, **checked})


def _puts_final_together(schema: Mapping[str, Any], by_field: Mapping[str, MeasuredColumn]) -> str:
    """Why the chart would average or add up what the result has averaged; "" where it does not."""
    encoding = schema["encoding"]
    shown = {
        channel: by_field.get(one.get("field", "")) for channel, one in encoding.items() if isinstance(one, Mapping)
    }
    kind = chart_type_of(schema)
    measures = [
        one for one in (shown.get(channel) for channel in ("y", "x", "theta")) if one and one.role is Role.MEASURE
    ]
    if not measures or "transform" in schema:
        return ""
    bases = [one for one in (shown.get("x"), shown.get("y"), shown.get("color")) if one and one is not measures[0]]
    tellers = [one for one in (shown.get("color"), shown.get("xOffset"), shown.get("yOffset")) if one]
    if not bases:
        return ""
    series = next((one for one in tellers if one is not bases[0]), None)
    return why_not_together(ChartPlan(kind, bases[0], (measures[0],), series), tuple(by_field.values()))


def chart_type_of(schema: Mapping[str, Any]) -> ChartType:
    """The type of a checked chart, by its mark and channels; "" where it is none of ours."""
    encoding = schema["encoding"]
    has = {channel for channel in encoding if isinstance(encoding[channel], Mapping) and _shows(encoding[channel])}
    mark = schema["mark"]["type"]
    if mark == "arc":
        return "pie" if {"theta", "color"} <= has else ""
    if not {"x", "y"} <= has:
        return ""
    base = {encoding[axis].get("field") for axis in ("x", "y")}
    has_series = "color" in has and encoding["color"].get("field") not in base
    match mark:
        case "bar":
            return "grouped_bar" if has & {"xOffset", "yOffset"} else "stacked_bar" if has_series else "bar"
        case "line":
            return "multi_line" if has_series else "line"
        case "area":
            return "area"
        case _:
            return ""


def _shows(definition: Mapping[str, Any]) -> bool:
    return "field" in definition or definition.get("aggregate") == "count"


def _type_errors(encoding: Mapping[str, Any], by_field: Mapping[str, MeasuredColumn]) -> Iterator[str]:
    """Types that the values of a column cannot have: amounts of text, times of numbers."""
    for channel, definition in encoding.items():
        for one in definition if isinstance(definition, list) else [definition]:
            column = by_field.get(one.get("field", ""))
            if column is None or one.get("aggregate") in _COUNTS:
                continue
            kind = one.get("type", "nominal")
            if kind == "quantitative" and not all(isinstance(value, (int, float)) for value in column.known):
                yield f"encoding.{channel}: {column.name} holds no numbers."
            if kind == "temporal" and column.role is not Role.TEMPORAL:
                yield f"encoding.{channel}: {column.name} holds no times; use nominal."


def _without_nulls(value: object, depth: int = 0) -> Any:
    if depth > _DEPTH:
        return value
    if isinstance(value, Mapping):
        items = value.items()
        return {k: _without_nulls(v, depth + 1) for k, v in items if v is not None or k in _TELLING_NULLS}
    if isinstance(value, list):
        return [_without_nulls(one, depth + 1) for one in value]
    return value
