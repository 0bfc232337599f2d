"""What a chart shows, before it is written as Vega-Lite: columns by channel, aggregates and time steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from askwell.charts.columns import Grain, MeasuredColumn, Role, day_span
from askwell.charts.labels import Labels
from askwell.charts.words import CHART_TYPES, ChartType

# At most so many bars, series, series beside each other, and slices.
MOST_BARS = 30
MOST_SERIES = 12
MOST_BESIDE = 4
MOST_SLICES = 6
# At most so many rows are drawn and handed out.
MOST_ROWS = 1_000
# A line of so many minutes is drawn as it is.
_MOST_POINTS = 60
MOST_TICKS = 12
_GRAINS = list(Grain)
# From so many days on, moments are put together by the year, the month, the day.
_BUCKETS = ((7_300, Grain.YEAR), (180, Grain.MONTH), (3, Grain.DAY), (0, Grain.HOUR))
_MOST_MOMENTS = 400
# Ticks every so many months where a year and more is shown.
_MONTH_STEPS = (1, 2, 3, 6, 12)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of a result: Vega-Lite without its data. `chart_type` is "" where none makes sense: then `reasoning` says
    why, and `chart_schema` is empty."""

    reasoning: str
    chart_type: ChartType
    chart_schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoChart(Exception):
    """Why a chart cannot be made, or may not be drawn. `missing` is the channel that nothing is there for (x_axis,
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
    def mark(self) -> str:
        """Vega-Lite's name for what is drawn."""
        return CHART_TYPES[self.chart_type].mark

    @property
    def is_folded(self) -> bool:
        """Whether several columns of amounts are turned into rows."""
        return len(self.measures) > 1

    @property
    def repeats(self) -> bool:
        """Whether several rows belong to one place of the chart."""
        if self.base is None:
            return False
        series = self.series.values if self.series else (None,) * len(self.base.values)
        return Counter(zip(self.base.values, series, strict=True)).most_common(1)[0][1] > 1

    @property
    def aggregate(self) -> str:
        """How values are put together where several belong to one place of the chart: "mean", "sum", or "" where none
        do."""
        if self.base is None or not (self.repeats or self.is_bucketed):
            return ""
        return "mean" if any(one.is_averaged for one in self.measures) else "sum"

    @property
    def grain(self) -> Grain:
        """As fine as the values are, or coarser where there are too many of them, or several of one moment."""
        base = self.base
        if base is None or base.role is not Role.TEMPORAL:
            return Grain.DAY
        repeated = self.series is None and not base.is_unique
        too_many = base.distinct > _MOST_MOMENTS or (base.distinct > _MOST_POINTS and base.grain is Grain.MINUTE)
        is_final = any(one.combining == "never" for one in self.measures)
        if is_final or (not repeated and not too_many):
            return base.grain
        span = day_span(base)
        bucket = next(grain for days, grain in _BUCKETS if span >= days)
        return min(bucket, base.grain, key=_GRAINS.index)

    @property
    def is_bucketed(self) -> bool:
        """Whether moments are put together, by the month for instance."""
        return self.base is not None and self.base.role is Role.TEMPORAL and self.grain is not self.base.grain


_TELLING = (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY, Role.IDENTIFIER)


def why_not_together(plan: ChartPlan, columns: Sequence[MeasuredColumn]) -> str:
    """Why the chart would show what is not true: it would average averages, or stack them. "" where it would not."""
    final = [one.name for one in plan.measures if one.combining == "never"]
    if plan.base is None or not final:
        return ""
    if plan.repeats:
        used = {one.name for one in (plan.base, plan.series, *plan.measures) if one is not None}
        left = [one.name for one in columns if one.name not in used and one.role in _TELLING and one.distinct > 1]
        reason = f"{final[0]} has several values for one {plan.base.name}, and they can't be added up or averaged."
        if left:
            return f"{reason} Not in the chart: {', '.join(left)}."
        return f"{reason} The result has no column that tells them apart."
    if plan.chart_type in ("bar", "stacked_bar", "area") and _is_stacked(plan):
        return f"{final[0]} cannot be added up, so its values cannot stand on each other."
    return ""


def kept_apart(name: MeasuredColumn, columns: Sequence[MeasuredColumn]) -> MeasuredColumn | None:
    """The identifier that tells things of equal `name` apart: three customers who are called the same. None where
    names are enough."""
    if name.role is not Role.CATEGORY or name.is_unique:
        return None
    for one in columns:
        is_its_own = name.is_thing_name or not set(one.words[:-1]).isdisjoint(name.words)
        if is_its_own and one.role is Role.IDENTIFIER and one.distinct > name.distinct:
            if len(set(zip(one.values, name.values, strict=True))) == one.distinct:
                return one
    return None


def _is_stacked(plan: ChartPlan) -> bool:
    if plan.series is None:
        return plan.is_folded and plan.chart_type != "bar"
    return plan.base is not None and not plan.base.is_unique


def ticks_of(base: MeasuredColumn) -> Mapping[str, Any] | None:
    """A tick for each month or year, or for every few: by itself an axis would write a month twice."""
    span = day_span(base)
    if base.grain is Grain.YEAR:
        return {"interval": "year", "step": max(1, span // 365 // MOST_TICKS)}
    if base.grain is Grain.MONTH and span <= 365 * MOST_TICKS:
        step = next((step for step in _MONTH_STEPS if span / 30 / step <= MOST_TICKS), 12)
        return {"interval": "month", "step": step}
    if base.grain is Grain.DAY and span <= MOST_TICKS:
        return {"interval": "day", "step": 1}
    return None


def with_cut(chart: Chart, read: int, labels: Labels) -> Chart:
    """The chart with a note in its title and reasoning that only the first `read` rows were read."""
    if not chart.chart_type:
        return chart
    note = f"The chart has only the first {read:,} rows. Later rows are missing, also from totals and averages."
    reasoning = f"{chart.reasoning} {note}".strip()
    title, said = chart.chart_schema.get("title"), labels.cut(min(read, MOST_ROWS))
    if said in str(title):
        return replace(chart, reasoning=reasoning)
    titled: object
    if isinstance(title, Mapping):
        titled = {**title, "text": f"{title.get('text', '')} ({said})".strip()}
    else:
        titled = (
            f"{title.removesuffix(')')}, {said})"
            if title and title.endswith(")")
            else f"{title or ''} ({said})".strip()
        )
    return replace(chart, reasoning=reasoning, chart_schema={**chart.chart_schema, "title": titled})
