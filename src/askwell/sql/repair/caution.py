"""What no repair of a name may do: take tables apart that were joined, or select the same column twice."""

from __future__ import annotations

from collections import Counter

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.repair.work import named_sources
from askwell.sql.scopes import Resolution


class Promises:
    """How the statement was before; `kept` tells whether its tables still hang together and it selects as it did."""

    def __init__(self, tree: exp.Expr, resolution: Resolution, dialect: str) -> None:
        self._dialect = dialect
        owners = _owners(resolution)
        self._groups = {id(select): _groups(select, owners) for select in tree.find_all(exp.Select)}
        self._twice = {id(select) for select in tree.find_all(exp.Select) if self._selects_twice(select)}
        self._idle = {id(equality) for equality in tree.find_all(exp.EQ) if _is_idle(equality)}

    def kept(self, tree: exp.Expr, resolution: Resolution) -> bool:
        """Whether no SELECT falls into more groups of tables than before, and none has an idle condition or a column
        twice that had not."""
        owners = _owners(resolution)
        for select in tree.find_all(exp.Select):
            if _groups(select, owners) > self._groups.get(id(select), 0):
                return False
            if id(select) not in self._twice and self._selects_twice(select):
                return False
        return not any(_is_idle(equality) for equality in tree.find_all(exp.EQ) if id(equality) not in self._idle)

    def _selects_twice(self, select: exp.Select) -> bool:
        written = (projection.sql(dialect=self._dialect, comments=False) for projection in select.expressions)
        return any(count > 1 for count in Counter(map(fold, written)).values())


def _owners(resolution: Resolution) -> dict[int, str]:
    return {id(use.node): fold(use.source.name) for use in resolution.columns}


def _groups(select: exp.Select, owners: dict[int, str]) -> int:
    """How many groups of tables there are that no comparison connects; a qualifier counts also where it is wrong."""
    above = {name: name for name in named_sources(select)}

    def root(name: str) -> str:
        while above[name] != name:
            name = above[name]
        return name

    for comparison in select.find_all(exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
        columns = [*_columns(comparison.this), *_columns(comparison.expression)]
        names = [fold(column.text("table")) or owners.get(id(column), "") for column in columns]
        inside = [name for name in names if name in above]
        for name in inside[1:]:
            above[root(name)] = root(inside[0])
    return sum(1 for name, over in above.items() if name == over)


def _columns(side: exp.Expr) -> list[exp.Column]:
    return list(side.find_all(exp.Column)) if not isinstance(side, exp.Subquery) else []


def _is_idle(equality: exp.Expr) -> bool:
    """Whether a table is compared with itself, and so joined with nothing."""
    left, right = equality.this, equality.expression
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return False
    return bool(left.table) and fold(left.table) == fold(right.table)
