"""The logical form of a question: frozen values that nest. Columns and values stay underspecified, as all that their
words may mean, until a whole reading is grounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.periods import Period
from askwell.semantic_parsing.model.measures import Formula

Number = int | float
# What a period lacks: its begin, its end.
_AFTER, _BEFORE = (False, True), (True, False)
# Beside a date that is missing: of no row is there one.
NEVER = "never"


@dataclass(frozen=True, slots=True)
class Ref:
    """A column that the question names: all that the words may mean, each with its level of evidence (0 the best).
    `owner` is the table that the words say it is a column of; `implicit`: only a time was said, and no column."""

    options: tuple[tuple[ColumnRef, int], ...]
    owner: str | None = None
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A cell's text as the question writes it: the columns that hold it, each with its own spelling of it."""

    options: tuple[tuple[ColumnRef, str], ...]
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """An amount of time; a column that holds times says in which unit."""

    milliseconds: Number


@dataclass(frozen=True, slots=True, order=True)
class Clock:
    """A time of day, as its hour and minute: "17:30"."""

    text: str


@dataclass(frozen=True, slots=True)
class Amount:
    """A number or a time, as a value and as it was written."""

    value: Number | Duration
    text: str

    @property
    def exact(self) -> Number | Duration | str:
        """The number; the text where its zeros say more than a number has: "007", "1.10"."""
        is_digits = self.text.isascii() and self.text[:1].isdigit() and not isinstance(self.value, Duration)
        zeros = is_digits and str(self.value) != self.text
        return self.text if zeros else self.value


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table that meet all of `where`."""

    table: str
    where: tuple[Predicate, ...] = ()
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure that the model, or somebody, has a name for, over the rows of `table`: "profit margin". `measure` is
    where the model has it, `formula` what it is. `taught`: a person has said all of what it is."""

    measure: ColumnRef
    table: str
    formula: Formula = field(compare=False, repr=False)
    taught: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure: an aggregate of a column, a count (of rows, of different values of a column, or of whatever is asked
    about where `of` is None), or a metric. `outer` aggregates such counts over groups. `share` gives the percentage of
    rows that meet the query's conditions, or of the sum of a column that these rows make up. `over` the periods it is
    shown beside its "change" from the one before, or with a "running" total."""

    op: str  # count sum avg min max share metric; total and mean where a column says which; and of percentiles "p50" …
    of: Ref | Rows | Metric | None
    distinct: bool = False
    outer: str | None = None
    over: str | None = None

    @property
    def percent(self) -> int | None:
        """How many percent of the values the one lies above that is asked for; None where none is."""
        return int(self.op[1:]) if self.op[1:].isdigit() else None


@dataclass(frozen=True, slots=True)
class Bucket:
    """The day, week, month, quarter or year of a date."""

    unit: str
    of: Ref


@dataclass(frozen=True, slots=True)
class Average:
    """The mean of the column that is compared with it."""


# ---------------------------------------------------------------- predicates
@dataclass(frozen=True, slots=True)
class Compare:
    """`left` (a column; a measure for a condition on groups; None: what is shown) stands in relation `op` to `right`.
    `op`: = != < <= > >=, between, contain, start, end, empty ("now": an end that lies ahead is none yet), flag,
    year, month, weekday, hour."""

    left: Ref | Measure | None
    op: str
    right: tuple[Number | str | Duration | Clock | Average | Ref, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Holds:
    """One of the values, in the column that is named (`of`) or in any that holds it. `omitted`: rows with it are not
    counted, and what they belong to is shown all the same."""

    values: tuple[Value, ...]
    of: Ref | None = None
    negated: bool = False
    owner: str | None = None
    omitted: bool = False


@dataclass(frozen=True, slots=True)
class During:
    """A date that lies in one of the periods."""

    of: Ref
    periods: tuple[Period, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Without:
    """Rows to which nothing of the other set is related."""

    other: Rows


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Every:
    """All parts, in one row."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Both:
    """All parts, each perhaps by another related row: an intersection. `told`: "both" was said."""

    parts: tuple[Predicate, ...]
    told: bool = False


@dataclass(frozen=True, slots=True)
class Best:
    """What belongs to the first of another set by its own ranking: a nested superlative."""

    of: Rows | None
    rank: Rank


@dataclass(frozen=True, slots=True)
class Kin:
    """Rows that stand `above` another row of their table, or below it; `column` refers to who is above."""

    who: Predicate
    column: ColumnRef
    above: bool


@dataclass(frozen=True, slots=True)
class Beside:
    """Rows whose column stands in relation `op` (< > =) to that of every row that `who` describes, of their table."""

    who: Predicate
    of: Ref
    op: str


@dataclass(frozen=True, slots=True)
class Only:
    """Something is related that meets all conditions, and nothing else is: "only visited ward A". `table` is whose rows
    that are; None: of what the conditions are about."""

    table: str | None
    where: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Among:
    """One of the rows of `table` (None: of what is asked about) that all conditions leave, of groups among them."""

    where: tuple[Predicate, ...]
    table: str | None = None
    negated: bool = False


Predicate = Beside | Kin | Compare | Holds | During | Without | AnyOf | Every | Both | Best | Only | Among


