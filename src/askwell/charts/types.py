"""The types of charts, as clients know them."""

from __future__ import annotations

from typing import Literal, get_args

ChartType = Literal["bar", "line", "area", "pie", "grouped_bar", "stacked_bar", "multi_line", ""]
CHART_TYPES: frozenset[ChartType] = frozenset(kind for kind in get_args(ChartType) if kind)
