"""What every evaluation gives back, and how sure measured shares and differences are."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# The 97.5% quantile of the standard normal distribution: two-sided 95% intervals.
Z_95 = 1.959963984540054


def say(line: str) -> None:
    """Tell people on standard error how far an evaluation is."""
    sys.stderr.write(line + "\n")


@dataclass(frozen=True, slots=True)
class Report:
    """`figures` are JSON-ready, `lines` say the same to people. `passed` decides over the exit code. `failures` are
    lines about what went wrong, for those who ask for them."""

    figures: dict[str, Any]
    lines: Sequence[str]
    passed: bool = True
    failures: Sequence[str] = ()

    @property
    def table(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `total`, as a share from 0 to 1 with its 95% interval."""

    count: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} (95% interval {self.low:.1%} to {self.high:.1%})"


def share_of(count: int, total: int) -> Share:
    """A share with Wilson's score interval (E. B. Wilson 1927). Of nothing, anything from 0 to 1 may be true."""
    low, high = wilson(count / total, total) if total else (0.0, 1.0)
    return Share(count, ratio(count, total), low, high)


def wilson(rate: float, size: int) -> tuple[float, float]:
    """The 95% score interval of a rate that was observed `size` times, to four digits."""
    spread = Z_95**2 / size
    middle = rate + spread / 2
    reach = Z_95 * math.sqrt(rate * (1 - rate) / size + spread / (4 * size))
    low, high = (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)
    return round(max(0.0, low), 4), round(min(1.0, high), 4)


def ratio(part: float, whole: float, digits: int = 4) -> float:
    """A share from 0 to 1, or a mean; 0 of nothing."""
    return round(part / whole, digits) if whole else 0.0


def percent(part: int, whole: int) -> str:
    """A share for people, with its counts."""
    return f"{part}/{whole} {100 * part / whole:.1f}%" if whole else "-"


def mcnemar_p(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of McNemar's test: how often a difference of this size or more comes from chance,
    when of all pairs `only_first` are right in the first alone, and `only_second` in the second alone."""
    flips = only_first + only_second
    tail = sum(math.comb(flips, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**flips))


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile, `percent` from 0 to 100; 0 of no values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]
