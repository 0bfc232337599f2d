"""What is said at the end to be shown of each row: "…, with the name of the member, and when it was due"."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import Compare, During, Measure, Own, Query, Ref, Rows, Tail, held_in
from askwell.semantic_parsing.grammar.base import about, first_of, kept, rule, typed
from askwell.semantic_parsing.grammar.clauses import refuse_two_counts, with_table
from askwell.semantic_parsing.model.catalog import DATE, NUMBER, PARTIAL, TEXT, Catalog


@rule(
    "Shown", "OF? ASK? Set|Col|Measure", "ASK? Col EACH_ONE", "WHEN BE? DONE|Col", "DATED DONE!|Col!", "DONE|Col DATED!"
)
@rule("Shown", "ASK? FULL_NAME OF Set", "ASK? Set POSSESSIVE? FULL_NAME!")
def shown(catalog: Catalog, *parts: Any) -> Tail:
    """ "and when was it closed": a column, rows or a figure of each row."""
    if "when" in parts:
        return Tail((typed(catalog, first_of(parts, Ref), (DATE,)),))
    one = first_of(parts, (Ref, Rows, Measure))
    if isinstance(one, Rows) and one.where:
        raise Rejected
    return Tail((one,))


@rule("Shown", "WHEN|WHERE|SOMEBODY BE?", "ASK? FULL_NAME|DATED", "ASK SPENT", "AGGREGATE")
def shown_of_a_kind(catalog: Catalog, *parts: str | None) -> Tail:
    """ "where was it and when"."""
    word = next(part for part in parts if part not in (None, "ask", "be"))
    return Tail((Own("date time" if word == "when" else "person" if word in catalog.facts.tables else word),))


@rule("Tail", "Shown")
@rule("Tail", "Tail COMMA|AND Shown!", "Tail COMMA AND Shown!")
def tail(catalog: Catalog, first: Tail, *parts: Any) -> Tail:
    return Tail((*first.of, *(one for part in parts if isinstance(part, Tail) for one in part.of)))


@rule("Query", "Query COMMA|AND|STOP Tail!", "Query COMMA|STOP AND|WITH Tail!", "Query ALONG Tail!")
def show_of_each(catalog: Catalog, query: Query, *parts: Any) -> Signed:
    """ "loans that are overdue, with the name of the member, and when they are due"."""
    rows = [one.table for one in (*query.group, *query.select) if isinstance(one, Rows)]
    head = query.head if query.head and not query.group else next(iter(rows or _held(query)), None)
    restricted = "with" in parts or query.where or query.rank or query.group
    if head is None or not restricted or query.everything or query.group_place == "versus":
        raise Rejected
    query = query if rows or query.head else with_table(query, Rows(head)).meaning
    is_told = parts[:-1] == ("stop",) and not query.group  # "Which are late? Give me their numbers.": these alone
    before = query.select or (() if is_told else (Rows(head),))
    by = query.rank.by if query.rank is not None and not query.head else None
    if isinstance(by, Ref) and any(
        isinstance(one, Rows) and one.table not in catalog.of_rows(head) for one in parts[-1].of
    ):
        head, before = _ranked(catalog, by, head), (*before, by)
        query = replace(query, head=head, last=head)
    found = [one for part in parts[-1].of for one in _of_row(catalog, query, head, part)]
    fresh = tuple(one for one in dict.fromkeys(found) if one not in before)
    if not fresh or (any(isinstance(one, Measure) for one in query.select) and not rows):
        raise Rejected
    refuse_two_counts(query, fresh)
    tables = (one.table for one in fresh if isinstance(one, Rows))
    mentions = dict.fromkeys((*query.mentions, *(table for table in tables if table != head)))
    counts = "with" not in parts and any(isinstance(one, Measure) and isinstance(one.of, Rows) for one in fresh)
    shown = replace(query, select=(*before, *fresh), mentions=tuple(mentions), every=query.every or counts)
    counting = _figures(query) or (query.rank is not None and not isinstance(query.rank.by, Ref))
    if not query.group and counting:
        shown = replace(shown, group=(Rows(head),), group_place="late")
    return Signed(shown, ("items:tail" if len(query.select) < 2 else "items:tail:more",))


def _held(query: Query) -> set[str]:
    """The only table whose rows are asked for by what they are: "our longest sailing yacht", "bills over 500"."""
    refs = [one.left for one in query.where if isinstance(one, Compare) and isinstance(one.left, Ref)]
    tables = {ref.owner for ref in refs if ref.owner is not None}
    if query.rank is not None:
        tables |= {column.table for one in query.where for column in held_in(one)}
    return tables if len(tables) == 1 and not (query.select or query.group) else set()


def _ranked(catalog: Catalog, by: Ref, people: str) -> str:
    """The table of a column by which people are ranked, where its rows are of one of them: "who got the highest
    advance, and for what book"."""
    tables = dict.fromkeys(column.table for column, _ in by.options)
    found = [table for table in tables if people in catalog.of_rows(table)]
    if len(found) != 1:
        raise Rejected
    return found[0]


