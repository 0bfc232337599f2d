"""A complete draft and its select list, put together as a query: defaults, groups, order and limit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.doubts import doubts
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.facts import ColumnKind
from askwell.sql.rules.grammar.flows import is_flow
from askwell.sql.rules.grammar.selecting import SelectList, read_select
from askwell.sql.rules.ordering import in_order
from askwell.sql.rules.outputs import everything_of, shown_groups
from askwell.sql.rules.query import ORDERINGS, Absence, Condition, Output, Query, Sort
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.refusals import (
    refuse_every,
    refuse_lost_part,
    refuse_lost_rows,
    refuse_no_time,
    refuse_nobody,
    refuse_other_unit,
    refuse_parts,
    refuse_person,
    refuse_second_question,
    refuse_split_groups,
    refuse_state,
    refuse_unasked_list,
    refuse_unshown,
    refuse_unused_aggregate,
)
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.phrases import Mark


@dataclass(frozen=True, slots=True)
class Assembled:
    """A query, the spans that its reading accounts for, and what it rests on."""

    query: Query
    used: frozenset[int]
    assumptions: tuple[Assumption, ...]
    shapes: frozenset[str]


_NUMERIC = frozenset({"sum", "avg", "min", "max"})


def assemble(reader: Reader, draft: Draft) -> Assembled:
    """The query that a draft stands for."""
    listing = read_select(reader, draft)
    _without_repeats(reader, draft, listing)
    listing.show(*draft.shown_extremes)
    groups = shown_groups(reader, draft, listing)
    draft = _with_ties(reader, _either_value(reader, draft, listing), listing)
    groups, sorts, limit, counted = in_order(reader, draft, listing, groups)
    if sorts and not groups and listing.outputs and all(output.aggregate for output in listing.outputs):
        raise DeadEnd("sort_by_what")  # one figure is in no order
    if groups:
        refuse_split_groups(reader, groups, sorts, listing.outputs)
    _show_rows(reader, draft, listing)
    refuse_unshown(reader, listing)
    refuse_parts(reader, listing)
    refuse_no_time(reader, listing)
    refuse_second_question(reader, listing)
    refuse_person(reader, listing)
    refuse_other_unit(reader, listing)
    refuse_lost_part(reader, draft)
    refuse_nobody(reader, listing)
    refuse_unused_aggregate(reader, draft, listing)
    refuse_every(reader)
    refuse_state(reader)
    refuse_lost_rows(reader, draft, listing)
    tables = _tables(reader, draft, listing, groups, sorts, counted)
    listing.assumptions += doubts(reader, draft, listing, groups, sorts)
    distinct = listing.distinct and not listing.aggregated
    if not reader.sentence.tables and not (listing.aggregated or groups or draft.conditions):
        refuse_unasked_list(reader, listing)
    if not distinct and (_lists_values(reader, draft, listing, groups) or _asks_values(reader, draft, listing, groups)):
        distinct = True
        listing.assumptions.append(assumption("distinct_values"))
    query = Query(
        outputs=() if listing.everything else tuple(listing.outputs),
        everything=everything_of(reader, listing),
        tables=tables,
        conditions=tuple(placed.condition for placed in draft.conditions),
        any_of=draft.any_of,
        groups=tuple(groups),
        having=draft.having,
        sorts=tuple(sorts),
        limit=limit,
        distinct=distinct,
        keep=tuple(
            dict.fromkeys((*counted, *_had(reader), *(h.output.rows_of for h in draft.having if h.output.rows_of)))
        ),
        absences=_absences(reader, draft, listing),
        both=draft.both,
    )
    if len({h.output.rows_of for h in draft.having if h.output.aggregate == "count"}) > 1:
        raise DeadEnd("too_much_at_once")  # "with 2 parts and fewer than 3 faults": joined, they multiply
    counted_rows = {h.output.rows_of for h in draft.having if h.output.aggregate == "count"}
    compared = (c.column for c in query.conditions if c.operator in ORDERINGS and c.period is None)
    if any(ref.table in counted_rows and reader.column(ref).is_measure for ref in compared):
        raise DeadEnd("too_much_at_once")  # "more than 5 invoices and a total above 40": of one, or of all?
    query = _without_nothing(reader, draft, query)
    if draft.groups and groups and draft.extreme is not None and draft.extreme.kind == "column":
        raise DeadEnd("too_much_at_once")  # "the youngest for each job" has one for each
    if query.having and listing.aggregated and not any(output.aggregate is None for output in listing.outputs):
        query = _counting_groups(reader, draft, query)
    if (query.both or query.absences) and (draft.extreme is not None or query.having):
        raise DeadEnd("too_much_at_once")
    if query.both and (query.sorts or query.limit is not None or listing.aggregated):
        raise DeadEnd("too_much_at_once")  # of an intersection, and not of its two sides
    if not (query.outputs or query.everything):
        raise DeadEnd("nothing_to_show")
    if query.everything and query.groups:
        raise DeadEnd("group_of_what")  # a group has no row of its own
    return Assembled(
        query=query,
        used=frozenset(listing.used),
        assumptions=(*draft.assumptions, *listing.assumptions),
        shapes=draft.shapes | listing.shapes,
    )


def _show_rows(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "show the largest orders with the customer's name": the orders are shown as well."""
    sentence = reader.sentence
    entities = (i for i in range(len(sentence)) if sentence.kind(i) is Thing.ENTITY and not sentence.is_value(i))
    head = next(entities, 0)
    table, main = sentence.table(head), sentence.main
    added = any(sentence.span(k).low == "with" for k in range(head + 1, len(sentence)))
    listed = sentence.span(0).low in _LISTING and table is not None and table == main and added
    if not listed or table is None or listing.everything or draft.groups or listing.second_sentence:
        return
    if sentence.kind(head + 1) is Thing.ENTITY or sentence.span(head + 1).text == "'s":
        return
    if not listing.outputs or any(output.aggregate or output.table == table for output in listing.outputs):
        return
    shown = reader.naming(table)
    listing.outputs[:0] = [Output(ref) for ref in shown]
    listing.assumptions += [assumption("default_name", "", reader.readable(ref)) for ref in shown[:1]]


