"""What a chart shows, before it is written as Vega-Lite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from askwell.charts.columns import MeasuredColumn
from askwell.charts.types import ChartType

# At most so many bars, series, series beside each other, and slices.
MOST_BARS = 30
MOST_SERIES = 12
MOST_BESIDE = 4
MOST_SLICES = 6
# At most so many rows are drawn and handed out.
MOST_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a result: Vega-Lite without its data. `chart_type` is "" where none makes sense: then `reasoning` says
    why, and `chart_schema` is empty."""

    reasoning: str
    chart_type: ChartType
    chart_schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoChart:
    """A chart that was asked for and cannot be made. `missing` is the channel that nothing is there for (x_axis,
    y_axis, x_offset, color, theta), where that is the reason."""

    reason: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """What goes where. `base` is what values are shown for (an axis, or a pie's slices), `measures` the values: several
    are shown as series of their own. `series` tells bars or lines apart. `is_ordered` says that the rows' order
    means something; `is_horizontal`, where it is given, which way bars run."""

    chart_type: ChartType
    base: MeasuredColumn | None
    measures: tuple[MeasuredColumn, ...]
    series: MeasuredColumn | None = None
    is_ordered: bool = False
    is_horizontal: bool | None = None

    @property
    def is_folded(self) -> bool:
        """Whether several columns of amounts are turned into rows."""
        return len(self.measures) > 1
