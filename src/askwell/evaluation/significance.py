"""How sure measured shares and differences are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# The 97.5% quantile of the standard normal distribution: two-sided 95% intervals.
Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `total`, as a share from 0 to 1 with its 95% interval."""

    count: int
    total: int
    share: float
    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        """One object, JSON-ready."""
        return {"count": self.count, "share": self.share, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        return f"{self.share:.1%} (95% interval {self.low:.1%} to {self.high:.1%})"


def share_of(count: int, total: int) -> Share:
    """A share with Wilson's score interval (E. B. Wilson 1927). Of nothing, anything from 0 to 1 may be true."""
    if not total:
        return Share(0, 0, 0.0, 0.0, 1.0)
    share, spread = count / total, Z_95**2 / total
    middle = share + spread / 2
    reach = Z_95 * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    low, high = (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)
    return Share(count, total, round(share, 4), round(max(0.0, low), 4), round(min(1.0, high), 4))


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