_LISTING = frozenset({"show", "list", "give", "display", "print", "get"})


def _either_value(reader: Reader, draft: Draft, listing: SelectList) -> Draft:
    """ "customers from France and Germany" are from either: a row has one country."""
    if not draft.both or draft.both_said:
        return draft
    column, main = draft.both[0].column, reader.sentence.main
    # several rows can belong to one of the main table: then it is the one that both are meant to belong to
    own = main is not None and column.table in (main, *reader.parents((main,)))
    if listing.aggregated or own:
        values = tuple(value for condition in draft.both for value in condition.values)
        listing.assumptions.append(assumption("either_value", " / ".join(str(v) for v in values)))
        return draft.set(both=()).where(Condition(column, "in", values), 0)
    if main is not None and _places(reader):
        raise DeadEnd("several_at_once", *(str(v) for condition in draft.both for v in condition.values))
    return draft


def _places(reader: Reader) -> bool:
    """ "customers in Lisbon and Porto": of things with several addresses, in both or in either?"""
    sentence = reader.sentence
    values = [i for i in range(1, len(sentence)) if sentence.is_value(i)]
    return (
        bool(values)
        and sentence.span(values[0] - 1).low in ("in", "from")
        and sentence.table(values[0] - 2) is not None
    )


def _had(reader: Reader) -> tuple[str, ...]:
    """ "orders with a store": a row that belongs to none is left out, so the join says something."""
    sentence = reader.sentence
    found = []
    for i in range(2, len(sentence)):
        k = i - 2 if sentence.span(i - 1).low in ("a", "an", "any") else i - 1
        table = sentence.table(i)
        if table is not None and sentence.span(k).low in ("with", "having", "have", "has"):
            found.append(table)
    return tuple(found)


def _with_ties(reader: Reader, draft: Draft, listing: SelectList) -> Draft:
    """ "the cheapest tracks" are all that cost the least; among other conditions one is shown, and that is said."""
    extreme = draft.extreme
    if extreme is None or not extreme.ties or extreme.output.column is None:
        return draft
    ref = extreme.output.column
    only = not (draft.conditions or draft.having or draft.absent or draft.both or draft.groups or draft.sort)
    shown = {output.table for output in listing.outputs}
    if not only or draft.negated_join is not None or {*reader.sentence.tables, *shown} - {ref.table}:
        listing.assumptions.append(assumption("one_of_ties"))
        return draft
    end = "max" if extreme.descending else "min"
    draft = draft.set(extreme=None, shapes=draft.shapes - {"superlative"}).shaped("ties")
    return draft.assume(assumption("ties")).where(Condition(ref, "=", than=end), 0)


def _asks_values(reader: Reader, draft: Draft, listing: SelectList, groups: list[Output]) -> bool:
    """ "which cities have customers": each city once, though several customers live there."""
    sentence = reader.sentence
    if sentence.span(0).low not in ("which", "what") or not sentence.is_column(1) or len(listing.outputs) != 1:
        return False
    if (
        groups
        or listing.aggregated
        or draft.extreme is not None
        or draft.sort is not None
        or draft.having
        or draft.both
    ):
        return False
    ref = listing.outputs[0].column
    if ref is None or ref not in sentence.span(1).columns:
        return False
    column = reader.column(ref)
    return column.kind is ColumnKind.TEXT and not column.is_key and ref not in reader.naming(ref.table)


def _lists_values(reader: Reader, draft: Draft, listing: SelectList, groups: list[Output]) -> bool:
    """ "all payment methods" names no table whose rows could be meant: each value once."""
    if reader.sentence.tables or listing.aggregated or listing.everything or groups:
        return False
    if draft.extreme is not None or draft.sort is not None or draft.having or draft.both or len(listing.outputs) > 1:
        return False
    output = listing.outputs[0]
    if output.column is None or reader.column(output.column).is_key:
        return False
    if reader.column(output.column).is_measure and not draft.conditions:
        return False
    return reader.label(output.column.table) != output.column


