"""Whether the order of a result's rows means something."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.charts.columns import MeasuredColumn, Role

# Of fewer rows every order looks like one.
_FEW_ROWS = 4


def rows_are_ordered(sql: str, columns: Sequence[MeasuredColumn], dialect: str = "") -> bool:
    """Whether `sql`, in sqlglot's `dialect`, sorts its rows; where that cannot be read from it, whether some column is
    sorted."""
    if sql.strip():
        try:
            tree = parse_one(sql, dialect=dialect)
        except (SqlglotError, RecursionError):
            pass
        else:
            return isinstance(tree, exp.Query) and tree.args.get("order") is not None
    return any(_is_sorted(column.values) for column in columns if column.role is not Role.OTHER)


def _is_sorted(values: tuple[Any, ...]) -> bool:
    if len(values) < _FEW_ROWS or None in values or len({type(value) for value in values}) > 1:
        return False
    steps = list(pairwise(values))
    return len(set(values)) > 1 and (all(a <= b for a, b in steps) or all(a >= b for a, b in steps))


def sign_of_order(base: MeasuredColumn, amounts: MeasuredColumn) -> str | None:
    """Vega-Lite's sign of the order that rows have by their amounts: "-" where these fall, "" where they rise; None
    where the rows are sorted by their names, or by something else."""
    if _is_sorted(base.values) and list(base.values) == sorted(base.values):
        return None
    known = list(amounts.known)
    if known == sorted(known, reverse=True):
        return "-"
    return "" if known == sorted(known) else None
