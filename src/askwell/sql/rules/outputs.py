"""What is shown and grouped by, where the question leaves it open: labels, groups, totals of amounts."""

from __future__ import annotations

from dataclasses import replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, Group
from askwell.sql.rules.grammar.selecting import SelectList
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.forms import ADDITIVE_WORDS, SINGLE_WORDS
from askwell.sql.rules.words.phrases import Mark

_STATES = frozenset({"is", "are", "was", "were", "has", "have", "had", "the", "our", "all"})
# What stands before the rows that are asked for.
_LEADING = (Mark.ASK, Mark.DISTINCT, Mark.OF)


def shown_groups(reader: Reader, draft: Draft, listing: SelectList) -> list[Output]:
    """The groups of the query; the list is completed with what is shown by default."""
    if any(output.aggregate in ("share", "per") for output in listing.outputs):
        _rows_figure(reader, draft, listing)
        return []
    _refuse_unnamed_rows(reader)
    _sum_amounts(reader, draft, listing)
    _count_rows(reader, draft, listing)
    draft = _without_own_group(reader, _with_rows_asked_for(reader, draft, listing), listing)
    groups = _asked_groups(reader, draft, listing)
    _default_output(reader, draft, listing)
    if groups and not listing.aggregated and draft.extreme is None:
        if any(group.bucket for group in groups):
            raise DeadEnd("group_of_what")
        listing.assumptions.append(assumption("each_row"))
        groups = []
    if listing.aggregated and not groups:
        groups = _implicit_groups(listing)
    if draft.having and draft.having_of is not None and not groups:
        groups = _having_groups(reader, draft, listing, draft.having_of)
    return groups


