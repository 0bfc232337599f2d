"""A question, understood: a frozen value that says what is asked, independent of any wording and of any dialect."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import Period

Literal = str | int | float
# The operators that say which of two is more.
ORDERINGS = frozenset({"<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class Output:
    """Something computed a row or a group: a column, a column's period (`bucket`: day … year), or an aggregate.

    `aggregate` is count, sum, avg, min or max; a count without `column` counts rows (of `rows_of`, when known). `share`
    is how many of a hundred rows of `rows_of` meet the conditions, `per` how many of them there are on average for each
    value of `column`."""

    column: ColumnRef | None = None
    aggregate: str | None = None
    distinct: bool = False
    bucket: str | None = None
    rows_of: str | None = None

    @property
    def table(self) -> str | None:
        """The table it is read from."""
        return self.column.table if self.column is not None else self.rows_of


@dataclass(frozen=True, slots=True)
class Subset:
    """The values of a column in those rows of its table that meet all `conditions`, which are on the same table."""

    column: ColumnRef
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """`column operator value`. Operators: =, <>, <, <=, >, >=, between, like, in, during (a `period`), null, true,
    blank (missing, or an empty text or 0), filled (the opposite), the comparisons with the column's own average
    (`than_average`), with its lowest or highest value (`than`: min, max) or with an `other` column of the row, and
    `within` a `subset`: a reference to rows of the same table, or in one of several roles."""

    column: ColumnRef
    operator: str
    values: tuple[Literal, ...] = ()
    negated: bool = False
    period: Period | None = None
    than_average: bool = False
    than: str = ""
    subset: Subset | None = None
    other: ColumnRef | None = None


@dataclass(frozen=True, slots=True)
class GroupCondition:
    """A condition on an aggregate a group."""

    output: Output
    operator: str
    value: Literal


@dataclass(frozen=True, slots=True)
class Sort:
    """One sort key."""

    output: Output
    descending: bool


@dataclass(frozen=True, slots=True)
class Absence:
    """Only rows of `table` to which no row of `missing` (that meets `conditions`) belongs; `via` lie between them.
    `present` turns it round: only those to which some such row belongs."""

    table: str
    missing: str
    via: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    present: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """`tables` are joined along the join graph, the first one first; `keep` are joined even where no column of them is
    used. `everything` is the table of which all columns are shown. `any_of` joins the conditions with OR. `both` are
    two conditions whose results are intersected. `counts_groups`: not the rows are shown, but how many there are."""

    outputs: tuple[Output, ...]
    tables: tuple[str, ...]
    everything: str | None = None
    conditions: tuple[Condition, ...] = ()
    any_of: bool = False
    groups: tuple[Output, ...] = ()
    having: tuple[GroupCondition, ...] = ()
    sorts: tuple[Sort, ...] = ()
    limit: int | None = None
    distinct: bool = False
    keep: tuple[str, ...] = ()
    absences: tuple[Absence, ...] = ()
    both: tuple[Condition, ...] = ()
    counts_groups: bool = False


def hidden_sorts(query: Query) -> tuple[Sort, ...]:
    """The sort keys that are not shown."""
    shown = {output.column for output in query.outputs if output.aggregate is None and output.bucket is None}
    plain = (sort for sort in query.sorts if sort.output not in query.outputs)
    return tuple(
        sort
        for sort in plain
        if sort.output.aggregate is not None
        or sort.output.bucket is not None
        or (sort.output.column not in shown and sort.output.table != query.everything)
    )
