"""What no repair of a name may do: take the condition out of a join, or select the same column twice."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.scopes import Resolution


class Promises:
    """How the statement was before; `kept` tells whether it is still joined and selects as it did."""

    def __init__(self, tree: exp.Expr) -> None:
        self._idle = {id(equality) for equality in tree.find_all(exp.EQ) if _is_idle(equality)}
        self._twice = {id(select) for select in tree.find_all(exp.Select) if _selects_twice(select)}

    def kept(self, tree: exp.Expr, resolution: Resolution) -> bool:
        """Whether no equality compares a source with itself, and nothing is selected twice, that was not so before."""
        sources = {id(use.node): id(use.source) for use in resolution.columns}
        for equality in tree.find_all(exp.EQ):
            if id(equality) in self._idle:
                continue
            left, right = equality.this, equality.expression
            if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
                continue
            if sources.get(id(left), 0) == sources.get(id(right), 1):
                return False
        return not any(_selects_twice(s) for s in tree.find_all(exp.Select) if id(s) not in self._twice)


def _is_idle(equality: exp.Expr) -> bool:
    left, right = equality.this, equality.expression
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return False
    return bool(left.table) and fold(left.table) == fold(right.table)


def _selects_twice(select: exp.Select) -> bool:
    counted = Counter(fold(projection.sql(comments=False)) for projection in select.expressions)
    return any(count > 1 for count in counted.values())
