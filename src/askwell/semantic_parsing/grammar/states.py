"""Conditions on what is so or not, there or missing, above or below."""

from __future__ import annotations

from typing import Any

from askwell.question.lexicon import english
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import NEVER, AnyOf, Compare, Every, Holds, Kin, Ref, Rows, Value, Without
from askwell.semantic_parsing.grammar.base import DENYING, about, first_of, kept, owned, rule, typed
from askwell.semantic_parsing.model.catalog import DATE, EXACT, FLAG, Catalog
from askwell.semantic_parsing.model.facts import ColumnKind


@rule("Pred", "Col", "NOT Col")
def flag(catalog: Catalog, *parts: Any) -> Compare:
    """ "discontinued products": a column that says yes or no."""
    return Compare(typed(catalog, parts[-1], (FLAG,)), "flag", (), len(parts) > 1)


@rule("Set", "COL TABLE!")
def flagged_rows(catalog: Catalog, ref: Ref, table: str) -> Rows:
    """ "active products"."""
    return Rows(table, (Compare(typed(catalog, owned(catalog, ref, table), (FLAG,)), "flag"),))


@rule("Pred", "NOT Col", "HAPPENED Col")
def happened(catalog: Catalog, word: str, ref: Ref) -> Signed:
    """ "not yet discharged", "has left": whether there is a date of it; "never delivered": whether there is none in
    any row."""
    as_a_noun = any(level == EXACT and len(catalog.column(c).words) > 1 for c, level in ref.options)  # "an end date"
    right = {"not": (), "never": (NEVER,)}.get(word, () if as_a_noun else ("now",))
    return Signed(Compare(typed(catalog, ref, (DATE,)), "empty", right, word not in DENYING), ("pred:happened",))


@rule("Set", "DONE TABLE")
def done_rows(catalog: Catalog, ref: Ref, table: str) -> Rows:
    """ "shipped orders"."""
    return Rows(table, (about(done(catalog, ref), table),))


@rule("Pred", "DONE", "BE DONE", "NOT DONE", "NOT BE DONE", "BE NOT DONE")
def done(catalog: Catalog, *parts: Any) -> Compare:
    """ "that were (not) shipped": whether there is a date of it, or a flag says so."""
    ref, negated = parts[-1], not DENYING.isdisjoint(parts[:-1])
    if any(catalog.kind(column) == FLAG for column, _ in ref.options):
        return Compare(typed(catalog, ref, (FLAG,)), "flag", (), negated)
    if not any(catalog.kind(column) == DATE for column, _ in ref.options):
        return Compare(ref, "blank", (), not negated)  # who has booked it
    return Compare(typed(catalog, ref, (DATE,)), "empty", ("now",), not negated)


@rule("Pred", "NEVER BE? DONE", "NEVER Col!")
def never_done(catalog: Catalog, *parts: Any) -> Without:
    """ "who never cancelled" any of theirs, "that we did never deliver to"."""
    ref = typed(catalog, parts[-1], (DATE, FLAG))
    tables = {column.table for column, _ in ref.options}
    if len(tables) > 1:
        raise Rejected
    (table,) = tables
    return Without(Rows(table, (about(done(catalog, ref), table),)))


@rule("Set", "UNDONE TABLE")
def undone_rows(catalog: Catalog, ref: Ref, table: str) -> Rows:
    """ "unpaid invoices"."""
    return Rows(table, (about(undone(catalog, ref), table),))


@rule("Pred", "UNDONE", "BE UNDONE")
def undone(catalog: Catalog, *parts: Any) -> Compare:
    """ "that are inactive"."""
    return done(catalog, "not", parts[-1])


@rule("Pred", "BELOW PERSON|VAL", "PERSON|VAL BELOW", "ABOVE PERSON|VAL")
def kin(catalog: Catalog, first: Any, second: Any) -> Kin:
    """ "who reports to Ann Lie", "who does Bo Moe report to", "the manager of Bo Moe"."""
    who = first if isinstance(second, str) else second
    named = Holds((who,)) if isinstance(who, Value) else Every(tuple(Holds((name,)) for name in who))
    tables = {c.table for name in ((who,) if isinstance(who, Value) else who) for c, _ in name.options}
    columns = [catalog.superior(table) for table in sorted(tables)]
    found = [column for column in columns if column is not None]
    if len(found) != 1:
        raise Rejected
    return Kin(named, found[0], above=isinstance(second, str) or first == "above")


@rule("Pred", "PERSON|VAL POSSESSIVE SUPERIOR")
def superior_of(catalog: Catalog, who: Any, _: str, __: str) -> Kin:
    """ "Bo Moe's manager"."""
    return kin(catalog, "above", who)


@rule("Pred", "COL OF PERSON|VAL", "PERSON|VAL POSSESSIVE! COL!", "BE? COL! PERSON!")
def other_of(catalog: Catalog, *parts: Any) -> Kin:
    """ "the mentor of Ann Lie" and "referred by Ann Lie": by a column that refers to rows of its own table."""
    who, ref = first_of(parts, (Value, tuple)), first_of(parts, Ref)
    names = (who,) if isinstance(who, Value) else who
    tables = {column.table for name in names for column, _ in name.options}
    own = [column for column, _ in ref.options if catalog.column(column).self_reference and column.table in tables]
    above = "of" in parts
    if len(own) != 1 or not (above or english().superiors.isdisjoint(catalog.column(own[0]).words)):
        raise Rejected
    return Kin(Every(tuple(Holds((name,)) for name in names)), own[0], above=above)


@rule("Pred", "NOT|HAVE|WITH SUPERIOR")
def has_superior(catalog: Catalog, told: str, _: str) -> Compare:
    """ "employees without a manager"."""
    found = [column for table in catalog.facts.tables if (column := catalog.superior(table)) is not None]
    if len(found) != 1:
        raise Rejected
    return Compare(Ref(((found[0], EXACT),)), "empty", (), told not in DENYING)


@rule("Pred", "Col EMPTY", "Col NOT EMPTY", "NOT Col EMPTY", "EMPTY Col")
def empty(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(first_of(parts, Ref), "empty", (), len(parts) > 2)


def _written(catalog: Catalog, ref: Ref) -> Ref:
    """The column among those of text and dates. Raises `Rejected` where there is none."""
    return kept(ref, lambda column: catalog.column(column).kind in (ColumnKind.TEXT, ColumnKind.DATE))


@rule("Pred", "WITH|HAVE Col!")
def has(catalog: Catalog, _: str, ref: Ref) -> Signed:
    """ "with an email address": whether a text is there, and says something."""
    return Signed(Compare(_written(catalog, ref), "blank", (), True), ("pred:has",))


@rule("Pred", "NOT Col!")
def has_not(catalog: Catalog, _: str, ref: Ref) -> Signed:
    """ "without a fax", "no discount"."""
    if all(catalog.column(column).kind is ColumnKind.NUMBER for column, _ in ref.options):
        return Signed(AnyOf((Compare(ref, "empty"), Compare(ref, "=", (0,)))), ("pred:has_not",))
    return Signed(Compare(_written(catalog, ref), "blank"), ("pred:has_not",))
