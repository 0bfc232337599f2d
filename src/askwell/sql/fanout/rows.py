"""What is known about the rows of a source, and of what the FROM clause of a SELECT puts together: which columns tell
rows apart, and what joins make of that.

The rules are those of functional dependencies: the values of a key determine a row, a row determines the values of its
columns, and an equality carries a value from one column to another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

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


@dataclass(eq=False, slots=True)
class Rows:
    """The rows of a source; of these nothing is known, so nothing is said. Names of columns are folded: `names` are
    those of its columns in order, where they are known. `depth` is how many queries lie inside one another in it; one
    without any repeats nothing."""

    depth: int = 0
    names: Sequence[str] | None = None

    def identified_by(self, columns: Names) -> bool:
        """Whether at most one row has given values in `columns`.

        True also where nothing is known that speaks against it: without any key there is nothing to prove.
        """
        return True

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        """How the values of `columns` come to be repeated in these rows, among those with given values in `fixed`.

        With `sums` also where the rows are groups: to count groups is right whatever they are made of.
        """
        return None


UNKNOWN_ROWS = Rows()


@dataclass(eq=False, slots=True)
class TableRows(Rows):
    """A table with its keys. Without keys, `many` are columns that a relationship says are not unique."""

    keys: Collection[Names] = ()
    many: Collection[Names] = ()

    def identified_by(self, columns: Names) -> bool:
        if self.keys:
            return any(key <= columns for key in self.keys)
        return not (columns and any(columns <= many for many in self.many))


@dataclass(eq=False, slots=True)
class FunctionRows(Rows):
    """The rows of a table function. The elements of a series or an array are taken to differ."""

    def identified_by(self, columns: Names) -> bool:
        return bool(columns)


@dataclass(eq=False, slots=True)
class SavedRows(Rows):
    """The rows of a view: told apart as its statement says, and taken as they are."""

    own: Rows = UNKNOWN_ROWS

    def identified_by(self, columns: Names) -> bool:
        return self.own.identified_by(columns)


@dataclass(eq=False, slots=True)
class UnionRows(Rows):
    """The rows of UNION (ALL), of which `sides` are the parts, or of a part of one side (EXCEPT, INTERSECT).

    `labels` are columns that hold a different constant in each part, and so tell the parts apart.
    """

    sides: Sequence[Rows] = ()
    distinct: bool = False
    labels: Names = frozenset()

    @classmethod
    def of(cls, sides: Sequence[Rows], *, distinct: bool, labels: Names = frozenset()) -> UnionRows:
        """Under the names of the first side."""
        return cls(max(side.depth for side in sides), sides[0].names, sides, distinct, labels)

    def identified_by(self, columns: Names) -> bool:
        if self.names is None or (self.distinct and columns >= set(self.names)):
            return True
        return (len(self.sides) == 1 or bool(columns & self.labels)) and all(
            side.identified_by(self._on(side, columns)) for side in self.sides
        )

    def repeats(self, columns: Names, fixed: Names, *, sums: bool) -> Repetition | None:
        if self.distinct:
            return None
        found = (
            side.repeats(self._on(side, columns), self._on(side, fixed), sums=sums)
            for side in self.sides
            if side.names is not None
        )
        return next((repetition for repetition in found if repetition is not None), None)

    def _on(self, side: Rows, columns: Names) -> Names:
        """The columns under the names that they have on this side: parts of a union match by position."""
        pairs = zip(self.names or (), side.names or (), strict=False)
        return frozenset(own for name, own in pairs if name in columns)


# A column of a source: the source's position, and the column's folded name.
Col = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Source:
    """One thing in FROM. `name` is what the statement calls it, `label` what people read: `orders (o)`.

    `needs` are the sources whose row a lateral one belongs to. `key` is the only column of the primary key.
    """

    name: str
    label: str
    rows: Rows
    needs: frozenset[int] = frozenset()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Equality:
    """`column` has one value wherever each of `given` has one; without `given` it is a constant.

    An outer join's equality says something of the rows that the join keeps anyhow only where the sources of `guard` are
    there. `binds`: where the sources of `given` are there, that of `column` is there too. `condition` is the equality
    as written, or `USING (…)`.
    """

    column: Col
    given: frozenset[Col]
    guard: frozenset[int]
    binds: bool
    condition: exp.Expr | str


@dataclass(frozen=True, slots=True)
class Reach:
    """The sources that have at most one row, and the columns that have one value."""

    sources: Collection[int]
    columns: Collection[Col]

    def names_of(self, source: int) -> frozenset[str]:
        """The columns of a source that have one value."""
        return frozenset(name for position, name in self.columns if position == source)

    def settles(self, column: Col) -> bool:
        """Whether the column has one value."""
        return column in self.columns or column[0] in self.sources


@dataclass(slots=True)
class Joined:
    """The sources of one SELECT and how they hang together.

    `absent` sources multiply nothing: sides of semi-joins, and those that a filter keeps only where they did not match.
    `optional` ones may be missing from a row (outer joins). `pairs` are sources that are combined on purpose, by CROSS
    JOIN or by a condition that is no equality. `opaque`: not understood, so nothing is said.
    """

    sources: list[Source] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)
    absent: set[int] = field(default_factory=set)
    optional: set[int] = field(default_factory=set)
    pairs: list[frozenset[int]] = field(default_factory=list)
    opaque: bool = False

    @property
    def everything(self) -> range:
        """The positions of all sources."""
        return range(len(self.sources))

    def reach(self, rows_of: Iterable[int], fixed: Iterable[Col] = ()) -> Reach:
        """What is determined once one row of each of `rows_of` and one value of each column of `fixed` is taken.

        Nothing is asked about joined rows in which one of `rows_of` is missing: its values are NULL there.
        """
        sources = set(rows_of)
        for position in list(sources):
            sources |= self.sources[position].needs
        columns = set(fixed)
        there = {position for position in self.everything if position not in self.optional} | sources
        asked: dict[int, frozenset[str]] = {}
        grown = True
        while grown:
            grown = False
            for equality in self.equalities:
                grown = self._carry(equality, sources, columns, there) or grown
            # Sources of which nothing is known come last: something may be found out about them on the way.
            grown = grown or any(self._settle(sources, columns, asked, among=among) for among in (True, False))
        return Reach(sources, columns)

    def _settle(self, sources: set[int], columns: set[Col], asked: dict[int, frozenset[str]], *, among: bool) -> bool:
        """Add the sources that can have only one row, of those of which some (or no) column is known."""
        grown = False
        for position, source in enumerate(self.sources):
            if position in sources or not source.needs <= sources:
                continue
            known = frozenset(name for owner, name in columns if owner == position)
            if bool(known) is not among or asked.get(position) == known:
                continue
            asked[position] = known
            if position in self.absent or source.rows.identified_by(known):
                sources.add(position)
                grown = True
        return grown

    def _carry(self, equality: Equality, sources: set[int], columns: set[Col], there: set[int]) -> bool:
        position = equality.column[0]
        known = equality.column in columns or position in sources
        finds = (
            equality.binds
            and position not in there
            and bool(equality.given)
            and all(given[0] in there for given in equality.given)
        )
        if known and not finds:
            return False
        if not equality.guard <= there or any(g not in columns and g[0] not in sources for g in equality.given):
            return False
        if finds:
            there.add(position)
        columns.add(equality.column)
        return True

    def missing(self, reach: Reach) -> list[int]:
        """The sources that may have several rows."""
        return [position for position in self.everything if position not in reach.sources]

    def conditions_between(self, position: int, others: Collection[int], dialect: str) -> tuple[str, ...]:
        """The equalities that tie a source to others, as written."""
        found = (
            equality.condition
            for equality in self.equalities
            if (equality.column[0] == position and any(given[0] in others for given in equality.given))
            or (equality.column[0] in others and any(given[0] == position for given in equality.given))
        )
        texts = (text if isinstance(text, str) else text.sql(dialect=dialect, comments=False) for text in found)
        return tuple(dict.fromkeys(texts))
