"""Results as engines give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwell.charts.choice import choose_chart
from askwell.charts.plan import Chart
from askwell.providers.engine.base import ResultColumn

Rows = list[tuple[Any, ...]]


def columns(*names: str) -> list[ResultColumn]:
    """Columns by `name` or `name:TYPE`."""
    return [ResultColumn(name, type_name) for name, _, type_name in (one.partition(":") for one in names)]


def chart_of(question: str, names: Sequence[str], rows: Rows, sql: str = "") -> Chart:
    return choose_chart(question, columns(*names), rows, sql=sql)


MONTHS = [f"2025-{month:02}-01" for month in range(1, 13)]