def _without_repeats(reader: Reader, draft: Draft, listing: SelectList) -> None:
    computed = {output.column for output in listing.outputs if output.aggregate in _NUMERIC}
    said_twice = [o for o in listing.outputs if o.aggregate is None and o.bucket is None and o.column in computed]
    flows = sum(is_flow(reader, i) for i in range(len(reader.sentence)))
    said_twice = [o for o in said_twice if flows > 1 or _said_as_unit(reader, o)]
    if said_twice:  # "the average length in milliseconds", "how much money did she spend"
        listing.outputs = [output for output in listing.outputs if output not in said_twice]
        listing.assumptions.append(assumption("repeated_output"))
    kept = list(dict.fromkeys(listing.outputs))
    if len(kept) < len(listing.outputs):
        if not (listing.second_sentence or draft.having or draft.extreme is not None):
            raise DeadEnd("same_column_twice")
        listing.assumptions.append(assumption("repeated_output"))
    listing.outputs = kept
    counted = {output.rows_of for output in kept if output.aggregate == "count" and output.rows_of is not None}
    if len(counted) > 1:
        raise DeadEnd("two_counts")


def _said_as_unit(reader: Reader, output: Output) -> bool:
    """ "the average length in milliseconds": the column's name once more."""
    sentence = reader.sentence
    units = (i for i in range(1, len(sentence)) if sentence.span(i - 1).low == "in" and sentence.is_column(i))
    return any(output.column in sentence.span(i).columns for i in units)


def _counting_groups(reader: Reader, draft: Draft, query: Query) -> Query:
    """ "how many customers have more than 3 orders" counts customers, each of which is a group."""
    table = draft.having_of.table if draft.having_of is not None else None
    key = reader.key(table) if table is not None else None
    counted = len(query.outputs) == 1 and query.outputs[0].aggregate == "count" and query.outputs[0].rows_of == table
    sentence = reader.sentence
    leads = (k for k in range(len(sentence)) if not (sentence.light(k) or sentence.kind(k) in (Mark.ASK, Mark.OF)))
    heads = sentence.kind(next(leads, 0)) is Mark.AGGREGATE
    if key is None or not counted or not heads or query.sorts or query.limit is not None:
        raise DeadEnd("too_much_at_once")
    return replace(query, outputs=(Output(key),), groups=(Output(key),), counts_groups=True)


def _without_nothing(reader: Reader, draft: Draft, query: Query) -> Query:
    """ "which composer wrote the most tracks": those of nobody do not count."""
    if draft.extreme is None or query.limit is None or query.any_of:
        return query
    refs = [group.column for group in query.groups if group.column is not None and group.bucket is None]
    loose = [ref for ref in refs if not (reader.column(ref).is_key or reader.column(ref).column.not_null)]
    named = {condition.column for condition in query.conditions} | {reader.label(ref.table) for ref in loose}
    there = tuple(Condition(ref, "null", negated=True) for ref in loose if ref not in named)
    return replace(query, conditions=(*query.conditions, *there))


def _absences(reader: Reader, draft: Draft, listing: SelectList) -> tuple[Absence, ...]:
    absences = [Absence(a.of, a.missing, (), a.conditions) for a in draft.absent if a.of is not None]
    if draft.negated_join is not None:
        main = reader.sentence.main
        if main is None or reader.key(main) is None or draft.having or draft.extreme is not None or draft.groups:
            raise DeadEnd("negation_over_a_join")
        missing = draft.negated_join.column.table
        read = {output.table for output in listing.outputs} | {ref.table for ref in draft.filtered_columns()}
        via = tuple(t for t in reader.sentence.tables if t not in read and t not in (main, missing))
        absences.append(Absence(main, missing, via, (draft.negated_join,)))
    return tuple(absences)


def _tables(
    reader: Reader,
    draft: Draft,
    listing: SelectList,
    groups: list[Output],
    sorts: list[Sort],
    counted: tuple[str, ...],
) -> tuple[str, ...]:
    """The tables of the query, those that are shown first."""
    shown = [
        everything_of(reader, listing),
        *(output.rows_of for output in listing.outputs if output.aggregate == "per"),
    ]
    shown += [output.table for output in listing.outputs]
    filtered: list[str | None] = [ref.table for ref in draft.filtered_columns()]
    filtered += [condition.column.table for condition in draft.both]
    others = [output.table for output in groups] + [sort.output.table for sort in sorts] + list(counted)
    others += [condition.output.table for condition in draft.having]
    mentioned: list[str | None] = list(reader.sentence.tables)
    absent = {a.missing for a in draft.absent}
    if draft.negated_join is not None:
        absent.add(draft.negated_join.column.table)
        mentioned = [reader.sentence.main]
    found = [
        table
        for table in (*shown, *filtered, *others, *mentioned)
        if table is not None and (table not in absent or table in shown)
    ]
    if not found:
        raise DeadEnd("no_table")
    return tuple(dict.fromkeys(found))
