"""Whether two results hold the same rows, as execution accuracy compares them.

Results are compared as multisets of rows, numbers to one part in a million, column names ignored; as lists where the
order counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

RELATIVE_TOLERANCE = 1e-6

Row = tuple[Any, ...]


def same_result(expected: Sequence[Row], given: Sequence[Row], *, ordered: bool) -> bool:
    """Whether two results are the same, as this module's docstring says."""
    if len(expected) != len(given):
        return False
    if expected and len(expected[0]) != len(given[0]):
        return False
    if not ordered:
        expected, given = sorted(expected, key=_sort_key), sorted(given, key=_sort_key)
    return all(_same_value(x, y) for a, b in zip(expected, given, strict=True) for x, y in zip(a, b, strict=True))


def _same_value(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float):
        return a == b or math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE)
    return bool(a == b)


def _sort_key(row: Row) -> tuple[tuple[int, Any], ...]:
    """Sorts rows of mixed types; numbers are rounded so that two results within the tolerance sort alike."""
    return tuple(_value_key(value) for value in row)


def _value_key(value: Any) -> tuple[int, Any]:
    match value:
        case None:
            return (0, 0)
        case bool() | int() | float():
            return (1, float(f"{float(value):.6g}") if abs(value) < 1e300 else float(value))
        case str():
            return (2, value)
        case bytes():
            return (3, value)
        case _:
            return (4, repr(value))
