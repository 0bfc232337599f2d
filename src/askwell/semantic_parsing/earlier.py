"""What was asked before, read again, and the same question about other periods."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Self

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.other_periods import period_said
from askwell.semantic_parsing.bound_readings import relationships_in
from askwell.semantic_parsing.coverage import is_covered
from askwell.semantic_parsing.linking import Names
from askwell.semantic_parsing.model.catalog import DATE, Catalog
from askwell.semantic_parsing.notes import assumptions_of, still_assumed
from askwell.semantic_parsing.parser import Before, Candidate, Parse, SemanticParser
from askwell.semantic_parsing.translation import Alternative, Assumption, Choice, Translation, Turn
from askwell.semantic_parsing.trust import probability
from askwell.sql.bindings import Bindings


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was asked `before`, with the probability (0–1) of its least sure question, and what it took for granted. Of
    a question that was answered by another reading than the likeliest somebody has said what it means: it is sure."""

    before: Before
    sure: float
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    candidate: Candidate
    sure: float
    added_to: Earlier | None
    is_first: bool


@dataclass(frozen=True, slots=True)
class EarlierReader:
    """Reads again what was asked of one model before."""

    catalog: Catalog
    parser: SemanticParser
    dialect: str

    def of(self, turns: Sequence[Turn], taught: Names, *, bare: bool) -> Earlier | None:
        """What was asked last: the reading of each question, alone or added to the one before, whose statement is the
        one that answered it. None where there is none."""
        earlier: Earlier | None = None
        for turn in turns:
            answered, last = _read_sql(turn.sql, self.dialect), earlier
            earlier = None
            if answered is None:
                continue
            tree, wanted = answered
            found = list(self._readings(turn, tree, wanted, last, taught, bare=bare))
            if found:
                likeliest = next((one for one in found if one.is_first), found[0])
                earlier = self._after(likeliest, last, relationships_in(tree, self.catalog.facts))
        return earlier

    def _readings(
        self, turn: Turn, tree: exp.Expr, wanted: str, last: Earlier | None, taught: Names, *, bare: bool
    ) -> Iterator[_Found]:
        """The readings that have the statement, up to one that is the likeliest of its kind: those over its joins, and
        those of its dates, which somebody may have chosen."""
        joins = Bindings(relationships=relationships_in(tree, self.catalog.facts))
        dates = tuple(dict.fromkeys(ref for ref in _columns_of(tree) if self._is_date(ref)))
        for bound in (joins, replace(joins, columns=dates)) if dates else (joins,):
            parse = partial(self.parser.parse, turn.question, bare=bare, bound=bound, taught=taught)
            for way in (None, last) if last is not None else (None,):
                parsed = parse(before=way.before.of_times(bound.columns) if way is not None else None)
                if (found := self._in(parsed, wanted, turn, way)) is not None:
                    yield found
                    if found.is_first:
                        return

    def _in(self, parsed: Parse, wanted: str, turn: Turn, way: Earlier | None) -> _Found | None:
        for place, one in enumerate(parsed.candidates):
            own = _read_sql(one.sql, self.dialect)
            if own is not None and own[1] == wanted:
                likeliest = place == 0 and is_covered(one.features)
                sure = probability(parsed.candidates, len(turn.question.split())) if likeliest else 1.0
                return _Found(one, min(sure, way.sure if way is not None else 1.0), way, likeliest)
        return None

    def _after(self, found: _Found, last: Earlier | None, joined: tuple[str, ...]) -> Earlier:
        before = replace(Before.of(found.candidate, last.before if last else None), relationships=joined)
        own, added_to = assumptions_of(found.candidate, self.catalog), found.added_to
        kept = tuple(still_assumed(added_to.assumptions, found.candidate, own)) if added_to is not None else ()
        return Earlier(before, found.sure, (*own, *kept))

    def _is_date(self, column: ColumnRef) -> bool:
        return column in self.catalog.facts.columns and self.catalog.kind(column) == DATE


def _columns_of(tree: exp.Expr) -> Iterator[ColumnRef]:
    return (ColumnRef(column.table, column.name) for column in tree.find_all(exp.Column))


def _read_sql(sql: str, dialect: str) -> tuple[exp.Expr, str] | None:
    """A statement, and how it is written whoever wrote it, whatever its figures are called. None for what is no SQL, or
    nested too deeply."""
    try:
        tree = parse_one(sql, dialect=dialect)
        plain = tree.copy()
        if isinstance(plain, exp.Select):
            plain.set("expressions", [one.unalias() for one in plain.expressions])
        for identifier in plain.find_all(exp.Identifier):
            identifier.set("quoted", False)
        return tree, plain.sql(dialect=dialect).lower()
    except (SqlglotError, RecursionError):
        return None


# The answer to another question, asked as this one was; None where there is none.
Read = Callable[[str], Translation | None]


def times_of(candidate: Candidate, catalog: Catalog) -> frozenset[ColumnRef]:
    """The columns of dates and of years that a question means."""
    columns = set(candidate.grounding.columns.values())
    return frozenset(one for one in columns if catalog.kind(one) == DATE or catalog.is_year(one))


def other_periods(
    question: str, given: Translation, bound: Bindings, dialect: str, today: date, read: Read, until: float
) -> Alternative | None:
    """The other periods that a question could say in place of its own, and be answered by the same statement with
    another condition on one time; None where there are none. What it is `bound` to stays. Stops looking at `until`, in
    seconds of the monotonic clock."""
    said = period_said(question, today)
    if said is None or not given.times:
        return None
    statement = _Statement.of(given, dialect)
    # A follow-up may say nothing without its period.
    everything = None if given.follows else said.everything
    found: dict[str, Choice] = {}
    for one in (*said.others[:1], everything, *said.others[1:]):
        if one is None or time.monotonic() > until:
            continue
        other = read(one.question)
        if other is None or other.follows != given.follows:
            continue
        if _Statement.of(other, dialect).has_another_time(statement, given.times, none=one is everything):
            found.setdefault(other.sql, Choice(one.label, bound, question=one.question))
    choices = sorted(found.values(), key=lambda choice: everything is not None and choice.label == everything.label)
    return Alternative("period", said.said, said.said, tuple(choices)) if choices else None


@dataclass(frozen=True, slots=True)
class _Statement:
    """The conditions on rows of a statement and its subqueries, and what it is without them."""

    rest: str
    conditions: frozenset[exp.Expr]

    @classmethod
    def of(cls, translation: Translation, dialect: str) -> Self:
        """Of SQL that is valid, as that of rules is."""
        tree = parse_one(translation.sql, dialect=dialect)
        conditions: set[exp.Expr] = set()
        for where in reversed(list(tree.find_all(exp.Where))):  # subqueries before what they are in
            if isinstance(where.parent, exp.Select):
                conditions.update(where.this.flatten() if isinstance(where.this, exp.And) else (where.this,))
                where.pop()
        return cls(tree.sql(dialect=dialect), frozenset(conditions))

    def has_another_time(self, given: Self, times: frozenset[ColumnRef], *, none: bool) -> bool:
        """Whether it differs from the statement that was given in the conditions on one of the times, and in nothing
        else. With `none` it has none of these conditions."""
        gone, new = given.conditions - self.conditions, self.conditions - given.conditions
        read = {ColumnRef(ref.table, ref.name) for one in (*gone, *new) for ref in one.find_all(exp.Column)}
        return self.rest == given.rest and len(read) == 1 and read <= times and bool(gone) and bool(new) != none
