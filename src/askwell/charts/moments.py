"""How fine a chart shows moments, and how it puts values together that belong to one place of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askwell.charts.columns import Grain, MeasuredColumn, Role, day_span
from askwell.charts.plan import ChartPlan
from askwell.charts.together import repeats

# A line of so many minutes is drawn as it is.
_MOST_POINTS = 60
MOST_TICKS = 12
_GRAINS = list(Grain)
# From so many days on, moments are put together by the year, the month, the day.
_BUCKETS = ((7_300, Grain.YEAR), (180, Grain.MONTH), (3, Grain.DAY), (0, Grain.HOUR))
_MOST_MOMENTS = 400
# Ticks every so many months where a year and more is shown.
_MONTH_STEPS = (1, 2, 3, 6, 12)


def aggregate_of(plan: ChartPlan) -> str:
    """How values are put together where several belong to one place of the chart: "mean", "sum", or "" where none
    do."""
    if plan.base is None or not (repeats(plan) or is_bucketed(plan)):
        return ""
    return "mean" if any(one.is_averaged for one in plan.measures) else "sum"


def grain_of(plan: ChartPlan) -> Grain:
    """As fine as the values are, or coarser where there are too many of them, or several of one moment."""
    base = plan.base
    if base is None or base.role is not Role.TEMPORAL:
        return Grain.DAY
    repeated = plan.series is None and not base.is_unique
    too_many = base.distinct > _MOST_MOMENTS or (base.distinct > _MOST_POINTS and base.grain is Grain.MINUTE)
    is_final = any(one.combining == "never" for one in plan.measures)
    if is_final or (not repeated and not too_many):
        return base.grain
    span = day_span(base)
    bucket = next(grain for days, grain in _BUCKETS if span >= days)
    return min(bucket, base.grain, key=_GRAINS.index)


def is_bucketed(plan: ChartPlan) -> bool:
    """Whether moments are put together, by the month for instance."""
    base = plan.base
    return base is not None and base.role is Role.TEMPORAL and grain_of(plan) is not base.grain


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
