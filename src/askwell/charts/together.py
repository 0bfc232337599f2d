"""Whether a chart may put values of a result together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from askwell.charts.columns import MeasuredColumn, Role
from askwell.charts.plan import ChartPlan

_TELLING = (Role.TEMPORAL, Role.PERIOD, Role.CATEGORY, Role.IDENTIFIER)


def repeats(plan: ChartPlan) -> bool:
    """Whether several rows belong to one place of the chart."""
    if plan.base is None:
        return False
    series = plan.series.values if plan.series else (None,) * len(plan.base.values)
    return Counter(zip(plan.base.values, series, strict=True)).most_common(1)[0][1] > 1


def why_not_together(plan: ChartPlan, columns: Sequence[MeasuredColumn]) -> str:
    """Why the chart would show what is not true: it would average averages, or stack them. "" where it would not."""
    final = [one.name for one in plan.measures if one.combining == "never"]
    if plan.base is None or not final:
        return ""
    if repeats(plan):
        used = {one.name for one in (plan.base, plan.series, *plan.measures) if one is not None}
        left = [one.name for one in columns if one.name not in used and one.role in _TELLING and one.distinct > 1]
        reason = f"{final[0]} has several values for one {plan.base.name}, and they cannot be added up or averaged."
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
