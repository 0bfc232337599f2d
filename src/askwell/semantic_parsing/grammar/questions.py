"""Questions that are more than clauses in any order: the best period, the time between, figures beside others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.question.periods import Period
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import (
    Amount,
    Bucket,
    Compare,
    During,
    Holds,
    Measure,
    Query,
    Rank,
    Ref,
    Rows,
    Value,
    held_in,
)
from askwell.semantic_parsing.grammar.base import (
    MEASURABLE,
    about,
    additive,
    kept,
    rule,
    some_date,
    typed,
)
from askwell.semantic_parsing.grammar.clauses import attach, with_versus
from askwell.semantic_parsing.grammar.figures import EXTREMES
from askwell.semantic_parsing.grammar.rankings import values_side_by_side
from askwell.semantic_parsing.grammar.times import when
from askwell.semantic_parsing.grammar.values import numbered
from askwell.semantic_parsing.model.catalog import DATE, FLAG, Catalog

# Figures of one column, of which several may be asked for.
FIGURES = frozenset({"sum", "avg", "min", "max", "p50"})


@rule("Query", "START NUM? UNIT When? BE? Rank", "START NUM? UNIT When? BE? SUPERLATIVE Doing!")
@rule("Query", "START NUM? UNIT When? BE? Doing IN? MOST!")
def best_period(catalog: Catalog, before: Query | None, number: Amount | None, unit: str, *parts: Any) -> Signed:
    """ "which month had the highest revenue", "on which weekday do people borrow most"."""
    if before is not None or not isinstance(n := number.value if number is not None else 1, int):
        raise Rejected
    during = tuple(when(catalog, part) for part in parts if isinstance(part, Period))
    match next(part for part in parts if isinstance(part, Rank | Query)):
        case Rank(Measure() as figure, descending, 1, False):
            date = some_date(catalog)
        case Rank(Ref() as ref, descending, 1, False):
            figure, date = Measure("sum", additive(catalog, ref)), some_date(catalog)
        case Query((Measure() as figure,), group=(Ref() as date,)):
            descending = "desc" in parts
        case _:
            raise Rejected
    rank = Rank(figure, descending, n)
    found = Query(select=(figure,), where=during, group=(Bucket(unit, date),), rank=rank)
    return Signed(found, ("best:period",))


@rule("Query", "Query Between")
def of_this_time(catalog: Catalog, query: Query, between: Ref) -> Query:
    """ "how many days does it take from order to delivery": which time is meant."""
    columns = {column for column, _ in between.options}

    def meant(one: Any) -> Any:
        ref = one.of if isinstance(one, Measure) else one
        narrow = kept(ref, columns.__contains__) if isinstance(ref, Ref) else None
        return replace(one, of=narrow) if isinstance(one, Measure) else narrow

    found = tuple(map(meant, query.select))
    if not found or None in found:
        raise Rejected
    return replace(query, select=found)


@rule("Doing", "Set", "Set Set!", "Set Col!", "Col")
def doing(catalog: Catalog, *parts: Any) -> Query:
    """ "members join", "people borrow", "deliver": what is counted, of the rows that record it, and of which date."""
    some, (last, *_) = [part for part in parts[:-1] if isinstance(part, Rows)], parts[-1:]
    where = tuple(condition for part in (*some, last) if isinstance(part, Rows) for condition in part.where)
    if isinstance(last, Rows):
        if some and some[0].table not in catalog.facts.referred.get(last.table, ()):
            raise Rejected
        return Query((Measure("count", Rows(last.table, where)),), group=(some_date(catalog),))
    near = {some[0].table, *catalog.facts.neighbours.get(some[0].table, ())} if some else set(catalog.facts.tables)
    date = kept(typed(catalog, last, (DATE,)), lambda column: column.table in near)
    tables = {column.table for column, _ in date.options}
    table = some[0].table if some and some[0].table in tables else next(iter(tables))
    if table not in tables or (len(tables) > 1 and not (some and table == some[0].table)):
        raise Rejected
    return Query((Measure("count", Rows(table, where)),), group=(about(date, table),))


@rule("Query", "START COMMON TABLE!")
def busiest(catalog: Catalog, before: Query | None, direction: str, table: str) -> Signed:
    """ "the busiest trainer": by what happens to them, where that is one thing."""
    referred = catalog.facts.referred
    happening = [one for one, parents in referred.items() if table in parents and catalog.happens(one)]
    if before is not None or len(happening) != 1:
        raise Rejected
    rank = Rank(Measure("count", Rows(happening[0])), direction == "desc")
    return Signed(Query(head=table, rank=rank, last=table), ("best:period",))


@rule("Query", "START COMMON UNIT! OF|IN|BY TABLE!")
def busiest_period(catalog: Catalog, before: Query | None, *parts: str) -> Signed:
    """ "the busiest weekday for visits"."""
    if before is not None:
        raise Rejected
    direction, unit, _, table = parts
    rank = Rank(figure := Measure("count", Rows(table)), direction == "desc")
    return Signed(Query(select=(figure,), group=(Bucket(unit, some_date(catalog)),), rank=rank), ("best:period",))


@rule("Query", "Query AGGREGATE")
def on_average(catalog: Catalog, query: Query, op: str) -> Signed:
    """ "orders per customer on average"; "more than 3 orders in total" are so many."""
    figures = [*query.select, *(one.left for one in query.where if isinstance(one, Compare))]
    if op == "sum" and any(isinstance(one, Measure) and one.op in (op, "count") for one in figures):
        return Signed(query, ("count:total",))
    match query.select:
        case (Ref() as listed,) if query.rank is None and op in ("sum", "avg"):  # "minutes of calls, in total"
            return Signed(replace(query, select=(Measure(op, typed(catalog, listed, MEASURABLE)),)), ("count:after",))
    counted = Measure("count", Rows(query.head)) if query.head is not None and not query.select else None
    if op != "avg" or counted is None or not query.group or query.group == (Rows(query.head or ""),):
        raise Rejected
    return Signed(replace(query, select=(replace(counted, outer=op),)), ("count:after",))


@rule("Query", "Query VERSUS EARLIER")
def beside_the_one_before(catalog: Catalog, query: Query, _: str, place: str) -> Query:
    """ "orders per month compared with the month before"."""
    counted = query.select or ((Measure("count", Rows(query.head)),) if query.head else ())
    buckets = [one.unit for one in query.group if isinstance(one, Bucket)]
    of_years = place == "next" or buckets == ["year"]
    if len(counted) != 1 or not isinstance(counted[0], Measure) or not (buckets and of_years):
        raise Rejected
    return replace(query, select=(replace(counted[0], over="change"),))


@rule("Query", "Query AND|COMMA ASK? BE? SUPERLATIVE|AGGREGATE")
def and_another_figure(catalog: Catalog, query: Query, *parts: Any) -> Signed:
    """ "the average fine, and what is the highest?"."""
    match query.select[-1:]:
        case (Measure(op, Ref(), outer=None, over=None) as last,) if op in FIGURES and not query.rank:
            more = replace(last, op=EXTREMES.get(parts[-1], parts[-1]))
            if more.op in FIGURES and more not in query.select:
                return Signed(replace(query, select=(*query.select, more)), ("items:more:and",))
    raise Rejected


@rule("Query", "Query AND|COMMA COUNT BE? VAL")
def and_how_many_others(catalog: Catalog, query: Query, _: str, __: str, ___: str | None, value: Value) -> Signed:
    """ "how many orders were shipped and how many were cancelled": each by itself."""
    *others, last = query.where or (None,)
    counts = len(query.select) == 1 and isinstance(query.select[0], Measure) and query.select[0].op == "count"
    if not isinstance(last, Holds) or last.negated or len(last.values) > 1 or query.group or not counts:
        raise Rejected
    beside = values_side_by_side(catalog, last.values[0], value)
    return with_versus(replace(query, where=tuple(others)), beside)


@rule("Query", "Query AND|COMMA COUNT OF? BE? Col!", "Query COMMA AND COUNT OF? BE? Col!")
def and_how_many_so(catalog: Catalog, query: Query, *parts: Any) -> Signed:
    """ "how many members per city, and how many of them are suspended": of all of them, and of those alone."""
    counts = any(isinstance(one, Measure) and one.op == "count" for one in query.select[-1:])
    flag = kept(typed(catalog, parts[-1], (FLAG,)), lambda column: catalog.column(column).is_measure)
    told = Measure("sum", about(flag, query.last or None))
    if query.where or query.rank or told in query.select or not counts:
        raise Rejected
    return Signed(replace(query, select=(*query.select, told)), ("items:more:and",))


@rule("Query", "Query COMMA? BY Col!")
def dated_by(catalog: Catalog, query: Query, _: str | None, __: str, ref: Ref) -> Signed:
    """ "loans per year, going by the due date": of which date the periods are."""
    date = typed(catalog, ref, (DATE,))

    def dated(part: Any) -> Any:
        is_open = isinstance(part, Bucket | During) and part.of.implicit
        return replace(part, of=about(date, query.last or None)) if is_open else part

    found = replace(query, group=tuple(map(dated, query.group)), where=tuple(map(dated, query.where)))
    if found == query:
        raise Rejected
    return Signed(found, ())


@rule("Query", "START TABLE ID!", "Query TABLE ID!")
def numbered_row(catalog: Catalog, query: Query | None, table: str, number: Amount) -> Signed:
    """ "the price of room 12": the table that it is about is named with the number."""
    attached = attach(catalog, query or Query(), Rows(table, (numbered(catalog, table, number),)))
    return Signed(attached.meaning, (*attached.signs, "set:numbered"))


@rule("Query", "Query NUM")
def number_of_what(catalog: Catalog, query: Query, number: Amount) -> Signed:
    """A number of which nothing says what it is: no answer, and a reading that leaves nothing else out."""
    return Signed(attach(catalog, query, number).meaning, ("limit:unsaid",))


@rule("Query", "Query COMMA? Pred|Set ALSO!", "Query COMMA? ALSO Pred|Set")
def those_too(catalog: Catalog, query: Query, *parts: Any) -> Signed:
    """ "how many customers, closed ones as well": nothing is left out."""
    part = next(part for part in parts if part is not None and not isinstance(part, str))
    told = part.where if isinstance(part, Rows) else (part,)
    match told:
        case (Holds(negated=False) as held,) if not held_in(held) & {c for one in query.where for c in held_in(one)}:
            return Signed(query, ("pred:also",))
        case (Compare(Ref(), "flag" | "empty") as state,) if state.left not in [
            one.left for one in query.where if isinstance(one, Compare)
        ]:
            return Signed(query, ("pred:also",))
    raise Rejected
