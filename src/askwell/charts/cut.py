"""A chart of the first rows of a longer result says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from askwell.charts.labels import Labels
from askwell.charts.plan import MOST_ROWS, Chart


def with_cut(chart: Chart, read: int, labels: Labels) -> Chart:
    """The same chart of the first `read` rows, there being more: its title and its reasoning say so."""
    if not chart.chart_type:
        return chart
    told = f"Only the first {read:,} rows were read: what comes after them is missing, also in what is put together."
    reasoning = f"{chart.reasoning} {told}".strip()
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
