"""Columns that a SELECT's inner joins and conditions make equal, so that it does not matter which of them is meant."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from askwell.sql.names import fold
from askwell.sql.repair.work import Work
from askwell.sql.scopes import Source

Place = tuple[int, str]  # the identity of a source, and a folded column name


class Equalities:
    """The classes of equal columns of one SELECT. Conditions of outer joins do not count: there a side may be null."""

    def __init__(self, select: exp.Select, work: Work) -> None:
        self._above: dict[Place, Place] = {}
        places = {id(use.node): (id(use.source), fold(use.name)) for use in work.resolution.columns}
        for equality in _always_equal(select):
            left, right = (places.get(id(side)) for side in (equality.this, equality.expression))
            if left is not None and right is not None:
                self._above[self._root(left)] = self._root(right)

    def all_equal(self, places: list[tuple[Source, str]]) -> bool:
        """Whether these columns of sources always hold the same value."""
        return len({self._root((id(source), fold(column))) for source, column in places}) <= 1

    def same(self, left: Place, right: Place) -> bool:
        """Whether two columns, each by the identity of its source and its folded name, always hold the same value."""
        return self._root(left) == self._root(right)

    def _root(self, place: Place) -> Place:
        while place in self._above and self._above[place] != place:
            place = self._above[place]
        return place


def conjuncts(condition: exp.Expr | None) -> list[exp.Expr]:
    """The parts of a condition that all have to hold."""
    found: list[exp.Expr] = []
    waiting = [condition] if condition is not None else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        elif isinstance(part, exp.Paren) and isinstance(part.this, exp.And | exp.Paren):
            waiting.append(part.this)
        else:
            found.append(part)
    return found


def is_outer(join: exp.Expr) -> bool:
    """Whether a join keeps rows without partner, or is none that multiplies."""
    return bool(join.args.get("side")) or join.text("kind").upper() in ("OUTER", "FULL", "SEMI", "ANTI")


def _always_equal(select: exp.Select) -> Iterator[exp.Expr]:
    where = select.args.get("where")
    conditions = [where.this] if where is not None else []
    conditions += [join.args.get("on") for join in select.args.get("joins") or () if not is_outer(join)]
    for condition in conditions:
        yield from (part for part in conjuncts(condition) if isinstance(part, exp.EQ))
