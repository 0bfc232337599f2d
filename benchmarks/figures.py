"""One figure of a benchmark, and how many of them make a table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """`part` of what is measured in `group`, at a size in words (or ""). `p95` is None where there is one value."""

    group: str
    part: str
    size: str
    p50: float
    p95: float | None
    unit: str


def figure(group: str, part: str, size: str, values: Sequence[float], unit: str) -> Figure:
    """The figure of these values, which are in `unit`."""
    if len(values) < 2:
        return Figure(group, part, size, values[0], None, unit)
    return Figure(group, part, size, statistics.median(values), statistics.quantiles(values, n=20)[18], unit)
