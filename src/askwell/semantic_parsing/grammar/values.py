"""Conditions on values and on parts of texts, and sets that they restrict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.question.periods import SURELY_YEARS
from askwell.semantic_parsing.chart import Rejected
from askwell.semantic_parsing.forms import (
    Amount,
    AnyOf,
    Both,
    Compare,
    During,
    Every,
    Holds,
    Measure,
    Only,
    Predicate,
    Ref,
    Rows,
    Value,
    Without,
)
from askwell.semantic_parsing.grammar.base import about, first_of, holding, kept, rule, surely_holding
from askwell.semantic_parsing.model.catalog import TRIMMED, Catalog
from askwell.semantic_parsing.model.facts import ColumnKind


def _column(parts: tuple[Any, ...]) -> Ref | None:
    return next((part for part in parts if isinstance(part, Ref)), None)


def _values(parts: tuple[Any, ...]) -> tuple[Value, ...]:
    return tuple(part for part in parts if isinstance(part, Value))


# ---------------------------------------------------------------- restricted sets
@rule("Full", "Full Pred")
def restricted(catalog: Catalog, rows: Rows, pred: Predicate) -> Rows:
    return replace(rows, where=(*rows.where, about(pred, rows.table)))


@rule("Set", "VAL TABLE", "VAL POSSESSIVE! TABLE")
def restricted_before(catalog: Catalog, value: Value, *parts: str) -> Rows:
    """ "male dorms", "Ada's orders": the value is their own, or of what they are next to. Of what two others are
    called, neither is."""
    table = parts[-1]
    names = [(column, text) for column, text in value.options if column in catalog.labels(column.table)]
    if len({column.table for column, _ in names} - {table}) > 1:
        raise Rejected
    near = {table, *catalog.facts.neighbours.get(table, ())}
    held = names if len(parts) > 1 else value.options  # nothing but somebody has something
    meant = kept(replace(value, options=tuple(held)), lambda column: column.table in near)
    return Rows(table, (Holds((meant,), owner=table),))


@rule("Set", "VAL")
def kind_of_rows(catalog: Catalog, value: Value) -> Rows:
    """ "mechanics", "no-shows": the rows of the one table of which this is a kind, or for which another lists it."""
    kinds = tuple((column, text) for column, text in value.options if catalog.is_kind(column, text, value.text))
    several = (option for option in value.options if catalog.is_several(*option, value.text))
    kinds = kinds or tuple((column, text) for column, text in several if catalog.listed_for(column.table))
    if len({column for column, _ in kinds}) != 1:
        raise Rejected
    own = kinds[0][0].table
    return Rows(catalog.listed_for(own) or own, (Holds((Value(kinds, value.text),), owner=own),))


# ---------------------------------------------------------------- values
@rule("Pred", "VAL", "BY VAL")
def value(catalog: Catalog, *parts: Any) -> Holds:
    if not parts[-1].options:
        raise Rejected
    return Holds((parts[-1],))


@rule("Pred", "COL BY! VAL!", "COL BY! PERSON!")
def in_a_role(catalog: Catalog, ref: Ref, _: str, who: Any) -> Every:
    """ "mentored by Ada", where dogs have a mentor_id."""
    roles = {role[0] for column, _ in ref.options if (role := catalog.role_of(column)) is not None}
    names = (who,) if isinstance(who, Value) else who
    held = (kept(name, lambda c: c.table in roles and c in catalog.labels(c.table)) for name in names)
    return Every(tuple(Holds((name,)) for name in held))


@rule("Pred", "EQUALS VAL!")
def called(catalog: Catalog, _: str, one: Value) -> Compare:
    """ "books called 'To Date'": by their name, which was not seen."""
    if one.options:
        raise Rejected
    return Compare(None, "called", (one.text,))


@rule("Pred", "Col EQUALS? VAL", "Col BE VAL")
@rule("Pred", "EITHER? VAL OR VAL", "VAL COMMA VAL COMMA? OR VAL")
@rule("Pred", "Col EQUALS? EITHER? VAL OR VAL", "Col VAL COMMA VAL COMMA? OR VAL")
def column_value(catalog: Catalog, *parts: Any) -> Holds:
    return holding(_column(parts), *_values(parts))


@rule("Pred", "VAL Col")
def value_column(catalog: Catalog, one: Value, ref: Ref) -> Holds:
    return surely_holding(ref, one)


@rule("Pred", "PERSON", "BY PERSON")
def person(catalog: Catalog, *parts: Any) -> Every:
    return Every(tuple(Holds((name,)) for name in parts[-1]))


@rule("Pred", "TABLE ID!", "TABLE COL NUM!")
def numbered(catalog: Catalog, table: str, *parts: Any) -> Compare:
    """ "course 301": by the number or code that its rows are known by, else by its key; "store 007" by a text."""
    number = parts[-1]
    return Compare(_number_of(catalog, table, number), "=", (number.exact,))


@rule("Pred", "TABLE ID! TO! NUM!")
def numbered_between(catalog: Catalog, table: str, first: Amount, _: str, last: Amount) -> Compare:
    """ "rooms 20 to 40"."""
    match first.exact, last.exact:
        case int() | float() as low, int() | float() as high if low < high:
            return Compare(_number_of(catalog, table, first), "between", (low, high))
    raise Rejected


@rule("Pred", "TABLE ID! AND!|OR! NUM!")
def numbered_either(catalog: Catalog, table: str, first: Amount, _: str, second: Amount) -> AnyOf:
    """ "rooms 7 and 12"."""
    ref = _number_of(catalog, table, first)
    return AnyOf((Compare(ref, "=", (first.exact,)), Compare(ref, "=", (second.exact,))))


def _number_of(catalog: Catalog, table: str, number: Amount) -> Ref:
    """What rows are known by that a number may be. Raises `Rejected` where it is none."""
    if not number.text.isdigit() or number.value in SURELY_YEARS:
        raise Rejected
    found = [c for c in (*catalog.numbers(table), catalog.key(table)) if c]
    if isinstance(number.exact, str):
        found = [c for c in found if catalog.column(c).kind is ColumnKind.TEXT]
    if not found:
        raise Rejected
    return Ref(((found[0], TRIMMED),), table)


@rule("Pred", "BOTH? Pred AND Pred")
def both(catalog: Catalog, told: str | None, first: Predicate, __: str, second: Predicate) -> Both | Every:
    """Two conditions that no row meets at once."""
    if isinstance(first, Holds) and isinstance(second, Holds):
        if first.negated and not second.negated:
            raise Rejected  # "without Italy and Spain": what is denied goes on
        if first.negated and second.negated:
            return Every((first, second))
        columns = ({column for column, _ in held.values[0].options} for held in (first, second))
        if set.intersection(*columns):
            return Both((first, second), told is not None)
    if not isinstance(first, Compare) or not isinstance(second, Compare):
        raise Rejected
    if not isinstance(first.left, Ref) or getattr(second.left, "options", None) != first.left.options:
        raise Rejected
    if second.op == "=" and first.op in ("=", "!="):
        raise Rejected
    return Both((first, second), told is not None)


@rule("Pred", "EITHER? Pred OR Pred")
def either(catalog: Catalog, _: str | None, first: Predicate, __: str, second: Predicate) -> AnyOf:
    flat = [p for one in (first, second) for p in (one.parts if isinstance(one, AnyOf) else (one,))]
    if any(isinstance(p, Compare) and p.op == "empty" for p in flat) and any(isinstance(p, During) for p in flat):
        raise Rejected  # "booked on or before May 3"
    if any(isinstance(p, Both | Without) or (isinstance(p, Compare) and isinstance(p.left, Measure)) for p in flat):
        raise Rejected
    if isinstance(first, Holds) and first.negated and isinstance(second, Holds) and not second.negated:
        raise Rejected  # "not in Germany or in France": what is denied goes on
    return AnyOf(tuple(flat))


@rule("Pred", "NOT VAL", "NOT Col VAL", "Col NOT VAL")
def not_value(catalog: Catalog, *parts: Any) -> Holds:
    return replace(holding(_column(parts), *_values(parts)), negated=True)


@rule("Pred", "NOT VAL Col")
def not_value_column(catalog: Catalog, _: str, one: Value, ref: Ref) -> Holds:
    return replace(surely_holding(ref, one), negated=True)


@rule("Listed", "Col? VAL|Listed COMMA? OR|AND Col? VAL", "Col? VAL|Listed COMMA Col? VAL")
def listed(catalog: Catalog, *parts: Any) -> Holds:
    """ "ward A, ward B and C": values of one column."""
    refs = [part for part in parts if isinstance(part, Ref)] + [p.of for p in parts if isinstance(p, Holds) and p.of]
    values = (value for part in parts for value in (part.values if isinstance(part, Holds) else (part,)))
    found = holding(refs[0] if refs else None, *(value for value in values if isinstance(value, Value)))
    if not set.intersection(*({column for column, _ in value.options} for value in found.values)):
        raise Rejected
    return found


@rule("Pred", "NOT EITHER? Listed", "NOT Col Listed", "Col NOT EITHER? Listed", "NOT Listed Col")
def none_of_values(catalog: Catalog, *parts: Any) -> Holds:
    """ "not in Germany or France", "all wards except A, B and C": in none of them."""
    found = first_of(parts, Holds)
    ref = _column(parts) or found.of
    return replace(surely_holding(ref, *found.values) if ref is not None else found, negated=True)


@rule("Pred", "NOT Full", "NOT BY Full")
def without(catalog: Catalog, *parts: Any) -> Without:
    """ "except members Ada and Lin": no row has both names, so that each is left out."""
    rows: Rows = parts[-1]
    plain = [part for part in rows.where if isinstance(part, Holds) and not part.negated]
    held = [{column for value in part.values for column, _ in value.options} for part in plain]
    if len(plain) < 2 or not set.intersection(*held):
        return Without(rows)
    values = tuple(value for part in plain for value in part.values)
    others = tuple(part for part in rows.where if part not in plain)
    return Without(replace(rows, where=(*others, replace(plain[0], values=values))))


@rule("Pred", "OMIT Pred|Full|Listed OMITTED?", "Pred|Full|Listed OMITTED", "LEAVE Pred|Full|Listed OMITTED|OUT")
def omitted(catalog: Catalog, *parts: Any) -> Holds | Compare:
    """ "cancelled orders don't count": those that are counted are others, and nobody is who has none such."""
    part = next(part for part in parts if part is not None and not isinstance(part, str))
    where = part.where if isinstance(part, Rows) else (part,)
    match where:
        case (Holds(negated=False) as held,):
            return replace(held, negated=True, omitted=True)
        case (Compare(Ref(), "flag" | "empty") as told,):
            return replace(told, negated=not told.negated)
    raise Rejected


@rule("Pred", "ONLY Pred", "Pred ONLY!")
def only(catalog: Catalog, *parts: Any) -> Only:
    """ "only in ward A": of rows of their own that is so anyway."""
    pred = next(part for part in parts if not isinstance(part, str))
    if isinstance(pred, Only | Without | Both):
        raise Rejected
    return Only(None, (pred,))


@rule("Pred", "ONLY Full", "ALL_OF Full", "Set ONLY Pred", "NOT Set NOT Pred")
def only_rows(catalog: Catalog, *parts: Any) -> Only:
    """ "only visited ward A", "had all their visits in ward A", "no visits except in ward A"."""
    rows: Rows = first_of(parts, Rows)
    conditions = (*rows.where, *(part for part in parts if not isinstance(part, str | Rows)))
    if not conditions or any(isinstance(one, Only | Without | Both) for one in conditions):
        raise Rejected
    return Only(rows.table, tuple(about(one, rows.table) for one in conditions))


# ---------------------------------------------------------------- parts of texts
@rule("Pred", "Col LIKE STR!|VAL!|NUM!", "LIKE STR!|VAL! Col")
def like(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(first_of(parts, Ref), first_of(parts, str), (first_of(parts, (Value, Amount)).text,))


@rule("Pred", "LIKE STR!|VAL!|NUM!")
def like_it(catalog: Catalog, kind: str, text: Value | Amount) -> Compare:
    """ "contains X": said of what is shown, or of the name."""
    return Compare(None, kind, (text.text,))
