"""The rows that a chart is drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from askwell.charts.columns import MeasuredColumn, Role, measure_columns
from askwell.charts.fields import drawable_text, field_of
from askwell.charts.plan import MOST_BARS, MOST_ROWS
from askwell.providers.engine.base import ResultColumn

_EMPTY = "(none)"


def chart_values(
    schema: Mapping[str, Any], columns: Sequence[ResultColumn], rows: Sequence[Sequence[Any]]
) -> list[dict[str, Any]]:
    """The rows as Vega-Lite's `data.values`: at most 1,000, and of more bars than 30 the first, or the largest where
    the chart sorts by size. Numbers are numbers also where the database gives text, and what has no name is `(none)`.
    """
    measured = measure_columns(columns, rows)
    kept = _kept(schema, measured, len(rows))[:MOST_ROWS]
    named = {one.name: _shown_values(one) for one in measured}
    return [{name: values[at] for name, values in named.items()} for at in kept]


def with_data(
    schema: Mapping[str, Any], columns: Sequence[ResultColumn], rows: Sequence[Sequence[Any]]
) -> dict[str, Any]:
    """The chart with its rows: what a Vega-Lite renderer draws as it is."""
    return {**schema, "data": {"values": chart_values(schema, columns, rows)}}


def _shown_values(column: MeasuredColumn) -> Sequence[Any]:
    if column.role is Role.MEASURE:
        return [int(value) if value is not None and value.is_integer() else value for value in column.values]
    if column.role in (Role.CATEGORY, Role.PERIOD, Role.IDENTIFIER):
        return [_EMPTY if value is None or value == "" else _plain(value) for value in column.values]
    return [_plain(value) for value in column.values]


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (int, float)):
        return value if not isinstance(value, float) or math.isfinite(value) else None
    return drawable_text(str(value))


def _kept(schema: Mapping[str, Any], columns: Sequence[MeasuredColumn], count: int) -> list[int]:
    """The places of the rows that are drawn."""
    encoding = schema.get("encoding", {})
    mark = schema.get("mark")
    axes = {one: encoding[one] for one in ("x", "y") if one in encoding}
    by_field = {field_of(one.name): one for one in columns}
    base = next((channel for channel in axes.values() if channel.get("type") in ("nominal", "ordinal")), None)
    every = list(range(count))
    if base is None or (mark.get("type") if isinstance(mark, Mapping) else mark) != "bar" or "timeUnit" in base:
        return every
    names = by_field.get(base.get("field", ""))
    if names is None or names.distinct <= MOST_BARS:
        return every
    value: Mapping[str, Any] = next((channel for channel in axes.values() if channel is not base), {})
    measure = by_field.get(value.get("field", ""))
    wanted = set(_first(base, names, measure))
    return [at for at in every if names.values[at] in wanted]


def _first(base: Mapping[str, Any], names: MeasuredColumn, measure: MeasuredColumn | None) -> list[Any]:
    """The names whose bars stand first."""
    order = base.get("sort", "ascending")
    if isinstance(order, list):
        return order[:MOST_BARS]
    different = dict.fromkeys(names.values)
    if measure is not None and (isinstance(order, Mapping) or order in ("-x", "-y", "x", "y")):
        totals: dict[Any, float] = dict.fromkeys(different, 0.0)
        for name, value in zip(names.values, measure.values, strict=True):
            totals[name] += value if isinstance(value, float) else 0.0
        falls = -1 if order not in ("x", "y") else 1
        return sorted(different, key=lambda name: falls * totals[name])[:MOST_BARS]
    if order == "ascending":
        return sorted(different, key=lambda name: (name is None, str(type(name)), name))[:MOST_BARS]
    return list(different)[:MOST_BARS]
