"""Conditions: on values, texts and numbers, on what is or is not related, and on groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import (
    Amount,
    AnyOf,
    Average,
    Both,
    Compare,
    Duration,
    Every,
    Holds,
    Kin,
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
from askwell.semantic_parsing.model.catalog import DATE, FLAG, KEY, NUMBER, Catalog
from askwell.semantic_parsing.model.facts import ColumnKind

_YEARS = range(1500, 2200)
_MONEY = "amount total price cost balance payment value"


def _first(parts: tuple[Any, ...], kind: type | tuple[type, ...]) -> Any:
    return next(part for part in parts if isinstance(part, kind))


def _values(parts: tuple[Any, ...]) -> tuple[Value, ...]:
    return tuple(part for part in parts if isinstance(part, Value))


def _refuse_descending(low: Amount, high: Amount) -> None:
    """Raise `Rejected` where the first is the larger one, or they are not of a kind."""
    if isinstance(low.value, Duration) or isinstance(high.value, Duration):
        if not isinstance(low.value, Duration) or not isinstance(high.value, Duration) or high.value < low.value:
            raise Rejected
    elif high.value < low.value:
        raise Rejected


# ---------------------------------------------------------------- restricted sets
@rule("Full", "Set")
def whole(catalog: Catalog, rows: Rows) -> Rows:
    return rows


@rule("Full", "Full Pred")
def restricted(catalog: Catalog, rows: Rows, pred: Predicate) -> Rows:
    return replace(rows, where=(*rows.where, about(pred, rows.table)))


@rule("Set", "VAL TABLE")
def restricted_before(catalog: Catalog, value: Value, table: str) -> Rows:
    """ "male dorms": the value is their own, or of what they are next to. Of what two others are called, neither is."""
    called = {column.table for column, _ in value.options if column in catalog.labels(column.table)} - {table}
    if len(called) > 1:
        raise Rejected
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
@rule("Pred", "WITH|HAVE Pred!")
def with_condition(catalog: Catalog, _: str, pred: Predicate) -> Predicate:
    """ "with a price above 3"."""
    return pred


@rule("Set", "WITH|HAVE Set!")
def with_rows(catalog: Catalog, _: str, rows: Rows) -> Rows:
    """ "customers with orders"."""
    return rows


@rule("Pred", "VAL", "BY VAL")
def value(catalog: Catalog, *parts: Any) -> Holds:
    if not parts[-1].options:
        raise Rejected
    return Holds((parts[-1],))


@rule("Pred", "EQUALS VAL!")
def called(catalog: Catalog, _: str, one: Value) -> Compare:
    """ "books called 'To Date'": by their name, which was not seen."""
    if one.options:
        raise Rejected
    return Compare(None, "called", (one.text,))


@rule("Pred", "Col EQUALS? VAL", "Col BE VAL")
def column_value(catalog: Catalog, ref: Ref, _: str | None, one: Value) -> Holds:
    return holding(ref, one)


@rule("Pred", "VAL Col")
def value_column(catalog: Catalog, one: Value, ref: Ref) -> Holds:
    return surely_holding(ref, one)


@rule("Pred", "PERSON", "BY PERSON")
def person(catalog: Catalog, *parts: Any) -> Every:
    return Every(tuple(Holds((name,)) for name in parts[-1]))


@rule("Pred", "TABLE NUM!", "TABLE COL NUM!")
def numbered(catalog: Catalog, table: str, *parts: Any) -> Compare:
    """ "course 301": by its key."""
    number = parts[-1]
    if not number.text.isdigit() or 1900 <= number.value <= 2100:
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
    return Both(tuple(Holds((one,)) for one in _values(parts)), "both" in parts)


@rule("Pred", "Col BOTH? VAL AND VAL")
def column_both_values(catalog: Catalog, ref: Ref, *parts: Any) -> Both:
    return Both(tuple(holding(ref, one) for one in _values(parts)), "both" in parts)


@rule("Pred", "BOTH? Pred AND Pred")
def both(catalog: Catalog, told: str | None, first: Predicate, __: str, second: Predicate) -> Both:
    """Two conditions that no row meets at once."""
    if isinstance(first, Holds) and isinstance(second, Holds):
        columns = ({column for column, _ in held.values[0].options} for held in (first, second))
        if set.intersection(*columns):
            return Both((first, second), told is not None)
    if not isinstance(first, Compare) or not isinstance(second, Compare):
        raise Rejected
    if not isinstance(first.left, Ref) or getattr(second.left, "options", None) != first.left.options:
        raise Rejected
    if first.op == second.op == "=":
        raise Rejected
    return Both((first, second), told is not None)


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


@rule("Pred", "NOT Full", "NOT BY Full")
def without(catalog: Catalog, *parts: Any) -> Without:
    return Without(parts[-1])


# ---------------------------------------------------------------- parts of texts
@rule("Pred", "Col LIKE STR!|VAL!|NUM!", "LIKE STR!|VAL! Col")
def like(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(_first(parts, Ref), _first(parts, str), (_first(parts, (Value, Amount)).text,))


@rule("Pred", "Col LIKE STR! OR STR")
def like_either(catalog: Catalog, ref: Ref, kind: str, first: Value, _: str, second: Value) -> AnyOf:
    return AnyOf((Compare(ref, kind, (first.text,)), Compare(ref, kind, (second.text,))))


@rule("Pred", "WITH|HAVE STR|VAL IN Col")
def like_within(catalog: Catalog, _: str, text: Value, __: str, ref: Ref) -> Compare:
    return Compare(ref, "contain", (text.text,))


@rule("Pred", "LIKE STR!|VAL!|NUM!")
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


@rule("Set", "DONE TABLE")
def done_rows(catalog: Catalog, ref: Ref, table: str) -> Rows:
    """ "shipped orders"."""
    return Rows(table, (about(done(catalog, ref), table),))


@rule("Pred", "DONE", "BE DONE", "HAPPENED DONE", "NOT DONE", "NOT BE DONE", "BE NOT DONE")
def done(catalog: Catalog, *parts: Any) -> Compare:
    """ "that were (not) shipped": whether there is a date of it, or a flag says so."""
    ref, negated = parts[-1], "not" in parts
    if any(catalog.kind(column) == FLAG for column, _ in ref.options):
        return Compare(typed(catalog, ref, (FLAG,)), "flag", (), negated)
    return Compare(typed(catalog, ref, (DATE,)), "empty", (), not negated)


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


@rule("Pred", "Col EMPTY", "Col NOT EMPTY", "NOT Col EMPTY", "EMPTY Col")
def empty(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(_first(parts, Ref), "empty", (), len(parts) > 2)


def _written(catalog: Catalog, ref: Ref) -> Ref:
    """The column among those of text and dates. Raises `Rejected` where there is none."""
    kinds = (ColumnKind.TEXT, ColumnKind.DATE)
    options = tuple((c, level) for c, level in ref.options if catalog.column(c).kind in kinds)
    if not options:
        raise Rejected
    return replace(ref, options=options)


@rule("Pred", "WITH|HAVE Col!")
def has(catalog: Catalog, _: str, ref: Ref) -> Signed:
    """ "with an email address": whether a text is there, and says something."""
    return Signed(Compare(_written(catalog, ref), "blank", (), True), ("pred:has",))


@rule("Pred", "NOT Col!")
def has_not(catalog: Catalog, _: str, ref: Ref) -> Signed:
    """ "without a fax"."""
    return Signed(Compare(_written(catalog, ref), "blank"), ("pred:has_not",))


# ---------------------------------------------------------------- numbers
@rule("Pred", "Col BE? COMPARE NUM", "Col EXACTLY NUM")
def compared(catalog: Catalog, ref: Ref, *parts: Any) -> Compare:
    return Compare(typed(catalog, ref, ORDERABLE), parts[-2], (parts[-1].value,))


@rule("Pred", "COMPARE NUM Col", "EXACTLY NUM Col")
def compared_before(catalog: Catalog, op: str, number: Amount, ref: Ref) -> Compare:
    return Compare(typed(catalog, ref, MEASURABLE), op, (number.value,))


@rule("Pred", "Col EQUALS? NUM!", "Col OF|BE NUM!")
def equal(catalog: Catalog, ref: Ref, told: str | None, number: Amount) -> Compare:
    if told is None and number.text.isdigit() and number.value in _YEARS and not _holds_years(catalog, ref):
        raise Rejected  # "total charges 2025"
    return Compare(countable(catalog, ref), "=", (number.value,))


def _holds_years(catalog: Catalog, ref: Ref) -> bool:
    """Whether a number such as 2025 may be a value of the column, and no time."""
    return not catalog.is_dated or any(catalog.is_year(c) or catalog.kind(c) == KEY for c, _ in ref.options)


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
    _refuse_descending(low, high)
    ref = typed(catalog, _first(parts, Ref), ORDERABLE if isinstance(parts[0], Ref) else MEASURABLE)
    return Compare(ref, "between", (low.value, high.value))


@rule("Pred", "Col COMPARE NUM OR COMPARE NUM")
def outside(catalog: Catalog, ref: Ref, first: str, low: Amount, _: str, second: str, high: Amount) -> AnyOf:
    ref = typed(catalog, ref, ORDERABLE)
    return AnyOf((Compare(ref, first, (low.value,)), Compare(ref, second, (high.value,))))


@rule("Pred", "STOCKED")
def stocked(catalog: Catalog, adjective: str) -> Compare:
    """ "in stock", "sold out"."""
    op, hints = adjective.split(" ", 1)
    return Compare(hinted(catalog, hints, MEASURABLE), op, (0,))


@rule("Pred", "COMPARE_BY NUM", "COMPARE_BY NUM Col")
def compared_by(catalog: Catalog, adjective: str, number: Amount, ref: Ref | None = None) -> Compare:
    op, hints = adjective.split(" ", 1)
    if "date" in hints.split() and number.text.isdigit() and number.value in _YEARS:
        raise Rejected  # "since 2020" is a time
    return Compare(hinted(catalog, hints, MEASURABLE), op, (number.value,))


@rule("Pred", "Col COMPARE_BY NUM", "COMPARE_BY Col NUM!", "COMPARE Col NUM!")
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


@rule("Pred", "PRICED COMPARE|EXACTLY NUM", "PRICED NUM", "PRICED NUM OR_MORE")
def priced(catalog: Catalog, hints: str, *parts: Any) -> Compare:
    """ "rooms that cost more than 120"."""
    op = next((part for part in parts if isinstance(part, str)), "=")
    return Compare(_one_price(catalog, hints), op, (_first(parts, Amount).value,))


@rule("Pred", "PRICED BETWEEN NUM AND|TO NUM")
def priced_between(catalog: Catalog, hints: str, _: str, low: Amount, __: str, high: Amount) -> Compare:
    _refuse_descending(low, high)
    return Compare(_one_price(catalog, hints), "between", (low.value, high.value))


def _one_price(catalog: Catalog, hints: str) -> Ref:
    """The column that says what something costs. Raises `Rejected` where a table has several: a price and a cost."""
    ref = hinted(catalog, hints, MEASURABLE)
    tables = [column.table for column, _ in ref.options]
    if len(set(tables)) < len(tables):
        raise Rejected
    return ref


@rule("Pred", "Set COMPARE NUM")
def rows_over(catalog: Catalog, rows: Rows, op: str, number: Amount) -> Signed:
    """ "bills over 5000": by the one column of amounts that they have."""
    if catalog.table(rows.table).is_somebody:
        raise Rejected  # "members over 60"
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


@rule("Pred", "COMPARE NUM TIMES", "NUM OR_MORE TIMES", "NUM TIMES", "EXACTLY NUM TIMES")
def so_many_times(catalog: Catalog, *parts: Any) -> Compare:
    """ "customers who ordered more than 3 times": of whatever is counted."""
    op = next((part for part in parts if isinstance(part, str) and part != "times"), "=")
    return Compare(Measure("count", None), op, (_first(parts, Amount).value,))