def _of_row(catalog: Catalog, query: Query, head: str, part: Ref | Measure | Rows | Own) -> list[Ref | Measure | Rows]:
    """What is meant of each row of a table. Raises `Rejected` where it has nothing such, or several."""
    near = catalog.of_rows(head)
    match part:
        case Measure("count", None) if counted := [one for one in _figures(query) if one.op == "count"]:
            return [*counted[:1]]
        case Measure():
            return [about(part, query.last or None)]
        case Rows(table) if table in near:
            return [part]
        case Ref():
            own = kept(part, lambda column: column.table in near)
            first = min((column.table for column, _ in own.options), key=near.index)
            return [kept(replace(own, owner=first), lambda column: column.table == first)]
        case Own("name"):
            return [Rows(head)]
        case Own("sum"):
            by = query.rank.by if query.rank is not None else None
            figures = [one for one in _figures(query) if one.op != "count"]
            is_figure = isinstance(by, Ref) and all(catalog.kind(column) == NUMBER for column, _ in by.options)
            told: set[Ref | Measure | Rows] = {*figures, *([by] if isinstance(by, Ref) and is_figure else [])}
            if len(told) == 1:
                return [*told]
        case Own("person"):
            people = [table for table in near if table in catalog.people]
            return [Rows(table) for table in people[:1]]
        case Own("date time"):
            dates = [c for c, _ in catalog.hinted(part.hints, (DATE,)) if c.table == head]
            return [Ref(((c, 0),), head) for c in _said_or_first(catalog, query, dates)]
        case Own(hints):
            paid = "amount" in hints.split()
            here = [(c, level) for c, level in catalog.hinted(hints, (NUMBER if paid else TEXT,)) if c.table == head]
            found = [c for c, level in here if level < PARTIAL] or [c for c, _ in here]
            if len(found) == 1 or (found and not paid):
                return [Ref(((c, 0),), head) for c in found]
    raise Rejected


def _figures(query: Query) -> list[Measure]:
    """The figures that rows are ranked by, or have to have."""
    by = query.rank.by if query.rank is not None else None
    return [one for one in (by, *(p.left for p in query.where if isinstance(p, Compare))) if isinstance(one, Measure)]


def _said_or_first(catalog: Catalog, query: Query, dates: list[ColumnRef]) -> list[ColumnRef]:
    """The one date of a row; of several that of which the question speaks. Raises `Rejected` where that is none."""
    told = {
        c
        for one in query.where
        if isinstance(one, During | Compare)
        for c, _ in getattr(one.left if isinstance(one, Compare) else one.of, "options", ())
    }
    meant = dates if len(dates) == 1 else [c for c in dates if c in told]
    if len(meant) != 1:
        raise Rejected
    return meant
