"""Conditions: on values, texts and numbers, on what is or is not related, and on groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.semantic_parsing.catalog import DATE, FLAG, NUMBER, TEXT, Catalog
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import (
    Amount,
    AnyOf,
    Average,
    Both,
    Compare,
    Every,
    Holds,
    Measure,
    Predicate,
    Ref,
    Rows,
    Value,
    Without,
)
from askwell.semantic_parsing.grammar.base import (
    MEASURABLE,
    ORDERABLE,
    about,
    amount_of,
    countable,
    hinted,
    holding,
    key_of,
    rule,
    surely_holding,
    typed,
)

_MONEY = "amount total price cost balance payment value"


def _first(parts: tuple[Any, ...], kind: type | tuple[type, ...]) -> Any:
    return next(part for part in parts if isinstance(part, kind))


def _values(parts: tuple[Any, ...]) -> tuple[Value, ...]:
    return tuple(part for part in parts if isinstance(part, Value))


# ---------------------------------------------------------------- restricted sets
@rule("Full", "Set")
def whole(catalog: Catalog, rows: Rows) -> Rows:
    return rows


@rule("Full", "Full Pred")
def restricted(catalog: Catalog, rows: Rows, pred: Predicate) -> Rows:
    return replace(rows, where=(*rows.where, about(pred, rows.table)))


@rule("Set", "VAL TABLE")
def restricted_before(catalog: Catalog, value: Value, table: str) -> Rows:
    """ "male dorms": the value is their own, or of what they are next to."""
    near = {table, *catalog.facts.neighbours.get(table, ())}
    options = tuple((column, text) for column, text in value.options if column.table in near)
    if not options:
        raise Rejected
    return Rows(table, (Holds((Value(options, value.text),), owner=table),))


@rule("Set", "VAL OR VAL TABLE", "VAL AND VAL TABLE")
def restricted_to_either(catalog: Catalog, first: Value, _: str, second: Value, table: str) -> Rows:
    """ "card or direct debit payments"."""
    near = {table, *catalog.facts.neighbours.get(table, ())}
    columns = {column for column, _ in first.options} & {column for column, _ in second.options}
    kept = {column for column in columns if column.table in near}
    if not kept:
        raise Rejected
    values = (Value(tuple((c, t) for c, t in value.options if c in kept), value.text) for value in (first, second))
    return Rows(table, (Holds(tuple(values), owner=table),))


# ---------------------------------------------------------------- values
@rule("Pred", "VAL")
def value(catalog: Catalog, one: Value) -> Holds:
    if not one.options:
        raise Rejected
    return Holds((one,))


@rule("Pred", "Col EQUALS? VAL", "Col BE VAL")
def column_value(catalog: Catalog, ref: Ref, _: str | None, one: Value) -> Holds:
    return holding(ref, one)


@rule("Pred", "VAL Col")
def value_column(catalog: Catalog, one: Value, ref: Ref) -> Holds:
    return surely_holding(ref, one)


@rule("Pred", "PERSON")
def person(catalog: Catalog, names: tuple[Value, Value]) -> Every:
    return Every(tuple(Holds((name,)) for name in names))


@rule("Pred", "TABLE NUM!", "TABLE COL NUM!")
def numbered(catalog: Catalog, table: str, *parts: Any) -> Compare:
    """ "course 301": by its key."""
    number = parts[-1]
    if 1900 <= number.value <= 2100:
        raise Rejected
    return Compare(key_of(catalog, table), "=", (number.value,))


@rule("Pred", "EITHER? VAL OR VAL", "VAL COMMA VAL COMMA? OR VAL")
def either_value(catalog: Catalog, *parts: Any) -> Holds:
    return Holds(_values(parts))


@rule("Pred", "Col EQUALS? EITHER? VAL OR VAL", "Col VAL COMMA VAL COMMA? OR VAL")
def column_either_value(catalog: Catalog, ref: Ref, *parts: Any) -> Holds:
    return holding(ref, *_values(parts))


@rule("Pred", "BOTH? VAL AND BOTH? VAL")
def both_values(catalog: Catalog, *parts: Any) -> Both:
    return Both(tuple(Holds((one,)) for one in _values(parts)))


@rule("Pred", "Col BOTH? VAL AND VAL")
def column_both_values(catalog: Catalog, ref: Ref, *parts: Any) -> Both:
    return Both(tuple(holding(ref, one) for one in _values(parts)))


@rule("Pred", "BOTH? Pred AND Pred")
def both(catalog: Catalog, _: str | None, first: Predicate, __: str, second: Predicate) -> Both:
    """Two conditions that no row meets at once."""
    if isinstance(first, Holds) and isinstance(second, Holds):
        columns = ({column for column, _ in held.values[0].options} for held in (first, second))
        if set.intersection(*columns):
            return Both((first, second))
    if not isinstance(first, Compare) or not isinstance(second, Compare):
        raise Rejected
    if not isinstance(first.left, Ref) or getattr(second.left, "options", None) != first.left.options:
        raise Rejected
    if first.op == second.op == "=":
        raise Rejected
    return Both((first, second))


@rule("Pred", "EITHER? Pred OR Pred")
def either(catalog: Catalog, _: str | None, first: Predicate, __: str, second: Predicate) -> AnyOf:
    flat = [p for one in (first, second) for p in (one.parts if isinstance(one, AnyOf) else (one,))]
    if any(isinstance(p, Both | Without) or (isinstance(p, Compare) and isinstance(p.left, Measure)) for p in flat):
        raise Rejected
    return AnyOf(tuple(flat))


@rule("Pred", "NOT VAL", "NOT Col VAL", "Col NOT VAL", "NOT VAL Col", "NOT VAL OR VAL")
def not_value(catalog: Catalog, *parts: Any) -> Holds:
    ref = next((part for part in parts if isinstance(part, Ref)), None)
    return replace(holding(ref, *_values(parts)), negated=True)


@rule("Pred", "NOT Full")
def without(catalog: Catalog, _: str, rows: Rows) -> Without:
    return Without(rows)


# ---------------------------------------------------------------- parts of texts
@rule("Pred", "Col LIKE STR|VAL|NUM", "LIKE STR|VAL Col")
def like(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(_first(parts, Ref), _first(parts, str), (_first(parts, (Value, Amount)).text,))


@rule("Pred", "Col LIKE STR OR STR")
def like_either(catalog: Catalog, ref: Ref, kind: str, first: Value, _: str, second: Value) -> AnyOf:
    return AnyOf((Compare(ref, kind, (first.text,)), Compare(ref, kind, (second.text,))))


@rule("Pred", "WITH STR|VAL IN Col")
def like_within(catalog: Catalog, _: str, text: Value, __: str, ref: Ref) -> Compare:
    return Compare(ref, "contain", (text.text,))


@rule("Pred", "LIKE STR|VAL|NUM")
def like_it(catalog: Catalog, kind: str, text: Value | Amount) -> Compare:
    """ "contains X": said of what is shown, or of the name."""
    return Compare(None, kind, (text.text,))


# ---------------------------------------------------------------- yes and no, there and missing
@rule("Pred", "Col", "NOT Col")
def flag(catalog: Catalog, *parts: Any) -> Compare:
    """ "discontinued products": a column that says yes or no."""
    return Compare(typed(catalog, parts[-1], (FLAG,)), "flag", (), len(parts) > 1)


@rule("Pred", "NOT Col", "HAPPENED Col")
def happened(catalog: Catalog, word: str, ref: Ref) -> Signed:
    """ "not yet discharged", "has left": whether there is a date of it."""
    return Signed(Compare(typed(catalog, ref, (DATE,)), "empty", (), word != "not"), ("pred:happened",))


@rule("Pred", "Col EMPTY", "Col NOT EMPTY", "NOT Col EMPTY", "EMPTY Col")
def empty(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(_first(parts, Ref), "empty", (), len(parts) > 2)


@rule("Pred", "WITH Col")
def has(catalog: Catalog, _: str, ref: Ref) -> Signed:
    """ "with an email address": whether a text is there."""
    return Signed(Compare(typed(catalog, ref, (TEXT, DATE)), "empty", (), True), ("pred:has",))


# ---------------------------------------------------------------- numbers
@rule("Pred", "Col BE? COMPARE NUM", "Col EXACTLY NUM")
def compared(catalog: Catalog, ref: Ref, *parts: Any) -> Compare:
    return Compare(typed(catalog, ref, ORDERABLE), parts[-2], (parts[-1].value,))


@rule("Pred", "COMPARE NUM Col", "EXACTLY NUM Col")
def compared_before(catalog: Catalog, op: str, number: Amount, ref: Ref) -> Compare:
    return Compare(typed(catalog, ref, MEASURABLE), op, (number.value,))


@rule("Pred", "Col EQUALS? NUM")
def equal(catalog: Catalog, ref: Ref, _: str | None, number: Amount) -> Compare:
    return Compare(countable(catalog, ref), "=", (number.value,))


@rule("Pred", "NUM Col")
def equal_before(catalog: Catalog, number: Amount, ref: Ref) -> Compare:
    return Compare(typed(catalog, ref, MEASURABLE), "=", (number.value,))


@rule("Pred", "Col NOT NUM", "NOT NUM Col", "NOT Col NUM")
def not_equal(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(_first(parts, Ref), "!=", (_first(parts, Amount).value,))


@rule("Pred", "Col EQUALS? NUM OR NUM")
def equal_either(catalog: Catalog, ref: Ref, _: str | None, first: Amount, __: str, second: Amount) -> AnyOf:
    ref = countable(catalog, ref)
    return AnyOf((Compare(ref, "=", (first.value,)), Compare(ref, "=", (second.value,))))


@rule("Pred", "Col NUM OR_MORE")
def or_more(catalog: Catalog, ref: Ref, number: Amount, op: str) -> Compare:
    return Compare(typed(catalog, ref, ORDERABLE), op, (number.value,))


@rule("Pred", "NUM OR_MORE Col")
def or_more_before(catalog: Catalog, number: Amount, op: str, ref: Ref) -> Compare:
    return Compare(typed(catalog, ref, MEASURABLE), op, (number.value,))


@rule("Pred", "Col BETWEEN NUM AND|TO NUM", "Col NUM TO NUM", "BETWEEN NUM AND|TO NUM Col", "NUM TO NUM Col")
def between(catalog: Catalog, *parts: Any) -> Compare:
    low, high = (part for part in parts if isinstance(part, Amount))
    if high.value < low.value:
        raise Rejected
    ref = typed(catalog, _first(parts, Ref), ORDERABLE if isinstance(parts[0], Ref) else MEASURABLE)
    return Compare(ref, "between", (low.value, high.value))


@rule("Pred", "Col COMPARE NUM OR COMPARE NUM")
def outside(catalog: Catalog, ref: Ref, first: str, low: Amount, _: str, second: str, high: Amount) -> AnyOf:
    ref = typed(catalog, ref, ORDERABLE)
    return AnyOf((Compare(ref, first, (low.value,)), Compare(ref, second, (high.value,))))


@rule("Pred", "COMPARE_BY NUM", "COMPARE_BY NUM Col")
def compared_by(catalog: Catalog, adjective: str, number: Amount, ref: Ref | None = None) -> Compare:
    op, hints = adjective.split(" ", 1)
    return Compare(hinted(catalog, hints, MEASURABLE), op, (number.value,))


@rule("Pred", "Col COMPARE_BY NUM", "COMPARE_BY Col NUM", "COMPARE Col NUM")
def column_compared_by(catalog: Catalog, *parts: Any) -> Compare:
    """ "after season 2007"."""
    return Compare(typed(catalog, _first(parts, Ref), ORDERABLE), _first(parts, str).split(" ")[0], (parts[-1].value,))


@rule("Pred", "Col COMPARE|COMPARE_BY Col")
def two_columns(catalog: Catalog, left: Ref, op: str, right: Ref) -> Signed:
    """ "shipped later than required"."""
    both_kinds = {catalog.kind(c) for c, _ in left.options} & {catalog.kind(c) for c, _ in right.options}
    kinds = tuple(kind for kind in (NUMBER, DATE) if kind in both_kinds)
    if not kinds or left.options == right.options:
        raise Rejected
    compare = Compare(typed(catalog, left, kinds), op.split(" ")[0], (typed(catalog, right, kinds),))
    return Signed(compare, ("pred:two_columns",))


@rule("Pred", "Set COMPARE NUM")
def rows_over(catalog: Catalog, rows: Rows, op: str, number: Amount) -> Signed:
    """ "bills over 5000": by the one column of amounts that they have."""
    return Signed(Compare(amount_of(catalog, rows.table), op, (number.value,)), ("pred:amount",))


@rule("Pred", "COMPARE NUM CURRENCY", "CURRENCY COMPARE NUM")
def compared_money(catalog: Catalog, *parts: Any) -> Compare:
    op = next(part for part in parts if isinstance(part, str) and part != "money")
    return Compare(hinted(catalog, _MONEY, MEASURABLE), op, (_first(parts, Amount).value,))


@rule("Pred", "Col COMPARE AGGREGATE", "COMPARE AGGREGATE Col", "Col COMPARE AGGREGATE OF? Col")
def beyond_average(catalog: Catalog, *parts: Any) -> Compare:
    words = [part for part in parts if isinstance(part, str)]
    if "avg" not in words:
        raise Rejected
    op = next(word for word in words if word not in ("avg", "of"))
    return Compare(typed(catalog, _first(parts, Ref), MEASURABLE), op, (Average(),))


@rule("Pred", "COMPARE_BY AGGREGATE Col?", "Col COMPARE_BY AGGREGATE")
def beyond_average_by(catalog: Catalog, *parts: Any) -> Compare:
    words = [part for part in parts if isinstance(part, str)]
    if "avg" not in words:
        raise Rejected
    op, hints = next(word for word in words if " " in word).split(" ", 1)
    ref = next((part for part in parts if isinstance(part, Ref)), None)
    return Compare(typed(catalog, ref, MEASURABLE) if ref else hinted(catalog, hints, MEASURABLE), op, (Average(),))


# ---------------------------------------------------------------- groups
@rule("Pred", "COMPARE NUM Full", "EXACTLY NUM Full", "COMPARE NUM DISTINCT Full")
def many(catalog: Catalog, op: str, number: Amount, *rest: Any) -> Compare:
    return Compare(Measure("count", rest[-1]), op, (number.value,))


@rule("Pred", "NUM OR_MORE Full")
def or_more_rows(catalog: Catalog, number: Amount, op: str, rows: Rows) -> Compare:
    return Compare(Measure("count", rows), op, (number.value,))


@rule("Pred", "NUM Full")
def so_many(catalog: Catalog, number: Amount, rows: Rows) -> Compare:
    return Compare(Measure("count", rows), "=", (number.value,))


@rule("Pred", "BETWEEN NUM AND NUM Full")
def between_rows(catalog: Catalog, _: str, low: Amount, __: str, high: Amount, rows: Rows) -> Compare:
    return Compare(Measure("count", rows), "between", (low.value, high.value))


@rule("Pred", "Measure COMPARE NUM", "Measure COMPARE_BY NUM")
def measured(catalog: Catalog, measure: Measure, op: str, number: Amount) -> Compare:
    return Compare(measure, op.split(" ")[0], (number.value,))


@rule("Pred", "COMPARE NUM TIMES", "NUM OR_MORE TIMES", "NUM TIMES", "EXACTLY NUM TIMES", "COMPARE NUM", "NUM OR_MORE")
def so_many_times(catalog: Catalog, *parts: Any) -> Compare:
    """ "customers who ordered more than 3 times": of whatever is counted."""
    op = next((part for part in parts if isinstance(part, str) and part != "times"), "=")
    return Compare(Measure("count", None), op, (_first(parts, Amount).value,))