# ---------------------------------------------------------------- clauses
@dataclass(frozen=True, slots=True)
class Rank:
    """The first `n` by a column or a measure. `grouped`: `by` is what is grouped and counted ("the most common city").
    `by` None: whatever is asked about is counted."""

    by: Ref | Measure | Rows | None
    descending: bool
    n: int = 1
    grouped: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """What is grouped by; nothing stands for each of what is shown. `every`: those that have nothing are told too."""

    by: tuple[Ref | Rows | Bucket, ...]
    every: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """What is sorted by (nothing: the first thing that is shown, of `figures` alone). `descending` None: only "by …"
    was said."""

    by: tuple[Ref | Measure | Rows, ...]
    descending: bool | None = None
    figures: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """What is to be shown."""

    of: tuple[Ref | Measure | Rows, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Own:
    """What a row has of a kind, which `hints` are words for: its name, its date, its place, its people."""

    hints: str


@dataclass(frozen=True, slots=True)
class Tail:
    """What is said at the end to be shown of each row: of its own table, or of one that it refers to."""

    of: tuple[Ref | Measure | Rows | Own, ...]


@dataclass(frozen=True, slots=True)
class Versus:
    """Two or more groups or periods side by side: a condition that names them, and what to group by. `ends`: they are
    so only where something changes from the one to the other."""

    where: Holds | During | Compare
    group: Ref | Bucket
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Everything:
    """All columns."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A sentence or a clause ended: what follows may name the output again."""


Clause = (
    Items | Rows | Measure | Predicate | Rank | Group | Order | Versus | Everything | Stop | Amount
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Query:
    """A question that is read from left to right, one clause after the other. `head` is the table it asks about,
    `mentions` are further tables, `last` is the table that was named last, `late`: what is shown came after the head,
    `stopped`: a sentence ended. `every` row that is grouped by is shown, be it with nothing. `again` sorts the few rows
    that are shown in the end, in the place of their `order`."""

    select: tuple[Ref | Measure | Rows, ...] = ()
    head: str | None = None
    mentions: tuple[str, ...] = ()
    where: tuple[Predicate, ...] = ()
    rank: Rank | None = None
    group: tuple[Ref | Rows | Bucket, ...] = ()
    group_place: str = ""
    every: bool = False
    order: Order | None = None
    again: Order | None = None
    limit: int | None = None
    distinct: bool = False
    everything: bool = False
    late: bool = False
    stopped: bool = False
    last: str = field(default="", compare=False)

    def without(self, part: Clause) -> Self:
        """The query before a follow-up: without the clause that the new part takes the place of."""
        match part:
            case Items(of) if all(isinstance(one, Measure) and one.of is None for one in of):
                return replace(self, select=(), late=False, order=None)  # "how many are there?"
            case Group():
                return replace(self, group=())
            case Order():
                return replace(self, order=None)
            case Rank():
                return replace(self, rank=None)
            case During():
                return self._keeping(lambda p: not isinstance(p, During) or _is_other_end(p, part))
            case Holds() | AnyOf() | Every():
                columns = held_in(part)
                return self._keeping(lambda p: not columns & held_in(p))
            case Compare(Ref(options)):
                compared = {column for column, _ in options}
                return self._keeping(lambda p: not compared & _compared_in(p) or _is_other_bound(p, part))
            case Compare(Measure() as measure):
                return self._keeping(
                    lambda p: not isinstance(p, Compare) or p.left != measure or _is_other_bound(p, part)
                )
        return self

    def _keeping(self, keeps: Callable[[Predicate], bool]) -> Self:
        """Without the conditions that are not kept, be they of the rows or of what is counted."""

        def kept(shown: Ref | Measure | Rows) -> Ref | Measure | Rows:
            match shown:
                case Measure(_, Rows(where=where) as of):
                    return replace(shown, of=replace(of, where=tuple(filter(keeps, where))))
                case Rows(where=where):
                    return replace(shown, where=tuple(filter(keeps, where)))
            return shown

        return replace(self, select=tuple(map(kept, self.select)), where=tuple(filter(keeps, self.where)))


def held_in(predicate: Predicate) -> set[ColumnRef]:
    """The columns whose values a condition asks for."""
    parts = predicate.parts if isinstance(predicate, AnyOf | Every) else (predicate,)
    holds = [part for part in parts if isinstance(part, Holds)]
    return {column for one in holds for value in one.values for column, _ in value.options}


def _is_other_end(known: During, new: During) -> bool:
    """Whether one period has a begin and the other one an end that comes later: "after 1993", "and before 1995"."""
    open_ends = [{(p.start is None, p.end is None) for p in one.periods} for one in (known, new)]
    if known.negated or new.negated or open_ends not in ([{_AFTER}, {_BEFORE}], [{_BEFORE}, {_AFTER}]):
        return False
    moments = [(p.start, p.end) for one in (known, new) for p in one.periods]
    starts = [start.day for start, _ in moments if start is not None and start.day is not None]
    ends = [end.day for _, end in moments if end is not None and end.day is not None]
    return not starts or not ends or max(starts) < min(ends)


def _is_other_bound(known: Predicate, new: Compare) -> bool:
    """Whether one is a lower and the other one an upper bound."""
    ops = {known.op[:1], new.op[:1]} if isinstance(known, Compare) else set()
    return ops == {"<", ">"}


def _compared_in(predicate: Predicate) -> set[ColumnRef]:
    ref = predicate.left if isinstance(predicate, Compare) else None
    return {column for column, _ in ref.options} if isinstance(ref, Ref) else set()
