"""Conditions on numbers and on groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.question.periods import SURELY_YEARS
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import (
    Amount,
    AnyOf,
    Average,
    Beside,
    Compare,
    Duration,
    Every,
    Holds,
    Measure,
    Number,
    Predicate,
    Ref,
    Rows,
    Value,
)
from askwell.semantic_parsing.grammar.base import (
    MEASURABLE,
    ORDERABLE,
    TURNED,
    amount_of,
    births,
    countable,
    first_of,
    hinted,
    kept,
    rule,
    typed,
)
from askwell.semantic_parsing.model.catalog import DATE, KEY, NUMBER, TEXT, Catalog


def _refuse_descending(low: Amount, high: Amount) -> None:
    """Raise `Rejected` where the first is the larger one, or they are not of a kind."""
    if isinstance(low.value, Duration) or isinstance(high.value, Duration):
        if not isinstance(low.value, Duration) or not isinstance(high.value, Duration) or high.value < low.value:
            raise Rejected
    elif high.value < low.value:
        raise Rejected


def _relation(parts: tuple[Any, ...]) -> tuple[str, tuple[Number | Duration, ...]]:
    """How something stands to the one or two numbers among the parts. Raises `Rejected` for a range that descends."""
    amounts = [part for part in parts if isinstance(part, Amount)]
    if len(amounts) == 2:
        _refuse_descending(*amounts)
        return "between", (amounts[0].value, amounts[1].value)
    # What else is said are words that tie, or the hints of a currency.
    op = next((part for part in parts if isinstance(part, str) and part[0] in "<>=!"), "=")
    return op.split(" ")[0], (amounts[0].value,)


# ---------------------------------------------------------------- numbers
@rule("Pred", "Col BE? COMPARE NUM", "Col EXACTLY NUM", "COMPARE NUM Col!", "NUM Col")
@rule("Pred", "Col NUM OR_MORE", "NUM OR_MORE Col!")
@rule("Pred", "Col COMPARE_BY NUM", "COMPARE_BY Col NUM!", "COMPARE Col NUM!")
def compared(catalog: Catalog, *parts: Any) -> Compare:
    """ "a price above 3", "3 beds or more", "after season 2007"."""
    kinds = MEASURABLE if isinstance(parts[-1], Ref) else ORDERABLE
    return Compare(typed(catalog, first_of(parts, Ref), kinds), *_relation(parts))


@rule("Pred", "Col EQUALS? NUM!", "Col OF|BE NUM!", "COL EQUALS? ID!")
def equal(catalog: Catalog, ref: Ref, told: str | None, number: Amount) -> Compare:
    if told is None and number.text.isdigit() and number.value in SURELY_YEARS and not _holds_years(catalog, ref):
        raise Rejected  # "total charges 2025"
    return Compare(countable(catalog, ref), "=", (number.exact,))


def _holds_years(catalog: Catalog, ref: Ref) -> bool:
    """Whether a number such as 2025 may be a value of the column, and no time."""
    return not catalog.is_dated or any(catalog.is_year(c) or catalog.kind(c) == KEY for c, _ in ref.options)


@rule("Pred", "Col NOT NUM", "NOT NUM Col", "NOT Col NUM")
def not_equal(catalog: Catalog, *parts: Any) -> Compare:
    return Compare(first_of(parts, Ref), "!=", (first_of(parts, Amount).exact,))


@rule("Pred", "NOT Col NUM OR|AND Col? NUM", "Col NOT NUM OR|AND Col? NUM")
@rule("Pred", "NOT Col NUM COMMA NUM COMMA? OR|AND NUM", "Col NOT NUM COMMA NUM COMMA? OR|AND NUM")
def none_of_numbers(catalog: Catalog, *parts: Any) -> Every:
    """ "grades other than 1 and 2"."""
    ref = countable(catalog, first_of(parts, Ref))
    return Every(tuple(Compare(ref, "!=", (part.exact,)) for part in parts if isinstance(part, Amount)))


@rule("Pred", "Col EQUALS? NUM OR NUM")
def equal_either(catalog: Catalog, ref: Ref, _: str | None, first: Amount, __: str, second: Amount) -> AnyOf:
    ref = countable(catalog, ref)
    return AnyOf((Compare(ref, "=", (first.exact,)), Compare(ref, "=", (second.exact,))))


@rule("Pred", "Col BETWEEN NUM AND|TO NUM", "BETWEEN NUM AND|TO NUM Col", "Col OF? NUM! TO! NUM!")
def between(catalog: Catalog, *parts: Any) -> Compare:
    kinds = (*ORDERABLE, KEY) if isinstance(parts[0], Ref) else MEASURABLE
    return Compare(typed(catalog, first_of(parts, Ref), kinds), *_relation(parts))


@rule("Pred", "Col COMPARE NUM OR COMPARE NUM")
def outside(catalog: Catalog, ref: Ref, first: str, low: Amount, _: str, second: str, high: Amount) -> AnyOf:
    ref = typed(catalog, ref, ORDERABLE)
    return AnyOf((Compare(ref, first, (low.value,)), Compare(ref, second, (high.value,))))


@rule("Pred", "STOCKED", "HAVE|WITH? COMPARE NUM STOCKED")
def stocked(catalog: Catalog, *parts: Any) -> Compare:
    """ "in stock", "sold out", "with less than 10 in stock"."""
    op, hints = parts[-1].split(" ", 1)
    if len(parts) > 1 and op != ">":
        raise Rejected
    asked, number = parts[-3:-1] if len(parts) > 1 else (op, None)
    return Compare(hinted(catalog, hints, MEASURABLE), asked, (number.value if number else 0,))


@rule("Pred", "COMPARE_BY NUM", "COMPARE_BY NUM Col!")
def compared_by(catalog: Catalog, adjective: str, number: Amount, ref: Ref | None = None) -> Compare:
    op, hints = adjective.split(" ", 1)
    if {"age", "date"} & set(hints.split()) and number.text.isdigit() and number.value in SURELY_YEARS:
        raise Rejected  # "since 2020" is a time, and so is "older than 2015"
    return Compare(hinted(catalog, hints, MEASURABLE), op, (number.value,))


@rule("Pred", "COMPARE_BY VAL|PERSON", "Col COMPARE_BY VAL|PERSON")
def beside(catalog: Catalog, *parts: Any) -> Signed:
    """ "older than Bob Lee", "cheaper than the Oslo", "joined before Bob"."""
    op, hints = parts[-2].split(" ", 1)
    of_time = "date" in hints.split()
    if len(parts) == (2 if of_time else 3) or op not in TURNED:
        raise Rejected
    if of_time:
        ref = typed(catalog, parts[0], (DATE,))
    elif hints == "age" and (born := births(catalog)):
        ref, op = Ref(born), TURNED[op]
    else:
        ref = hinted(catalog, hints, MEASURABLE)
    return Signed(Beside(named(catalog, parts[-1]), ref, op), ("pred:beside",))


@rule("Pred", "IN|OF|WITH|HAVE? SAME Col VAL|PERSON")
def same_as(catalog: Catalog, *parts: Any) -> Signed:
    """ "from the same city as Ada": others of whom a column says the same."""
    return Signed(Beside(named(catalog, parts[-1]), first_of(parts, Ref), "="), ("pred:beside",))


def named(catalog: Catalog, who: Any) -> Predicate:
    """The rows that are called so. Raises `Rejected` where that is the name of no row."""
    names = (who,) if isinstance(who, Value) else who
    labels = {label for table in catalog.facts.tables for label in catalog.labels(table)}
    kept = [tuple((c, text) for c, text in name.options if c in labels) for name in names]
    if not all(kept):
        raise Rejected
    return Every(tuple(Holds((replace(name, options=o),)) for name, o in zip(names, kept, strict=True)))


@rule("Pred", "Col COMPARE|COMPARE_BY Col")
def two_columns(catalog: Catalog, left: Ref, op: str, right: Ref) -> Signed:
    """ "shipped later than required"."""
    both_kinds = {catalog.kind(c) for c, _ in left.options} & {catalog.kind(c) for c, _ in right.options}
    of_time = "date" in op.split(" ")
    kinds = tuple(kind for kind in ((DATE,) if of_time else (NUMBER, DATE)) if kind in both_kinds)
    if not kinds or left.options == right.options:
        raise Rejected
    compare = Compare(typed(catalog, left, kinds), op.split(" ")[0], (typed(catalog, right, kinds),))
    return Signed(compare, ("pred:two_columns",))


@rule("Pred", "Set COMPARE NUM")
def rows_over(catalog: Catalog, rows: Rows, op: str, number: Amount) -> Signed:
    """ "bills over 5000": by the one column of amounts that they have."""
    if catalog.table(rows.table).is_somebody:
        raise Rejected  # "members over 60"
    return Signed(Compare(amount_of(catalog, rows.table), op, (number.value,)), ("pred:amount",))


@rule("Pred", "Col COMPARE AGGREGATE", "COMPARE AGGREGATE Col", "Col COMPARE AGGREGATE OF? Col")
@rule("Pred", "COMPARE_BY AGGREGATE Col?")
def beyond_average(catalog: Catalog, *parts: Any) -> Compare:
    words = [part for part in parts if isinstance(part, str)]
    if "avg" not in words:
        raise Rejected
    op, _, hints = next(word for word in words if word not in ("avg", "of")).partition(" ")
    ref = next((part for part in parts if isinstance(part, Ref)), None)
    return Compare(typed(catalog, ref, MEASURABLE) if ref else hinted(catalog, hints, MEASURABLE), op, (Average(),))


# ---------------------------------------------------------------- groups
@rule("Pred", "COMPARE NUM Full", "EXACTLY NUM Full", "NUM OR_MORE Full", "NUM Full", "BETWEEN NUM AND NUM Full")
@rule("Pred", "Measure COMPARE NUM", "Measure COMPARE_BY NUM", "COMPARE? NUM TIMES Full?")
@rule("Pred", "NUM TIMES OR_MORE Full?", "NUM OR_MORE TIMES Full?")
def so_many(catalog: Catalog, *parts: Any) -> Compare:
    """ "with more than 3 orders", "who ordered more than 3 times": of whatever is counted."""
    of = next((part for part in parts if isinstance(part, Measure | Rows)), None)
    return Compare(of if isinstance(of, Measure) else Measure("count", of), *_relation(parts))


@rule("Pred", "COMPARE|EXACTLY NUM DISTINCT? Col!", "NUM OR_MORE DISTINCT? Col!")
def so_many_different(catalog: Catalog, *parts: Any) -> Compare:
    """ "who visited more than one ward", where a ward is a text."""
    ref = typed(catalog, first_of(parts, Ref), (TEXT,))
    return Compare(Measure("count", ref, distinct=True), *_relation(tuple(p for p in parts if p != "distinct")))


@rule("Pred", "SPENT COMPARE|COMPARE_BY NUM CURRENCY?")
def spent_more(catalog: Catalog, hints: str, op: str, number: Amount, _: str | None) -> Compare:
    """ "customers who spent more than 40": in all."""
    amount = kept(_worth(catalog, hints), lambda c: not catalog.is_price(c) or catalog.is_dealt(c.table))
    return Compare(Measure("sum", amount), op.split(" ")[0], (number.value,))


@rule("Pred", "SPENT BE? COMPARE|COMPARE_BY NUM CURRENCY?")
def worth_more(catalog: Catalog, hints: str, _: str | None, op: str, number: Amount, __: str | None) -> Compare:
    """ "orders worth more than 40": each."""
    return Compare(_worth(catalog, hints), op.split(" ")[0], (number.value,))


def _worth(catalog: Catalog, hints: str) -> Ref:
    """What a row is worth: no price of one, where it stands for several. Raises `Rejected` where nothing says it."""
    found = hinted(catalog, hints, MEASURABLE)
    return kept(found, lambda column: not (catalog.is_price(column) and catalog.has_quantity(column.table)))
