"""Pictures of charts, drawn in processes of their own."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from askwell.charts.checking import check_allowed
from askwell.charts.fields import field_of
from askwell.charts.plan import NoChart
from askwell.charts.shown_rows import with_data
from askwell.child_process.pool import ChildKind, ChildWork
from askwell.errors import InvalidRequest, NotInstalled
from askwell.messages import say
from askwell.providers.engine.base import ResultColumn

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
