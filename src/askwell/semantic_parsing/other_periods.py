"""The same question about other periods, where its answer is one about the period that it says."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Self

from sqlglot import exp, parse_one

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.other_periods import period_said
from askwell.semantic_parsing.model.catalog import DATE, Catalog
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.translation import Alternative, Choice, Translation
from askwell.sql.bindings import Bindings

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
