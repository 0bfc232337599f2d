"""Superlatives, groups and orders."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

from askwell.semantic_parsing.chart import Rejected
from askwell.semantic_parsing.forms import (
    Amount,
    Best,
    Bucket,
    Compare,
    Group,
    Items,
    Measure,
    Order,
    Rank,
    Ref,
    Rows,
    Value,
    Versus,
)
from askwell.semantic_parsing.grammar.base import (
    MEASURABLE,
    ORDERABLE,
    first_of,
    hinted,
    holding,
    kept,
    rule,
    some_date,
    typed,
)
from askwell.semantic_parsing.model.catalog import DATE, FLAG, NUMBER, Catalog

# The hints of words that tell ages, where others tell times.
_OF_AGE = frozenset({"founding", "birth"})


def _number(parts: tuple[Any, ...]) -> int:
    number = next((part for part in parts if isinstance(part, Amount)), None)
    if number is None:
        return 1
    if not isinstance(number.value, int) or number.value < 1:
        raise Rejected
    return number.value


def _last_word(parts: tuple[Any, ...]) -> str:
    return next(part for part in reversed(parts) if isinstance(part, str))


# ---------------------------------------------------------------- rankings
@rule("Rank", "SUPERLATIVE Col", "NUM SUPERLATIVE Col", "SUPERLATIVE NUM Col", "TOP NUM SUPERLATIVE Col", "TOP NUM Col")
@rule("Rank", "Col BE? SUPERLATIVE")
def best(catalog: Catalog, *parts: Any) -> Rank:
    return Rank(typed(catalog, first_of(parts, Ref), ORDERABLE), _last_word(parts) == "desc", _number(parts))


@rule("Rank", "SUPERLATIVE Full", "SUPERLATIVE DISTINCT Full", "SUPERLATIVE COUNT OF? Full", "NUM SUPERLATIVE Full")
def most(catalog: Catalog, *parts: Any) -> Rank:
    direction = next(part for part in parts if part in ("desc", "asc"))
    return Rank(Measure("count", parts[-1]), direction == "desc", _number(parts))


@rule("Rank", "Set MOST!")
def done_most(catalog: Catalog, rows: Rows, direction: str) -> Rank:
    """ "which genre is borrowed the most": by the rows that record it."""
    return Rank(Measure("count", rows), direction == "desc")


@rule("Rank", "SUPERLATIVE Measure")
def highest_measure(catalog: Catalog, direction: str, measure: Measure) -> Rank:
    if measure.outer or measure.op in ("min", "max", "share"):
        raise Rejected
    return Rank(measure, direction == "desc")


@rule("Rank", "SPENT SUPERLATIVE", "SPENT SUPERLATIVE Col")
def spent_most(catalog: Catalog, *parts: Any) -> Rank:
    direction = next(part for part in parts if part in ("desc", "asc"))
    hints = next(part for part in parts if isinstance(part, str) and " " in part)
    ref = next((part for part in parts if isinstance(part, Ref)), None)
    spent = typed(catalog, ref, MEASURABLE) if ref is not None else hinted(catalog, hints, MEASURABLE)
    return Rank(Measure("sum", spent), direction == "desc")


@rule("Rank", "SPENDER", "NUM SPENDER")
def biggest_spender(catalog: Catalog, *parts: Any) -> Rank:
    hints = first_of(parts, str)
    return Rank(Measure("sum", hinted(catalog, hints, MEASURABLE)), True, _number(parts))


@rule("Pred", "RELATIVE|IN|WITH|HAVE COMMON Col")
def of_the_commonest(catalog: Catalog, _: str, direction: str, ref: Ref) -> Best:
    """ "customers who use the most common payment method": all who do."""
    return Best(None, Rank(ref, direction == "desc", 1, grouped=True))


@rule("Rank", "COMMON", "HAVE SUPERLATIVE")
def commonest_of_it(catalog: Catalog, *parts: str) -> Rank:
    """ "the most common", "which clinic has the most cats"."""
    return Rank(None, parts[-1] == "desc", grouped=True)


@rule("Rank", "ADJECTIVE", "NUM ADJECTIVE", "ADJECTIVE NUM", "TOP NUM ADJECTIVE")
def adjective(catalog: Catalog, *parts: Any) -> Rank:
    direction, hints = _last_word(parts).split(" ", 1)
    by = replace(hinted(catalog, hints, ORDERABLE), implicit="date" in hints.split())
    return Rank(by, direction == "desc", _number(parts))


@rule("Rank", "RANKED", "NUM RANKED", "RANKED NUM")
def ranked_as_taught(catalog: Catalog, *parts: Any) -> Rank:
    """ "the strongest beer", where somebody has said by what."""
    return Rank(typed(catalog, first_of(parts, Ref), ORDERABLE), True, _number(parts))


@rule("Rank", "TOP NUM", "NUM SUPERLATIVE")
def top(catalog: Catalog, *parts: Any) -> Rank:
    return Rank(None, _last_word(parts) == "desc", _number(parts))


# ---------------------------------------------------------------- groups
@rule("Group", "BE EACH Set HAVE", "BE EACH Set")
def each_has(catalog: Catalog, _: str, __: str, rows: Rows, ___: str | None = None) -> Group:
    """ "how many boats does each harbour have"."""
    return Group((rows,), every=True)


@rule("Group", "EACH Col", "EACH Set", "EACH DISTINCT Col", "BY Col", "BY Set")
def each(catalog: Catalog, *parts: Any) -> Group:
    return Group((parts[-1],))


@rule("Group", "EACH UNIT", "BY UNIT", "BUCKET")
def each_period(catalog: Catalog, *parts: str) -> Group:
    return Group((Bucket(parts[-1], some_date(catalog)),))


@rule("Group", "EACH_ONE")
def each_of_them(catalog: Catalog, _: str) -> Group:
    """ "… and how many does each have?": of what is shown."""
    return Group(())


@rule("Group", "Group AND|COMMA Group", "EACH Col AND Col", "BY Col AND Col", "EACH|BY Col AND Set|UNIT")
@rule("Group", "EACH|BY Set AND Col|Set|UNIT", "EACH|BY UNIT AND Col|Set")
def each_and_each(catalog: Catalog, *parts: Any) -> Group:
    """ "per city and per month", in the order in which they are said."""
    by: list[Any] = []
    for part in parts[-3::2]:
        by += part.by if isinstance(part, Group) else (part,)
    by = [Bucket(one, some_date(catalog)) if isinstance(one, str) else one for one in by]
    if len(set(by)) < 2 or sum(isinstance(one, Bucket) for one in by) > 1:
        raise Rejected
    return Group(tuple(by))


@rule("Versus", "VAL TABLE? VERSUS VAL", "COMPARED VAL VERSUS|AND VAL")
def values_side_by_side(catalog: Catalog, *parts: Any) -> Versus:
    """ "confirmed vs provisional": each by itself."""
    values = tuple(part for part in parts if isinstance(part, Value))
    columns = set.intersection(*({column for column, _ in value.options} for value in values))
    if not columns:
        raise Rejected
    happening = {column for column in columns if catalog.happens(column.table)}  # and not the list of its codes
    shared = Ref(tuple((column, 1) for column in sorted(happening or columns)))
    return Versus(holding(shared, *values), shared)


@rule("Versus", "COL TABLE? VERSUS|AND UNDONE", "UNDONE VERSUS|AND COL", "COMPARED COL TABLE? AND|VERSUS UNDONE")
@rule("Versus", "COL TABLE? VERSUS USUAL", "COMPARED COL TABLE? AND|VERSUS USUAL")
def so_or_not(catalog: Catalog, *parts: Any) -> Versus:
    """ "members vs non-members", "urgent and non-urgent visits", "urgent vs normal ones": each by itself."""
    one, other = (*(part for part in parts if isinstance(part, Ref)), first_of(parts, Ref))[:2]
    columns = {column for column, _ in one.options}
    options = kept(other, lambda column: column in columns and catalog.kind(column) == FLAG).options
    return Versus(Compare(Ref(options), "empty", (), True), Ref(options))


# ---------------------------------------------------------------- orders
@rule("Order", "ORDER Item DIRECTION?", "DIRECTION Item", "DIRECTION ORDER Item", "ORDER DIRECTION OF? Item")
@rule("Order", "ORDER Item AND Item", "ORDER Item DIRECTION AND Item", "ORDER Set DIRECTION?")
@rule("Order", "DIRECTION", "ORDER DIRECTION")
def ordered(catalog: Catalog, *parts: Any) -> Order:
    """By rows where their names are meant; by what is shown where nothing is said."""
    told = [part.of if isinstance(part, Items) else (part,) for part in parts if isinstance(part, Items | Rows)]
    return Order(tuple(chain.from_iterable(told)), "desc" in parts)


@rule("Order", "FIGURES_FIRST", "ADJECTIVE FIRST!")
def first_of_figures(catalog: Catalog, told: str, first: str | None = None) -> Order:
    """ "customers by revenue, highest first", "boats, longest first"."""
    direction, _, hints = told.partition(" ")
    by = (hinted(catalog, hints, MEASURABLE),) if hints else ()
    return Order(by, direction == "desc", figures=True)


@rule("Order", "SUPERLATIVE Item FIRST!")
def highest_first(catalog: Catalog, direction: str, one: Items, _: str) -> Order:
    """ "streets and prices, highest price first"."""
    return Order(one.of, direction == "desc")


@rule("Order", "ORDER UNIT DIRECTION|IN_TIME?")
def ordered_by_period(catalog: Catalog, _: str, __: str, told: str | None) -> Order:
    """ "revenue by month, sorted by month"."""
    return Order((some_date(catalog),), told is not None and told.split()[0] == "desc")


@rule("Order", "ORDER|BY FULL_NAME DIRECTION?")
def ordered_by_full_name(catalog: Catalog, _: str, __: str, direction: str | None) -> Order:
    """ "customers by name", where a first and a last name show them."""
    if not any(len(catalog.labels(table)) > 1 for table in catalog.facts.tables):
        raise Rejected
    return Order((), direction == "desc")


@rule("Order", "IN_TIME")
def ordered_in_time(catalog: Catalog, told: str) -> Order:
    """ "invoices, newest first"."""
    direction, hints = told.split(" ", 1)
    return Order((hinted(catalog, hints, (DATE,)),), direction == "desc")


@rule("Order", "ORDER|BY Item COMMA? IN_TIME")
def ordered_by_age(catalog: Catalog, _: str, one: Items, __: str | None, told: str) -> Order:
    """ "sorted by age, oldest first", where the oldest have the highest number; of dates it is the lowest."""
    direction, hints = told.split(" ", 1)
    column = one.of[0]
    if isinstance(column, Ref) and all(catalog.kind(ref) not in (DATE, NUMBER) for ref, _ in column.options):
        raise Rejected
    of_time = isinstance(column, Ref) and any(
        catalog.kind(ref) == DATE or catalog.is_year(ref) for ref, _ in column.options
    )
    is_age = not of_time and bool(_OF_AGE & set(hints.split()))
    return Order(one.of, (direction == "desc") is not is_age)


@rule("Order", "BY Item DIRECTION?")
def ranked_by(catalog: Catalog, _: str, one: Items, direction: str | None) -> Order:
    return Order(one.of, None if direction is None else direction == "desc")
