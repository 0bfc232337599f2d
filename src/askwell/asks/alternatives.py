"""What else a question could have meant, with what has to be said for an answer to that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated, Required

from pydantic import Field
from typing_extensions import TypedDict

from askwell.asks.meant import Meant, to_send
from askwell.jobs.request import FORBIDDEN
from askwell.mdl.names import readable
from askwell.mdl.semantic_model import ColumnRef, Relationship, SemanticModel
from askwell.question.words import stems
from askwell.semantic_parsing.translation import MOST_ALTERNATIVES, MOST_CHOICES, About, Alternative, Choice
from askwell.sql.binder import bound_again
from askwell.sql.bindings import Bindings
from askwell.sql.bound import BoundSql
from askwell.sql.joins_in_words import joined_by
from askwell.sql.outcome import ValidSql

_DATES = ("DATE", "TIME")


@FORBIDDEN
class AlternativeOption(TypedDict, total=False):
    """One of the other things that could be meant; a request with this `meant`, and this `question` where there is one,
    is answered by it."""

    label: Required[str]
    detail: str | None
    meant: Required[Meant]
    question: Annotated[
        str | None, Field(description="Of a period: the question to ask in place of the one that was asked.")
    ]


@FORBIDDEN
class AlternativeBody(TypedDict, total=False):
    """What was assumed, and what else could be meant."""

    about: Required[About]
    assumed: Required[str]
    assumption: Annotated[str | None, Field(description="The sentence of `assumptions` about it, where there is one.")]
    options: Required[list[AlternativeOption]]


def offered(
    found: Iterable[Alternative], assumptions: Sequence[str], model: SemanticModel
) -> tuple[AlternativeBody, ...]:
    """Alternatives as they are told, without those that no request can ask for."""
    offers = (_offered(one, assumptions, model) for one in found)
    return tuple(one for one in offers if one["options"])[:MOST_ALTERNATIVES]


def alternatives_in(valid: ValidSql, question: str, bound: Bindings, model: SemanticModel) -> tuple[Alternative, ...]:
    """What else a statement could have read that a language model wrote for a question: another date of the tables of
    the only one that it reads, and another relationship between tables that are joined over one of several; nothing
    that the question has a word for, beside those of the others. What was said before (`bound`) is kept to."""
    read = bound_again(valid, model)
    if read is None:
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


def _offered(one: Alternative, assumptions: Sequence[str], model: SemanticModel) -> AlternativeBody:
    assumption = one.assumption
    if one.about == "join":
        links = [link for link in model.relationships if link.name == one.taken]
        conditions = [joined_by(link) for link in links]
        assumption = next((option for option in assumptions if any(said in option for said in conditions)), None)
    options = [option for choice in one.choices if (option := _option(choice, model)) is not None]
    found: AlternativeBody = {"about": one.about, "assumed": one.assumed, "options": options[:MOST_CHOICES]}
    return {**found, "assumption": assumption} if assumption else found


def _option(choice: Choice, model: SemanticModel) -> AlternativeOption | None:
    meant = to_send(choice.bindings, model)
    if meant is None:
        return None
    option: AlternativeOption = {"label": choice.label, "meant": meant}
    if choice.detail:
        option["detail"] = choice.detail
    if choice.question:
        option["question"] = choice.question
    return option


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
