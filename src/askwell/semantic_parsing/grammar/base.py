"""The grammar's registry, and the types that its rules check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.semantic_parsing.chart import Grammar, Rejected
from askwell.semantic_parsing.forms import (
    NEVER,
    AnyOf,
    Both,
    Bucket,
    Compare,
    During,
    Every,
    Holds,
    Measure,
    Only,
    Rank,
    Ref,
    Value,
)
from askwell.semantic_parsing.model.catalog import DATE, EXACT, NUMBER, TEXT, Catalog

GRAMMAR = Grammar()
rule = GRAMMAR.rule
Part = TypeVar("Part", Ref, Value)
MEASURABLE: tuple[str, ...] = (NUMBER,)
ORDERABLE: tuple[str, ...] = (NUMBER, DATE)
# What says that something is not so.
DENYING = frozenset({"not", NEVER})

# Older people were born before.
TURNED = {"<": ">", ">": "<"}


def births(catalog: Catalog) -> tuple[tuple[ColumnRef, int], ...]:
    """The days or years of birth."""
    born = (c for c in catalog.facts.columns.values() if english().births & set(c.words))
    return tuple((c.ref, EXACT) for c in born if catalog.kind(c.ref) in (DATE, NUMBER))


def kept(part: Part, keeps: Callable[[ColumnRef], object]) -> Part:
    """A column or a value, of those columns alone that are kept. Raises `Rejected` where none is."""
    options = tuple(option for option in part.options if keeps(option[0]))
    if not options:
        raise Rejected
    return replace(part, options=options)


def typed(catalog: Catalog, ref: Ref, kinds: tuple[str, ...]) -> Ref:
    """The column among those that hold this kind of data. Raises `Rejected` where none does."""
    return kept(ref, lambda column: catalog.kind(column) in kinds)


def additive(catalog: Catalog, ref: Ref) -> Ref:
    """The column among those of which a total makes sense. Raises `Rejected` where none does."""
    return kept(ref, lambda column: catalog.kind(column) == NUMBER and catalog.is_additive(column))


def countable(catalog: Catalog, ref: Ref) -> Ref:
    """The column among those that may hold a number, be it as text or as a key. Raises `Rejected` where none does."""
    return kept(ref, lambda column: catalog.kind(column) != TEXT or catalog.column(column).number_form)


def owned(catalog: Catalog, ref: Ref, table: str) -> Ref:
    """The column as one of the table. Raises `Rejected` where the table has none such."""
    found = catalog.owned(ref, table)
    if found is None:
        raise Rejected
    return found


def hinted(catalog: Catalog, hints: str, kinds: tuple[str, ...]) -> Ref:
    """The columns that a word such as "older" is about. Raises `Rejected` where there are none."""
    options = catalog.hinted(hints, kinds)
    if not options:
        raise Rejected
    return Ref(options)


def some_date(catalog: Catalog) -> Ref:
    """Any date of the model. Raises `Rejected` where there is none."""
    return replace(hinted(catalog, "date time", (DATE,)), implicit=True)


def amount_of(catalog: Catalog, table: str) -> Ref:
    """The columns of a table that add up. Raises `Rejected` where there are none."""
    options = catalog.amounts(table)
    if not options:
        raise Rejected
    return Ref(options, table)


def holding(ref: Ref | None, *values: Value) -> Holds:
    """The values, in those columns of the ref that hold them; in all, as they are written, where none does."""
    if ref is None:
        return Holds(values)
    columns = {column for column, _ in ref.options}
    held = [tuple((column, text) for column, text in value.options if column in columns) for value in values]
    if all(held):
        pairs = zip(held, values, strict=True)
        return Holds(tuple(Value(options, value.text) for options, value in pairs), ref)
    return Holds(tuple(Value((), value.text) for value in values), ref)


def surely_holding(ref: Ref, *values: Value) -> Holds:
    """The values, in columns of the ref that hold them. Raises `Rejected` where none does."""
    found = holding(ref, *values)
    if not all(value.options for value in found.values):
        raise Rejected
    return found


def about(part: Any, table: str | None) -> Any:
    """The part, as one of the table that it stands with, where its words allow that."""
    match part:
        case Ref(options, None) if table and any(column.table == table for column, _ in options):
            return replace(part, owner=table)
        case Holds(_, of, _, None):
            return replace(part, of=about(of, table), owner=table)
        case Compare(left):
            right = tuple(about(r, table) if isinstance(r, Ref) else r for r in part.right)
            return replace(part, left=about(left, table), right=right)
        case During(of) | Bucket(_, of):
            return replace(part, of=about(of, table))
        case Measure(_, Ref()):
            return replace(part, of=about(part.of, table))
        case AnyOf(parts) | Both(parts) | Every(parts):
            return replace(part, parts=tuple(about(p, table) for p in parts))
        case Only(own, where):
            return replace(part, where=tuple(about(p, own) for p in where))
        case Rank(by) if by is not None:
            return replace(part, by=about(by, table))
    return part


def first_of(parts: tuple[Any, ...], kind: type | tuple[type, ...]) -> Any:
    """The first part of a kind; there has to be one."""
    return next(part for part in parts if isinstance(part, kind))


@rule("Col", "COL")
@rule("Set", "WITH|HAVE Set!", "THROUGHOUT Set")
@rule("Full", "Set")
@rule("Pred", "WITH|HAVE Pred!")
@rule("Rank", "WITH|HAVE Rank!")
@rule("Items", "Item")
def itself(catalog: Catalog, *parts: Any) -> Any:
    """ "with a price above 3", "customers with orders", "with the most orders": what that is by itself."""
    return parts[-1]
