"""What else a question could have meant, where the reading that answers it took something that was not said."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from sqlglot import exp, parse_one

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing import choices
from askwell.semantic_parsing.forms import Ref
from askwell.semantic_parsing.grounding import parts_of
from askwell.semantic_parsing.model.catalog import DATE, Catalog, Target
from askwell.semantic_parsing.parser import Candidate
from askwell.semantic_parsing.siblings import Index, named
from askwell.semantic_parsing.translation import (
    MOST_ALTERNATIVES,
    MOST_CHOICES,
    About,
    Abstention,
    Alternative,
    Assumption,
    Choice,
    RulesMode,
    Translation,
)
from askwell.sql.bindings import Bindings

Read = Callable[[Bindings], Translation | Abstention]


def alternatives_of(
    candidate: Candidate, assumptions: Sequence[Assumption], bound: Bindings, catalog: Catalog, index: Index
) -> tuple[Alternative, ...]:
    """What else the words of a question could mean that were read so, each with the sentence of `assumptions` about it;
    what was said when it was asked (`bound`) can be taken back. Nothing is tried."""
    said = {one.taken: one.text for one in assumptions if one.taken is not None}
    found: dict[Target, Alternative] = {}
    for one in (
        *_dates(candidate, catalog),
        *_siblings(candidate, bound, catalog, index),
        *_roles(bound, catalog),
    ):
        found.setdefault(one.taken, replace(one, assumption=said.get(one.taken)))
    return tuple(found.values())


def that_lead_on(
    given: Translation, bound: Bindings, mode: RulesMode, dialect: str, read: Read, until: float
) -> tuple[Alternative, ...]:
    """The alternatives of an answer, with those of their choices that lead to another answer in this mode, which reads
    what they say and not what was taken. The bindings of each are all that has to be said to be given it. Stops looking
    at `until`, in seconds of the monotonic clock."""
    found: list[Alternative] = []
    for one in given.alternatives:
        leading: dict[str, Choice] = {}
        for choice in one.choices:
            if len(leading) == MOST_CHOICES or time.monotonic() > until:
                break
            meant = bound.with_another(one.taken, choice.bindings)
            other = read(meant)
            if isinstance(other, Translation) and other.answers_in(mode) and other.sql != given.sql:
                if _keeps(other, one, choice, dialect):
                    leading.setdefault(other.sql, replace(choice, bindings=meant))
        if leading:
            found.append(replace(one, choices=tuple(leading.values())))
        if len(found) == MOST_ALTERNATIVES:
            break
    return tuple(found)


def _keeps(other: Translation, given: Alternative, choice: Choice, dialect: str) -> bool:
    """Whether a statement reads what was chosen in place of what was taken."""
    read = {ColumnRef(one.table, one.name) for one in parse_one(other.sql, dialect=dialect).find_all(exp.Column)}
    if given.taken in read or given.taken in other.tables:
        return False
    return set(choice.bindings.columns) <= read and set(choice.bindings.tables) <= set(other.tables)


def _dates(candidate: Candidate, catalog: Catalog) -> Iterator[Alternative]:
    """The other dates of the tables that are read, where a time was said and no date was named."""
    for part, _ in parts_of(candidate.query):
        taken = candidate.grounding.columns.get(part)
        if taken is None or not isinstance(part, Ref) or not part.implicit or catalog.kind(taken) != DATE:
            continue
        # those that a follow-up keeps are resolved by now
        known = [ref for ref, _ in part.options] if len(part.options) > 1 else catalog.facts.columns
        dates = [ref for ref in known if catalog.kind(ref) == DATE and ref != taken]
        kept = sorted((ref for ref in dates if ref.table in candidate.tables), key=lambda ref: ref.table != taken.table)
        yield from _of_columns("date", taken, kept, catalog)


def _siblings(candidate: Candidate, bound: Bindings, catalog: Catalog, index: Index) -> Iterator[Alternative]:
    """The siblings of what was chosen when the question was asked, or asked back."""
    question = " ".join(token.text for token in candidate.lattice.tokens)
    for group in named(question, catalog, index):
        for taken in {*bound.columns} & {*group.columns}:
            yield from _of_columns("column", taken, [one for one in group.columns if one != taken], catalog)
        for table in {*bound.tables} & {*group.tables}:
            yield from _of_tables(table, [one for one in group.tables if one != table], catalog)


def _roles(bound: Bindings, catalog: Catalog) -> Iterator[Alternative]:
    """The other relationships between two tables, where one was chosen. What a question says itself is not asked."""
    links = catalog.facts.relationships
    for link in (link for link in links if link.name in bound.relationships):
        ends = {link.left, link.right}
        roles = [one.name for one in links if {one.left, one.right} == ends]
        labels = {name: choice for choice in choices.of_roles(roles, catalog) for name in choice.bindings.relationships}
        if link.name in labels and len(labels) > 1:
            others = tuple(choice for name, choice in labels.items() if name != link.name)
            yield Alternative("join", link.name, labels[link.name].label, others)


def _of_columns(about: About, taken: ColumnRef, others: Sequence[ColumnRef], catalog: Catalog) -> Iterator[Alternative]:
    first, *rest = choices.of_columns((taken, *others), catalog)
    if rest:
        yield Alternative(about, taken, first.label, tuple(rest))


def _of_tables(taken: str, others: Iterable[str], catalog: Catalog) -> Iterator[Alternative]:
    first, *rest = choices.of_tables((taken, *others), catalog)
    if rest:
        only = (replace(one, bindings=replace(one.bindings, not_tables=(taken,))) for one in rest)
        yield Alternative("table", taken, first.label, tuple(only))