def _rows_figure(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "the percentage of orders that were cancelled", "the average number of tracks per album": one number."""
    output = listing.outputs[0]
    rows = output.rows_of
    ranked = draft.having or draft.extreme or draft.sort or draft.both or draft.any_of or listing.everything
    if rows is None or len(listing.outputs) > 1 or ranked:
        raise DeadEnd("too_much_at_once")
    if output.aggregate == "share":
        if draft.groups or len(draft.conditions) + len(draft.absent) + bool(draft.negated_join) != 1:
            raise DeadEnd("share_of_what", reader.facts.tables[rows].readable)
        return
    if len(draft.groups) != 1 or draft.absent or draft.negated_join:
        raise DeadEnd("aggregate_of_what", reader.facts.tables[rows].readable)
    group = draft.groups[0]
    if group.table is not None:
        ref = reader.key(group.table)
        trade = reader.facts.trade
        if trade is not None and rows in trade.goods and group.table == trade.document and trade.line is not None:
            rows = trade.line  # a product is in many orders, and a line of one is in one
            output = replace(output, rows_of=rows)
        if ref is None or group.table not in reader.parents((rows,)):
            raise DeadEnd("aggregate_of_what", reader.facts.tables[group.table].readable)
        listing.assumptions.append(assumption("with_rows", "", reader.facts.tables[group.table].readable))
    else:
        ref = group.output.column if group.output is not None and group.output.bucket is None else None
    if ref is None:
        raise DeadEnd("aggregate_of_what", reader.facts.tables[rows].readable)
    listing.outputs[0] = replace(output, column=ref)


def _with_rows_asked_for(reader: Reader, draft: Draft, listing: SelectList) -> Draft:
    """ "genres with their number of tracks", "which customers are from Germany and how many orders did they place": a
    figure for each of the rows that are asked for first."""
    sentence = reader.sentence
    figures = listing.outputs and all(output.aggregate for output in listing.outputs)
    if not figures or draft.groups or draft.extreme is not None or draft.shown_extremes:
        return draft
    head = next((i for i in range(len(sentence)) if not (sentence.light(i) or sentence.kind(i) in _LEADING)), None)
    table = sentence.table(head) if head is not None else None
    told = head is not None and any(sentence.kind(k) is Mark.AGGREGATE for k in range(head + 1, len(sentence)))
    asked = sentence.kind(0) is Mark.ASK or head == 0
    if table is None or not told or not asked or any(output.rows_of == table for output in listing.outputs):
        return draft
    listing.shapes.add("group")
    return draft.set(groups=(Group(table=table),))


def _refuse_unnamed_rows(reader: Reader) -> None:
    """ "the knives with their prices": whose prices, if a knife is no row but a kind of it?"""
    sentence = reader.sentence
    for i in range(1, len(sentence)):
        said = sentence.span(i).low in ("with", "and") and sentence.span(i + 1).low in ("their", "its")
        if said and sentence.is_value(i - 1) and not sentence.tables:
            raise DeadEnd("table_in_the_list", sentence.span(i - 1).text)


def _without_own_group(reader: Reader, draft: Draft, listing: SelectList) -> Draft:
    """ "the average number of references per publication", where each publication has one number: one average, or one
    for each of what else is grouped by."""
    tables = {group.table for group in draft.groups}
    own = [o for o in listing.outputs if o.column is not None and o.column.table in tables and o.aggregate]
    if not own or len(own) < len(listing.outputs):
        return draft
    if any(output.aggregate != "avg" for output in own):
        raise DeadEnd("group_of_what")
    its = {output.column.table for output in own if output.column is not None}
    return draft.set(groups=tuple(group for group in draft.groups if group.table not in its))


def everything_of(reader: Reader, listing: SelectList) -> str | None:
    """The table of which all columns are shown."""
    return reader.sentence.main if listing.everything else None


def _count_rows(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "orders per customer", "customers by country": how many there are of each; a list would lose the groups."""
    if not draft.groups or listing.aggregated or listing.everything or draft.extreme is not None:
        return
    asked = {group.output for group in draft.groups}
    if any(output not in asked for output in listing.outputs):
        if "breakdown" in draft.shapes:
            raise DeadEnd("group_of_what")  # "the price per category": which one?
        return
    grouped = {group.table for group in draft.groups}
    counted = [table for table in reader.sentence.tables if table not in grouped]
    if len(counted) != 1 or draft.having or draft.both:
        raise DeadEnd("group_of_what")
    listing.show(Output(aggregate="count", rows_of=counted[0]))
    word = next(s.text for i, s in enumerate(reader.sentence.spans) if reader.sentence.table(i) == counted[0])
    listing.assumptions.append(assumption("counted_rows", word, reader.facts.tables[counted[0]].readable))
    listing.shapes.add("count")


def _asked_groups(reader: Reader, draft: Draft, listing: SelectList) -> list[Output]:
    """The groups that are asked for, each shown first in the list."""
    groups: list[Output] = []
    asked = {group.output for group in draft.groups}
    for group in reversed(draft.groups):
        if group.output is not None:
            groups.insert(0, group.output)
            named = any(output.aggregate is None and output not in asked for output in listing.outputs)
            if group.output not in listing.outputs and not (named and listing.aggregated):
                listing.outputs.insert(0, group.output)
        elif group.table is not None:
            groups.insert(0, _table_group(reader, listing, group.table))
    return groups


def _table_group(reader: Reader, listing: SelectList, table: str) -> Output:
    """One group for each row of a table, by its key, and shown by its label."""
    key, label = reader.key(table), reader.label(table)
    if key is None and label is None:
        raise DeadEnd("no_key", reader.facts.tables[table].readable)
    plain = [output.column for output in listing.outputs if output.aggregate is None and output.column is not None]
    keyed = any(ref == key or (key is not None and same_key(reader, ref, key)) for ref in plain)
    if listing.outputs and listing.aggregated and not keyed and not any(ref.table == table for ref in plain):
        shown = reader.naming(table)
        if not shown:
            raise DeadEnd("no_name", reader.facts.tables[table].readable)
        listing.outputs[:0] = [Output(ref) for ref in shown]
        listing.assumptions.append(assumption("default_name", "", reader.readable(shown[0])))
    group = key or label
    if group is None:
        raise DeadEnd("no_key", reader.facts.tables[table].readable)
    return Output(group)


def same_key(reader: Reader, ref: ColumnRef, key: ColumnRef) -> bool:
    """Whether two columns are the two sides of a relationship."""
    return any(
        {ref, key} == {ColumnRef(r.left, a), ColumnRef(r.right, b)}
        for r in reader.facts.relationships
        for a, b in r.pairs
    )


def _default_output(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """Nothing named to show: the rows' label."""
    if listing.outputs or listing.everything or (draft.extreme is not None and draft.extreme.kind == "common"):
        return
    table = reader.sentence.main
    if table is None and draft.extreme is not None and draft.extreme.kind == "column":
        of = draft.extreme.output.table
        filtered = {ref.table for ref in draft.filtered_columns()}
        who = reader.sentence.span(0).low == "who"
        asked = who or filtered == {of}
        named = reader.naming(of) if of is not None and asked else ()
        listing.show(*(Output(ref) for ref in named), *(() if named else (draft.extreme.output,)))
        return
    filtered = {ref.table for ref in draft.filtered_columns()}
    if table is None and len(filtered) == 1 and reader.sentence.span(0).low == "who":
        table = filtered.pop()  # "who is the sales manager"
    if table is None:
        raise DeadEnd("nothing_to_show")
    if reader.sentence.span(0).low == "who" and 1 not in draft.used and _does_something(reader):
        raise DeadEnd("unplaced_words", *(span.text for span in reader.sentence.spans[:2]))  # "who handled the order"
    if reader.sentence.span(0).low == "what" and reader.sentence.span(1).low in ("did", "do", "does"):
        raise DeadEnd("nothing_to_show")  # "what did we take in payments": not the payments
    label, person, key = reader.label(table), reader.facts.tables[table].person, reader.key(table)
    ranked = draft.extreme is not None and draft.extreme.kind != "column"
    if label is None and person is None and not (ranked or draft.having or draft.groups or draft.both):
        listing.everything = True
        listing.assumptions.append(assumption("all_columns", "", reader.facts.tables[table].readable))
        return
    if label is not None:
        listing.show(Output(label))
    elif person is not None:
        listing.show(*(Output(ref) for ref in person))
        listing.assumptions.append(assumption("first_last"))
    elif key is not None:
        listing.show(Output(key))
    else:
        raise DeadEnd("no_name", reader.facts.tables[table].readable)
    shown = listing.outputs[0].column
    if shown is not None:
        listing.assumptions.append(assumption("default_name", "", reader.readable(shown)))


def _does_something(reader: Reader) -> bool:
    """Whether a verb stands right after "who", so that what follows it is not who is asked for."""
    following = reader.sentence.span(1)
    return following.loose_verb or (following.kind is Thing.FILLER and following.low not in _STATES)


def _sum_amounts(reader: Reader, draft: Draft, listing: SelectList) -> None:
    """ "revenue by month" and "what is our revenue" add amounts up; "the price of each product" lists them."""
    grouped = {group.output for group in draft.groups}
    amounts = [output for output in listing.outputs if output not in grouped]
    if listing.aggregated or listing.everything or not amounts or not all(_adds_up(reader, o) for o in amounts):
        return
    said_by = any(reader.sentence.span(i).low in ("by", "per") and i in draft.used for i in range(len(reader.sentence)))
    bucketed = any(group.output is not None and group.output.bucket for group in draft.groups)
    alone = not (draft.groups or reader.sentence.tables or draft.sort or draft.having or listing.distinct)
    if draft.extreme is not None or not (said_by or bucketed or alone or _total_of(reader, draft)):
        return
    for amount in amounts:
        listing.outputs[listing.outputs.index(amount)] = replace(amount, aggregate="sum")
        if amount.column is not None:
            listing.assumptions.append(assumption("implicit_sum", "", reader.readable(amount.column)))
    listing.shapes.add("aggregate")


def _total_of(reader: Reader, draft: Draft) -> bool:
    """ "total of invoices": one total of them all; "the total of each invoice" and "their totals" are lists."""
    sentence = reader.sentence
    for i in range(len(sentence) - 2):
        rows = sentence.after(i + 1)
        if sentence.span(i).low == "total" and sentence.span(i + 1).low == "of" and sentence.table(rows) is not None:
            return sentence.span(rows).low.endswith("s") and not draft.groups and draft.sort is None
    return False


def _adds_up(reader: Reader, output: Output) -> bool:
    """Whether a plain output is an amount of which a total makes sense: a revenue, not a price or a rating."""
    if output.column is None or output.aggregate is not None:
        return False
    column = reader.column(output.column)
    words = {word for name in column.names for word in name}
    return column.is_measure and bool(stem_set(ADDITIVE_WORDS) & words) and not stem_set(SINGLE_WORDS) & words


def _implicit_groups(listing: SelectList) -> list[Output]:
    """ "the country and the number of customers": one row for each country."""
    plain = [output for output in listing.outputs if output.aggregate is None]
    if plain and plain[0].column is not None:
        listing.assumptions.append(assumption("implicit_group", "", str(plain[0].column)))
        listing.shapes.add("group")
    return plain


def _having_groups(reader: Reader, draft: Draft, listing: SelectList, group: Group) -> list[Output]:
    if group.output is not None:
        return [group.output]
    table = group.table or ""
    counted = {having.output.rows_of for having in draft.having if having.output.aggregate == "count"}
    if counted & set(reader.parents((table,))):  # "policy types of more than 2 customers": a policy has one customer
        own = {reader.key(table), *reader.naming(table)}
        shown = [o for o in listing.outputs if o.aggregate is None and o.column is not None and o.column not in own]
        if not shown or len(shown) < len(listing.outputs):
            raise DeadEnd("counted_parent", *(reader.facts.tables[t].readable for t in counted if t is not None))
        return shown
    ref = reader.key(table) or reader.label(table)
    if ref is None:
        raise DeadEnd("no_key", reader.facts.tables[table].readable)
    return [Output(ref)]
