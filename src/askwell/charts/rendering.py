"""The rows that a chart is drawn from, and pictures of charts, drawn in processes of their own."""

from __future__ import annotations

import asyncio
import base64
import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from askwell.charts.checking import check_allowed
from askwell.charts.columns import MeasuredColumn, Role, measure_columns
from askwell.charts.fields import drawable_text, field_of
from askwell.charts.plan import MOST_BARS, MOST_ROWS, NoChart
from askwell.child_process.pool import ChildKind, ChildWork
from askwell.errors import InvalidRequest, NotInstalled
from askwell.messages import say
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


ImageFormat = Literal["svg", "png"]

MOST_PIXELS = 2_000
SECONDS = 10.0
_WIDTH, _HEIGHT, _LEAST = 640, 400, 50
# Of bars that run to the right each needs room for its name.
_BAR_HEIGHT, _AROUND_BARS = 20, 90
KIND = ChildKind("askwell.charts.child", "to draw charts in", "drawing it", ("vl_convert",), idle_seconds=120.0)
_THEME = Path(__file__).with_name("theme.json")


class ChartsNotInstalled(NotInstalled):
    """Pictures were asked for, and the extra that draws them is not installed."""

    def __init__(self) -> None:
        super().__init__("Pictures of charts need a package that is not installed.", "pip install 'askwell[charts]'")


def can_render() -> bool:
    """Whether the extra that draws pictures is installed. Imports nothing."""
    return find_spec("vl_convert") is not None


class ChartRenderer(ChildWork):
    """Draws charts in child processes that are started when they are needed and leave when they are not.

    `seconds` is what a picture may take.
    """

    def __init__(self, *, seconds: float = SECONDS) -> None:
        super().__init__(KIND, seconds)

    async def render(
        self,
        schema: Mapping[str, Any],
        columns: Sequence[ResultColumn],
        rows: Sequence[Sequence[Any]],
        image: ImageFormat = "svg",
        *,
        width: int | None = None,
        height: int | None = None,
    ) -> bytes:
        """The picture, of so many pixels at most (a PNG has twice as many, for sharp screens).

        Raises `ChartsNotInstalled`; `InvalidRequest` for a size above 2,000 and a chart that may not be drawn or cannot
        be drawn in time; `Unavailable` when no process can be started.
        """
        if not can_render():
            raise ChartsNotInstalled
        if any(size is not None and not _LEAST <= size <= MOST_PIXELS for size in (width, height)):
            raise InvalidRequest(*say("charts.picture_size", least=_LEAST, most_pixels=MOST_PIXELS))
        checked = check_allowed(schema, columns)
        if isinstance(checked, NoChart):
            raise InvalidRequest(*say("charts.cannot_be_drawn", reason=checked.reason))
        chart = await asyncio.to_thread(_sized, checked, columns, rows, width, height)
        request = {"format": image, "chart": chart, "config": _theme()}
        fields = await self._answer(request, _undrawable, longest_wait=self._seconds)
        return base64.b64decode(fields["picture"])


def _undrawable(why: str) -> InvalidRequest:
    return InvalidRequest(*say("charts.drawing_fails", why=why))


@cache
def _theme() -> dict[str, Any]:
    theme: dict[str, Any] = json.loads(_THEME.read_text(encoding="utf-8"))
    return theme


def _sized(
    schema: Mapping[str, Any],
    columns: Sequence[ResultColumn],
    rows: Sequence[Sequence[Any]],
    width: int | None,
    height: int | None,
) -> dict[str, Any]:
    """The chart with its rows, fitted into its size."""
    chart = with_data(schema, columns, rows)
    upright = chart["encoding"].get("y", {})
    if height is None and upright.get("type") in ("nominal", "ordinal"):
        values = chart["data"]["values"]
        beside = chart["encoding"].get("yOffset", {})
        bars = _different(upright, values) * max(1, _different(beside, values))
        height = min(max(_HEIGHT // 2, bars * _BAR_HEIGHT + _AROUND_BARS), MOST_PIXELS)
    return chart | {
        "width": width or _WIDTH,
        "height": height or _HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
    }


def _different(channel: Mapping[str, Any], values: Sequence[Mapping[str, Any]]) -> int:
    """How many different values a channel shows."""
    return len({row.get(name) for row in values for name in row if field_of(name) == channel.get("field")})
