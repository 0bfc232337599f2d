"""The spine: one clause after the other, in any order, becomes one query."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import (
    Amount,
    AnyOf,
    Beside,
    Best,
    Both,
    Bucket,
    Compare,
    During,
    Every,
    Everything,
    Group,
    Holds,
    Items,
    Kin,
    Measure,
    Only,
    Order,
    Query,
    Rank,
    Ref,
    Rows,
    Stop,
    Value,
    Versus,
    Without,
)
from askwell.semantic_parsing.grammar.base import (
    about,
    additive,
    amount_of,
    first_of,
    hinted,
    holding,
    rule,
)
from askwell.semantic_parsing.grammar.rankings import values_side_by_side
from askwell.semantic_parsing.model.catalog import DATE, NUMBER, TEXT, Catalog

# So many rows are asked for without a word for it.
_LIMITS = range(2, 101)


@rule("Everything", "STAR")
def everything(catalog: Catalog, _: str) -> Everything:
    return Everything()


@rule("Stop", "STOP")
def stop(catalog: Catalog, _: str) -> Stop:
    return Stop()


@rule("Query", "START Items|Set|Pred|Rank|Group|Order|Versus|Everything|FEW")
def begin(catalog: Catalog, before: Query | None, part: Any) -> Signed:
    """A new question, or one more clause of the one before ("and by country?", "and in France?")."""
    if isinstance(part, Only):  # "only dogs": nothing stands before it that could have others
        if part.table is not None or len(part.where) > 1:
            raise Rejected
        part = part.where[0]
    if before is None:
        return attach(catalog, Query(), part)
    if isinstance(part, Amount) or (isinstance(part, Rows) and not part.where):
        raise Rejected  # "and tracks?": in place of what, or beside it? "7"?
    if isinstance(part, Order):
        part = _of_those_before(catalog, before, part)
        if before.rank is not None or before.limit is not None:
            return Signed(replace(_showing(catalog, before, part), again=part), ("order:again",))
    if isinstance(part, Rank) and part.by is None and before.rank is not None:
        part = replace(part, by=before.rank.by)  # "top 5" of those with the most albums
    return attach(catalog, before.without(part), part)


@rule("Query", "START AND Group")
def and_per(catalog: Catalog, before: Query | None, _: str, part: Group) -> Signed:
    """ "and per year?": beside what was grouped by before, where that is nothing of the same kind."""
    fresh = tuple(one for one in part.by if before is not None and one not in before.group)
    timed = any(isinstance(one, Bucket) for one in fresh)
    if before is None or not before.group or before.group_place == "versus" or not fresh:
        raise Rejected
    if timed and any(isinstance(one, Bucket) for one in before.group):
        raise Rejected  # "and per month?", after "per year"
    return Signed(replace(before, group=(*before.group, *fresh)), ("group:beside",))


@rule("Query", "START Items|Set|Pred|Rank|Group|Order INSTEAD", "START INSTEAD Items|Set|Pred|Rank|Group|Order")
def in_the_place(catalog: Catalog, before: Query | None, *parts: Any) -> Signed:
    """ "per year instead"."""
    if before is None:
        raise Rejected
    return begin(catalog, before, next(part for part in parts if not isinstance(part, str)))


@rule("Query", "START COMPARE NUM CURRENCY?")
def other_bound(catalog: Catalog, before: Query | None, op: str, number: Amount, _: str | None) -> Signed:
    """ "and below 40", after "invoices with a total above 14": of what was compared last."""
    compared = [part.left for part in before.where if isinstance(part, Compare)] if before is not None else []
    if before is None or not compared or compared[-1] is None:
        raise Rejected
    part = Compare(compared[-1], op, (number.value,))
    return Signed(replace(before.without(part), where=(*before.without(part).where, part)), ("pred:late",))


@rule("Query", "START THEM")
def those_before(catalog: Catalog, before: Query | None, _: str) -> Signed:
    """ "list them", "who are they": the rows that were counted or added up before."""
    counted = [one.of for one in before.select if isinstance(one, Measure)] if before is not None else []
    rows = [of for of in counted if isinstance(of, Rows)]
    head = rows[0].table if rows else before.head if before is not None else None
    if before is None or head is None or before.group or before.everything:
        raise Rejected
    where = (*before.where, *(p for of in rows for p in of.where if p not in before.where))
    listed = replace(before, select=(Rows(head),), head=head, where=where, late=False)
    return Signed(listed, ("items:them",))


def _of_those_before(catalog: Catalog, before: Query, order: Order) -> Order:
    """An order of what was shown before: by its own columns, and by what its rows are called where these have no column
    of that name."""
    own = (*before.select, *before.group)
    parts = [part.of if isinstance(part, Measure | Bucket) else part for part in own]
    tables = {before.head, *before.mentions, *(part.table for part in parts if isinstance(part, Rows))}
    tables |= {column.table for part in parts if isinstance(part, Ref) for column, _ in part.options}
    by: list[Ref | Measure | Rows] = []
    for one in order.by:
        if not isinstance(one, Ref):
            by.append(one)
        elif shown := tuple(option for option in one.options if option[0].table in tables):
            by.append(replace(one, options=shown))
        elif before.head is not None and all(_is_called(catalog, column) for column, _ in one.options):
            by.append(Rows(before.head))
        else:
            raise Rejected
    return replace(order, by=tuple(by))


def _showing(catalog: Catalog, before: Query, order: Order) -> Query:
    """The query with what its few rows are sorted by."""
    keys = [one for one in order.by if isinstance(one, Ref) and one not in before.select]
    fresh = tuple(one for one in keys if not any(_is_called(catalog, column) for column, _ in one.options))
    if not fresh or before.head is None or before.everything:
        return before
    return replace(before, select=(*(before.select or (Rows(before.head),)), *fresh))


def _is_called(catalog: Catalog, column: ColumnRef) -> bool:
    return column in catalog.labels(column.table)


@rule("Query", "Query Items|Set|Pred|Rank|Group|Order|Versus|Everything|Stop|FEW")
def attach(catalog: Catalog, query: Query, part: Any) -> Signed:
    """One more clause. Raises `Rejected` where the query cannot take it."""
    match part:
        case Items():
            return _counts_of_kinds(catalog, query, part) or _with_items(query, part)
        case Rows():
            return _with_rows(query, part)
        case (
            Beside() | Kin() | Compare() | Holds() | During() | Without() | AnyOf() | Every() | Both() | Best() | Only()
        ):
            return _with_condition(catalog, query, part)
        case Rank():
            return _with_rank(query, part)
        case Group():
            return _with_group(catalog, query, part)
        case Versus() if not query.group:
            return with_versus(query, part)
        case Order() if query.order is None:
            return _with_order(catalog, query, part)
        case Everything() if not query.select:
            return Signed(replace(query, everything=True), ())
        case Stop() if not query.stopped:
            return Signed(replace(query, stopped=True), ())
        case Amount(int() as number) if query.limit is None and number in _LIMITS:
            return Signed(replace(query, limit=number), ("limit:bare",))
    raise Rejected


@rule("Query", "Query AND|COMMA Items", "Query COMMA AND Items")
def and_show(catalog: Catalog, query: Query, *parts: Any) -> Signed:
    """ "the customer with the most orders, and how many"."""
    if not query.select and not (query.rank or query.where or query.group):
        raise Rejected  # "list bookings and totals" shows both
    attached = attach(catalog, query, parts[-1])
    return Signed(attached.meaning, tuple(f"{sign}:and" for sign in attached.signs))


@rule("Query", "Query BOTH|EACH_ONE")
def of_both(catalog: Catalog, query: Query, told: str) -> Signed:
    """ "diesel versus petrol: the average price of both", "sales per city and how many customers each"."""
    if not query.group or (told == "both" and query.group_place != "versus"):
        raise Rejected
    return Signed(query, ("each:again",))


@rule("Query", "Query BY Set")
def ranked_by_count(catalog: Catalog, query: Query, _: str, rows: Rows) -> Signed:
    """ "top 3 customers by orders"."""
    if query.rank is None or query.rank.by is not None or query.group or query.order or rows.table == query.head:
        raise Rejected
    return Signed(replace(query, rank=replace(query.rank, by=Measure("count", rows))), ())


@rule("Query", "START LARGEST NUM? Set", "START NUM? LARGEST Set", "Query LARGEST NUM? Set", "Query NUM? LARGEST Set")
def largest_rows(catalog: Catalog, query: Query | None, *parts: Any) -> Signed:
    """ "the biggest payment": by the one column of amounts that they have."""
    rows = first_of(parts, Rows)
    number = next((part.value for part in parts if isinstance(part, Amount)), 1)
    if not isinstance(number, int) or number < 1:
        raise Rejected
    attached = attach(catalog, query or Query(), rows)
    rank = Rank(amount_of(catalog, rows.table), "desc" in parts, number)
    return Signed(_with_rank(attached.meaning, rank).meaning, (*attached.signs, "rank:amount"))


def _with_order(catalog: Catalog, query: Query, part: Order) -> Signed:
    times = {column for one in part.by if isinstance(one, Ref) for column, _ in one.options}
    grouped = {column for one in query.group if isinstance(one, Ref) for column, _ in one.options}
    if not query.select and any(catalog.kind(column) == DATE for column in times & grouped):
        raise Rejected  # "events by date, newest first" are sorted
    amounts = part.descending is None and _are_amounts(catalog, part.by)
    if part.descending is None and not amounts and (query.rank is None or query.rank.by is not None):
        raise Rejected  # "by" alone groups; it sorts what "top" ranks, and lists by amounts
    amount = part.by[0] if amounts and len(part.by) == 1 and query.rank is None else None
    if isinstance(amount, Ref | Measure) and _is_of_others(query, amount):
        figure = amount if isinstance(amount, Measure) else Measure("sum", additive(catalog, amount))
        ranked = replace(query, select=(figure,), group=(Rows(query.head or ""),), order=Order((figure,), True))
        return Signed(ranked, ("order:summed",))
    return Signed(replace(query, order=part), ())


def _counts_of_kinds(catalog: Catalog, query: Query, part: Items) -> Signed | None:
    """ "how many engine repairs and how many hull repairs": each by itself."""
    counted = [one.of for one in part.of if isinstance(one, Measure) and one.op == "count"]
    rows = [of for of in counted if isinstance(of, Rows)]
    held = [p for of in rows for p in of.where if isinstance(p, Holds) and not p.negated]
    alone = len(part.of) == len(rows) == len(held) > 1 and all(len(of.where) == 1 for of in rows)
    if not alone or len({of.table for of in rows}) > 1 or query.select or query.group:
        return None
    beside = values_side_by_side(catalog, *(value for p in held for value in p.values))
    counting = replace(query, select=(Measure("count", Rows(rows[0].table)),), head=query.head or rows[0].table)
    return with_versus(replace(counting, last=rows[0].table), beside)


def refuse_two_counts(query: Query, more: tuple[Ref | Measure | Rows, ...]) -> None:
    """Raise `Rejected` for "how many were built, and how many are in use": what follows is said of the second alone."""
    counted = any(isinstance(one, Measure) and one.op == "count" for one in query.select)
    if counted and Measure("count", None) in more:
        raise Rejected


def _with_items(query: Query, part: Items) -> Signed:
    if query.everything:
        raise Rejected
    said = [p for one in part.of if isinstance(one, Rows) for p in one.where if p not in query.where]
    query = replace(query, where=(*query.where, *said))  # "jazz tracks with their albums"
    part = replace(part, of=tuple(replace(one, where=()) if isinstance(one, Rows) else one for one in part.of))
    of = tuple(about(one, query.last or None) for one in part.of)
    if not query.stopped:
        refuse_two_counts(query, of)
    if not query.select:
        sign = "items:first" if query.head is None else "items:after_stop" if query.stopped else "items:late"
        found = replace(query, select=of, distinct=query.distinct or part.distinct, late=sign == "items:late")
        return Signed(replace(found, stopped=False), (sign,))
    if query.stopped:
        again = replace(query, select=of, distinct=part.distinct or query.distinct, stopped=False)
        return Signed(again, ("items:again",))
    fresh = tuple(one for one in of if one not in query.select)
    if not fresh:
        return Signed(query, ("items:repeated",))
    restricted = query.where or query.rank or query.group or query.order
    sign = "items:after_clause" if restricted else "items:more"
    return Signed(replace(query, select=query.select + fresh), (sign,))


def _with_rows(query: Query, part: Rows) -> Signed:
    attached = with_table(query, part)
    found: Query = attached.meaning
    fresh = tuple(p for p in part.where if p not in found.where)
    return Signed(replace(found, where=found.where + fresh), attached.signs)


def with_table(query: Query, part: Rows) -> Signed:
    table = part.table
    if query.rank is not None and query.rank.by in query.select and not query.head:  # the month with "most in payments"
        group = tuple(about(one, table) for one in query.group)
        return Signed(replace(query, group=group, mentions=(*query.mentions, table), last=table), ("set:more",))
    if query.head is None:
        found = replace(
            query,
            head=table,
            select=tuple(about(one, table) for one in query.select),
            where=tuple(about(one, table) for one in query.where),
            rank=about(query.rank, table) if query.rank else None,
            last=table,
            distinct=query.distinct or part.distinct,
        )
        return Signed(found, ("set:first",))
    if table in (query.head, *query.mentions):
        return Signed(replace(query, last=table), ("set:repeated",))
    return Signed(replace(query, mentions=(*query.mentions, table), last=table), ("set:more",))


def _with_condition(catalog: Catalog, query: Query, part: Any) -> Signed:
    if part in query.where or _goes_on_denying(query, part):
        raise Rejected
    if isinstance(part, Compare) and part.left is None:
        shown = query.select[-1] if query.select else None
        name = shown if isinstance(shown, Ref) else about(hinted(catalog, "name title", (TEXT,)), query.last or None)
        if part.op == "called":
            called = holding(
                about(hinted(catalog, "name title", (TEXT,)), query.last or None), Value((), str(part.right[0]))
            )
            return Signed(replace(query, where=(*query.where, called)), ("like:called",))
        return Signed(replace(query, where=(*query.where, replace(part, left=name))), ("like:it",))
    if isinstance(part, Best):
        last = query.last or (part.of.table if part.of is not None else "")
        return Signed(replace(query, where=(*query.where, part), last=last), ("pred:best",))
    sign = "pred:late" if query.last else "pred:early"
    return Signed(replace(query, where=(*query.where, about(part, query.last or None))), (sign,))


def _goes_on_denying(query: Query, part: Any) -> bool:
    """Whether a value without its column follows rows that are left out by such a value: in "except guests Ada and
    Lin" Lin is left out too."""
    last = query.where[-1] if query.where else None
    if not isinstance(last, Without) or not isinstance(part, Holds) or part.of is not None or part.negated:
        return False
    denied = [one for one in last.other.where if isinstance(one, Holds)]
    columns = {column for one in denied for value in one.values for column, _ in value.options}
    return any(column in columns for value in part.values for column, _ in value.options)


