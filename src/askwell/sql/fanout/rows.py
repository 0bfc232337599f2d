"""What is known about the rows of a source: which columns tell them apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Way:
    """A join that repeats rows: `by` is the source whose matching rows repeat them, `conditions` are the equalities
    that tie it to the rest, none where nothing does. `inside` names the derived table or CTE that holds the join."""

    by: str
    conditions: tuple[str, ...] = ()
    inside: str | None = None


@dataclass(frozen=True, slots=True)
class Repetition:
    """All `ways` in which joins repeat the rows of `table`. `key` is its only key column as the statement would name
    it."""

    table: str
    ways: tuple[Way, ...]
    key: str | None = None


class Rows(Protocol):
    """The rows of a source. Names of columns are folded."""

    @property
    def depth(self) -> int:
        """How many queries lie inside one another in it; none repeats anything."""
        ...

    @property
    def names(self) -> Sequence[str] | None:
        """Its columns in order, where they are known."""
        ...

    def told_apart_by(self, columns: Names) -> bool:
        """Whether at most one row has given values in `columns`.

        True also where nothing is known that speaks against it: without any key there is nothing to prove.
        """
        ...

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        """How the values of `columns` come to be repeated in these rows, among those with given values in `fixed`.

        With `sums` also where the rows are groups: to count groups is right whatever they are made of.
        """
        ...


@dataclass(frozen=True, slots=True)
class UnknownRows:
    """Nothing is known, so nothing is said."""

    depth: int = 0
    names: Sequence[str] | None = None

    def told_apart_by(self, columns: Names) -> bool:
        return True

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        return None


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table with its keys. Without keys, `many` are columns that a relationship says are not unique."""

    names: Sequence[str]
    keys: Collection[Names]
    many: Collection[Names] = ()
    depth: int = 0

    def told_apart_by(self, columns: Names) -> bool:
        if self.keys:
            return any(key <= columns for key in self.keys)
        return not (columns and any(columns <= many for many in self.many))

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        return None


@dataclass(frozen=True, slots=True)
class FunctionRows:
    """The rows of a table function. The elements of a series or an array are taken to differ."""

    depth: int = 0
    names: Sequence[str] | None = None

    def told_apart_by(self, columns: Names) -> bool:
        return bool(columns)

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        return None


class ValuesRows:
    """The rows of VALUES, which stand in the statement."""

    depth = 0

    def __init__(self, node: exp.Expr, names: Sequence[str]) -> None:
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        self.names = names
        self._rows = [[cell.sql() for cell in row] for row in rows]

    def told_apart_by(self, columns: Names) -> bool:
        positions = [position for position, name in enumerate(self.names) if name in columns]
        chosen = [tuple(row[position] for position in positions if position < len(row)) for row in self._rows]
        return len(set(chosen)) == len(chosen)

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        return None


class RenamedRows:
    """Rows under an alias list; columns that it leaves out keep their names."""

    def __init__(self, rows: Rows, names: Sequence[str]) -> None:
        own = list(rows.names or ())
        self.depth = rows.depth
        self.names = [*names, *own[len(names) :]]
        self._rows = rows
        self._inner = dict(zip(self.names, own, strict=False))

    def told_apart_by(self, columns: Names) -> bool:
        return self._rows.told_apart_by(self._back(columns))

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        return self._rows.repeats(self._back(columns), self._back(fixed), sums=sums)

    def _back(self, columns: Names) -> Names:
        return frozenset(self._inner[name] for name in columns if name in self._inner)


class UnionRows:
    """The rows of UNION (ALL), of which `sides` are the parts, or of a part of one side (EXCEPT, INTERSECT).

    `labels` are columns that hold a different constant in each part, and so tell the parts apart.
    """

    def __init__(self, sides: Sequence[Rows], *, distinct: bool, labels: Names) -> None:
        self.depth = max(side.depth for side in sides)
        self.names = sides[0].names
        self._sides = sides
        self._distinct = distinct
        self._labels = labels

    def told_apart_by(self, columns: Names) -> bool:
        if self.names is None:
            return True
        if self._distinct and columns >= set(self.names):
            return True
        return (len(self._sides) == 1 or bool(columns & self._labels)) and all(
            side.told_apart_by(self._on(side, columns)) for side in self._sides
        )

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        if self._distinct:
            return None
        found = (
            side.repeats(self._on(side, columns), self._on(side, fixed), sums=sums)
            for side in self._sides
            if side.names is not None
        )
        return next((repetition for repetition in found if repetition is not None), None)

    def _on(self, side: Rows, columns: Names) -> Names:
        """The columns under the names that they have on this side: parts of a union match by position."""
        assert self.names is not None
        return frozenset(own for name, own in zip(self.names, side.names or (), strict=False) if name in columns)
