"""A draft: what one reading of a question has understood so far. Immutable; each clause makes a new one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.query import Condition, GroupCondition, Output
from askwell.sql.rules.translation import Assumption


class DeadEnd(Exception):
    """This reading fails. `reason` is a stable name; `words` are those it could not place;
    `barred` is a column without which it might have gone well; `final` says that no other reading is any better."""

    def __init__(self, reason: str, *words: str, barred: ColumnRef | None = None, final: bool = False) -> None:
        super().__init__(reason)
        self.barred = barred
        self.final = final
        self.reason = reason
        self.words = tuple(word for word in words if word)


@dataclass(frozen=True, slots=True)
class Placed:
    """A condition and the span it was read at."""

    condition: Condition
    at: int


@dataclass(frozen=True, slots=True)
class SortWish:
    """ "sorted by …": what to sort by (nothing: the first thing that is shown) and which way."""

    terms: tuple[Output, ...]
    descending: bool
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Extreme:
    """A superlative. `kind`: `common` (the value that is there most often), `column` (the row with the most), `count`
    (the group with the most rows of `output.rows_of`), `aggregate` (the group with the highest aggregate). `ties`: "the
    cheapest tracks" are all that cost the least. `most`: "the most weight", and not "the highest weight", was said."""

    kind: str
    output: Output
    descending: bool
    limit: int
    ties: bool = False
    most: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """ "for each …": a column, a period of a column, or the rows of a table."""

    output: Output | None = None
    table: str | None = None


@dataclass(frozen=True, slots=True)
class AbsentRows:
    """ "without any …": rows to which no row of `missing` belongs."""

    missing: str
    of: str | None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """`used` are the spans that are accounted for. `both_said`: the two conditions of `both` are to hold together by a
    word such as "both", and not only by an "and", which may as well mean either."""

    used: frozenset[int] = frozenset()
    assumptions: tuple[Assumption, ...] = ()
    shapes: frozenset[str] = frozenset()
    sort: SortWish | None = None
    extreme: Extreme | None = None
    limit: int | None = None
    shown_extremes: tuple[Output, ...] = ()
    groups: tuple[Group, ...] = ()
    having: tuple[GroupCondition, ...] = ()
    having_of: Group | None = None
    conditions: tuple[Placed, ...] = ()
    any_of: bool = False
    both: tuple[Condition, ...] = ()
    both_said: bool = False
    absent: tuple[AbsentRows, ...] = ()
    negated_join: Condition | None = None

    def take(self, *indices: int) -> Self:
        """These spans are accounted for."""
        return replace(self, used=self.used.union(indices))

    def assume(self, *assumptions: Assumption) -> Self:
        """Something was taken for granted; the same thing only once."""
        new = tuple(a for a in dict.fromkeys(assumptions) if a not in self.assumptions)
        return replace(self, assumptions=self.assumptions + new) if new else self

    def shaped(self, *shapes: str) -> Self:
        """The query takes this form."""
        return replace(self, shapes=self.shapes.union(shapes))

    def where(self, condition: Condition, at: int) -> Self:
        """One more condition, read at span `at`."""
        return replace(self, conditions=(*self.conditions, Placed(condition, at)), shapes=self.shapes | {"filter"})

    def set(self, **changes: Any) -> Self:
        """A copy with other fields."""
        return replace(self, **changes)

    def filtered_columns(self) -> Iterable[ColumnRef]:
        """The columns that conditions are on."""
        return (placed.condition.column for placed in self.conditions)