def with_versus(query: Query, part: Versus) -> Signed:
    where, group = about(part.where, query.last or None), about(part.group, query.last or None)
    place = "ends" if part.ends else "versus"
    return Signed(replace(query, where=(*query.where, where), group=(group,), group_place=place), (place,))


def _with_rank(query: Query, part: Rank) -> Signed:
    if query.rank is None:
        counted = ("limit:ranked",) * (query.limit is not None)  # "which two customers have the most orders"
        return Signed(replace(query, rank=about(part, query.last or None)), counted)
    if part.by is None or query.rank.by is not None:
        raise Rejected
    merged = replace(part, n=max(part.n, query.rank.n))
    return Signed(replace(query, rank=about(merged, query.last or None)), ("rank:merged",))


def _with_group(catalog: Catalog, query: Query, part: Group) -> Signed:
    ranked = query.rank is not None and not isinstance(query.rank.by, Measure | Rows)
    if query.group or (ranked and _are_amounts(catalog, part.by)):
        raise Rejected  # "the top 3 customers by turnover" are ranked by it, and so is the cheapest item by cost
    if not part.by:
        if query.head is None:
            raise Rejected
        return Signed(replace(query, group=(Rows(query.head),), group_place="late"), ("each:bare",))
    place = "late" if query.select else "early"
    return Signed(replace(query, group=part.by, group_place=place, every=part.every), (f"group:{place}",))


def _is_of_others(query: Query, amount: Ref | Measure) -> bool:
    """Whether nothing is shown but rows that do not have the amount themselves: "customers by revenue"."""
    has_it = isinstance(amount, Ref) and any(column.table == query.head for column, _ in amount.options)
    return query.head is not None and not (has_it or query.select or query.group)


def _are_amounts(catalog: Catalog, by: tuple[Any, ...]) -> bool:
    """Whether what is grouped or sorted by are numbers, and no years."""
    if by and all(isinstance(one, Measure) for one in by):
        return True
    columns = [c for one in by if isinstance(one, Ref) for c, _ in one.options]
    return bool(columns) and all(catalog.kind(c) == NUMBER and not catalog.is_year(c) for c in columns)
