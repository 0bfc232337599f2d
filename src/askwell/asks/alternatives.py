"""What else a question could have meant, with what has to be said for an answer to that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import sqlglot

from askwell.asks.meant import to_send
from askwell.mdl.names import readable
from askwell.mdl.semantic_model import ColumnRef, Relationship, SemanticModel
from askwell.question.words import stems
from askwell.semantic_parsing.translation import MOST_ALTERNATIVES, MOST_CHOICES, About, Alternative, Choice
from askwell.sql.binder import bind
from askwell.sql.bindings import Bindings
from askwell.sql.bound import BoundSql
from askwell.sql.joins_in_words import joined_by
from askwell.sql.outcome import ValidSql

_DATES = ("DATE", "TIME")


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """One of the other things that could be meant; a request with this `meant`, and this `question` where there is one,
    is answered by it."""

    label: str
    detail: str
    meant: Mapping[str, Any]
    question: str | None = None

    def rendered(self) -> dict[str, Any]:
        """As clients see it."""
        detail = {"detail": self.detail} if self.detail else {}
        question = {"question": self.question} if self.question else {}
        return {"label": self.label, **detail, "meant": dict(self.meant), **question}


@dataclass(frozen=True, slots=True)
class OfferedAlternative:
    """What an answer took for granted, in words, with the sentence of its assumptions about it, and the others."""

    about: About
    assumed: str
    assumption: str | None
    options: tuple[OfferedOption, ...]

    def rendered(self) -> dict[str, Any]:
        """As clients see it."""
        told = {"assumption": self.assumption} if self.assumption else {}
        options = [option.rendered() for option in self.options]
        return {"about": self.about, "assumed": self.assumed, **told, "options": options}


def offered(
    found: Iterable[Alternative], assumptions: Sequence[str], model: SemanticModel
) -> tuple[OfferedAlternative, ...]:
    """Alternatives as they are told, without those that no request can ask for."""
    told = (_offered(one, assumptions, model) for one in found)
    return tuple(one for one in told if one.options)[:MOST_ALTERNATIVES]


def alternatives_in(valid: ValidSql, question: str, bound: Bindings, model: SemanticModel) -> tuple[Alternative, ...]:
    """What else a statement could have read that a language model wrote for a question: another date of the tables of
    the only one that it reads, and another relationship between tables that are joined over one of several; nothing
    that the question has a word for, beside those of the others. What was said before (`bound`) is kept to."""
    read = bind(sqlglot.parse_one(valid.sql, dialect=valid.dialect), model, valid.dialect)
    if not isinstance(read, BoundSql):
        return ()
    said = frozenset(stems(question))
    return tuple(chain(_other_date(read, said, bound, model), _other_roles(read, said, bound, model)))


def _other_date(read: BoundSql, said: frozenset[str], bound: Bindings, model: SemanticModel) -> Iterator[Alternative]:
    dates = [ref for table in read.tables for ref in _dates_of(table, model)]
    used = [ref for ref in dates if ref.column in read.columns[ref.table]]
    others = [ref for ref in dates if ref not in used]
    if len(used) != 1 or not others:
        return
    [taken] = used
    names = {ref: _name(ref, model) for ref in dates}
    shared = frozenset.intersection(*(frozenset(stems(name)) for name in names.values()))
    if taken not in bound.columns and (frozenset(stems(names[taken])) - shared) & said:
        return
    several = len({ref.table for ref in dates}) > 1
    labels = {ref: f"{name} in {readable(ref.table)}" if several else name for ref, name in names.items()}
    choices = (Choice(labels[ref], bound.with_another(taken, Bindings(columns=(ref,)))) for ref in others)
    yield Alternative("date", taken, labels[taken], tuple(choices))


def _other_roles(read: BoundSql, said: frozenset[str], bound: Bindings, model: SemanticModel) -> Iterator[Alternative]:
    for link in (link for link in model.relationships if _is_read(link, read)):
        roles = [one for one in model.relationships if {one.left, one.right} == {link.left, link.right}]
        if len(roles) < 2 or any(_is_read(one, read) for one in roles if one != link):
            continue
        labels = {one.name: _role(one, model) for one in roles}
        shared = frozenset.intersection(*(frozenset(stems(label)) for label in labels.values()))
        if link.name not in bound.relationships and (frozenset(stems(labels[link.name])) - shared) & said:
            continue
        choices = (
            Choice(
                labels[one.name],
                bound.with_another(link.name, Bindings(relationships=(one.name,))),
                one.condition,
            )
            for one in roles
            if one != link
        )
        yield Alternative("join", link.name, labels[link.name], tuple(choices))


def _offered(one: Alternative, assumptions: Sequence[str], model: SemanticModel) -> OfferedAlternative:
    assumption = one.assumption
    if one.about == "join":
        links = [link for link in model.relationships if link.name == one.taken]
        conditions = [joined_by(link) for link in links]
        assumption = next((told for told in assumptions if any(said in told for said in conditions)), None)
    options = (
        OfferedOption(choice.label, choice.detail, meant, choice.question)
        for choice in one.choices
        if (meant := to_send(choice.bindings, model)) is not None
    )
    return OfferedAlternative(one.about, one.assumed, assumption, tuple(options)[:MOST_CHOICES])


def _dates_of(table: str, model: SemanticModel) -> Iterator[ColumnRef]:
    for column in model.tables[table].columns:
        if column.type.upper().startswith(_DATES):
            yield ColumnRef(table, column.name)


def _name(ref: ColumnRef, model: SemanticModel) -> str:
    column = model.tables[ref.table].column(ref.column)
    return (column.display_name if column is not None else None) or readable(ref.column)


def _is_read(link: Relationship, read: BoundSql) -> bool:
    return all(ref.column in read.columns.get(ref.table, ()) for ref in chain(*link.equations))


def _role(link: Relationship, model: SemanticModel) -> str:
    """The column that refers, aloud."""
    here, there = link.pairs[0]
    keys = model.tables[link.right].primary_key
    return readable(here if there in keys else there)
