"""What fits have in common: sparse features, gradient ascent, and databases left out in turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

Array = np.ndarray[Any, Any]
Row = TypeVar("Row")


class Sparse:
    """Rows of named features as flat arrays."""

    def __init__(self, rows: Sequence[Mapping[str, float]], names: Mapping[str, int]) -> None:
        cells = [(r, names[f], v) for r, row in enumerate(rows) for f, v in row.items() if f in names]
        self._row = np.array([cell[0] for cell in cells], dtype=np.int64)
        self._column = np.array([cell[1] for cell in cells], dtype=np.int64)
        self._value = np.array([cell[2] for cell in cells], dtype=float)
        self._shape = len(rows), len(names)

    def dot(self, weights: Array) -> Array:
        """The score of each row."""
        found: Array = np.bincount(self._row, self._value * weights[self._column], self._shape[0])
        return found

    def transposed(self, by_row: Array) -> Array:
        """The sum over the rows for each feature."""
        found: Array = np.bincount(self._column, self._value * by_row[self._row], self._shape[1])
        return found


def climb(gradient: Callable[[Array], Array], start: Array, steps: int = 300, rate: float = 0.05) -> Array:
    """Adam (Kingma and Ba, 2015), uphill."""
    weights, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope * slope
        weights += rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def common(rows: Iterable[Mapping[str, float]], rarest: int) -> dict[str, int]:
    """The features that are there often enough to learn from, each with a place."""
    seen = Counter(name for row in rows for name in row)
    return {name: place for place, name in enumerate(sorted(n for n, count in seen.items() if count >= rarest))}


def fit_probability(
    rows: Sequence[Mapping[str, float]],
    right: Sequence[bool],
    *,
    rarest: int,
    ridge: Callable[[str], float],
    worth: Sequence[float] | None = None,
    steps: int = 300,
) -> dict[str, float]:
    """The weights of a logistic regression; `ridge` is that of a feature, `worth` what each row counts."""
    names = common(rows, rarest)
    sparse, ridges = Sparse(rows, names), np.array([ridge(name) for name in names])
    each = np.ones(len(rows)) if worth is None else np.array(worth)
    wanted = np.array(right, dtype=float)

    def gradient(weights: Array) -> Array:
        slope: Array = sparse.transposed(each * (wanted - 1 / (1 + np.exp(-sparse.dot(weights))))) - ridges * weights
        return slope

    weights = climb(gradient, np.zeros(len(names)), steps)
    return {name: float(weights[place]) for name, place in names.items()}


def folds_of(rows: Sequence[Row], database: Callable[[Row], str], folds: int) -> Iterator[tuple[list[Row], list[Row]]]:
    """For each fold the rows of its databases, and all others."""
    fold = {name: number % folds for number, name in enumerate(sorted({database(row) for row in rows}))}
    for number in range(folds):
        yield (
            [row for row in rows if fold[database(row)] == number],
            [row for row in rows if fold[database(row)] != number],
        )
