"""Columns, figures computed from them, and lists of what is to be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.lexicon import english
from askwell.semantic_parsing.chart import Rejected, Signed
from askwell.semantic_parsing.forms import Compare, Holds, Items, Measure, Metric, Ref, Rows, Value
from askwell.semantic_parsing.grammar.base import (
    MEASURABLE,
    ORDERABLE,
    additive,
    amount_of,
    first_of,
    hinted,
    kept,
    owned,
    rule,
    typed,
)
from askwell.semantic_parsing.model.catalog import DATE, EXACT, FLAG, TEXT, TRIMMED, WEAK, Catalog
from askwell.semantic_parsing.model.durations import NAME as DURATION
from askwell.semantic_parsing.model.word_forms import word_forms

EXTREMES = {"desc": "max", "asc": "min"}


# ---------------------------------------------------------------- columns
@rule("Col", "HOW")
def column_of_how(catalog: Catalog, hints: str) -> Ref:
    """ "how old"."""
    return hinted(catalog, hints, (*ORDERABLE, TEXT))


@rule("Col", "MONEY")
def money(catalog: Catalog, hints: str) -> Signed:
    found = hinted(catalog, hints, MEASURABLE)
    # what a list of products says that they cost is nobody's revenue
    found = kept(found, lambda column: column.table in catalog.dealings or not catalog.is_price(column))
    return Signed(found, ("money:several",) * (len({column.table for column, _ in found.options}) > 1))


@rule("Col", "TABLE POSSESSIVE? COL", "COL OF TABLE", "EACH TABLE POSSESSIVE! COL")
def column_of_table(catalog: Catalog, *parts: Any) -> Ref:
    return owned(catalog, first_of(parts, Ref), parts[-1] if isinstance(parts[0], Ref) else parts[-3])


@rule("Col", "FULL_NAME OF COL", "COL FULL_NAME!")
def column_of_names(catalog: Catalog, *parts: Any) -> Ref:
    """ "the names of studios", where films have a studio."""
    return typed(catalog, first_of(parts, Ref), (TEXT,))


@rule("Col", "KIND COL!")
def kind_of_column(catalog: Catalog, _: str, ref: Ref) -> Ref:
    """ "the kind of decor"."""
    return typed(catalog, ref, (TEXT,))


@rule("Between", "BETWEEN|IN Set|Col AND|TO BE? Col", "BETWEEN|IN Set BE? Set|Col|REACHED_BY AND|TO BE? Col")
def time_between(catalog: Catalog, _: str, first: Any, *parts: Any) -> Signed:
    """ "between an order and its delivery", "from the day a book is lent to its return": as a table computes it."""
    first = next((part for part in parts[:-1] if isinstance(part, Ref | Rows)), first)
    last = parts[-1]
    own = catalog.table(first.table).columns if isinstance(first, Rows) else ()
    begins = [c.ref for c in own] if isinstance(first, Rows) else [c for c, _ in first.options]
    found = catalog.time_between(begins, [c for c, _ in last.options])
    if not found:
        raise Rejected
    return Signed(Ref(tuple((column, EXACT) for column in found)), ("time:between",))


@rule("Col", "Between", "Col|TIMES Between")
def of_time_between(catalog: Catalog, *parts: Any) -> Ref:
    """ "the days between order and delivery"."""
    named = {column for column, _ in parts[0].options} if isinstance(parts[0], Ref) else set()
    between: Ref = parts[-1]
    return kept(between, lambda column: not named or column in named)


@rule("Col", "KIND TABLE!")
def kind_of_table(catalog: Catalog, _: str, table: str) -> Ref:
    """ "per kind of visit": by the one column that is called so, or else whose codes the model knows."""
    texts = [column for column in catalog.table(table).columns if catalog.kind(column.ref) == TEXT]
    named = [column for column in texts if english().kinds & set(column.words)]
    coded = [column for column in texts if column.column.value_names]
    if len(found := named or coded) != 1:
        raise Rejected
    return Ref(((found[0].ref, TRIMMED),), table)


# ---------------------------------------------------------------- rows
@rule("Set", "TABLE", "SOME TABLE")
def rows(catalog: Catalog, *parts: str) -> Rows:
    return Rows(parts[-1])


@rule("Set", "NEW TABLE")
def new_rows(catalog: Catalog, _: str, table: str) -> Signed:
    """ "new customers per year": those of each year. Without a time nobody knows how new."""
    return Signed(Rows(table), ("set:new",))


@rule("Set", "DISTINCT TABLE")
def distinct_rows(catalog: Catalog, _: str, table: str) -> Rows:
    return Rows(table, distinct=True)


# ---------------------------------------------------------------- measures
@rule("Measure", "AGGREGATE OF? Col", "AGGREGATE COUNT OF? Col")
def aggregate(catalog: Catalog, op: str, *parts: Ref) -> Measure:
    if op in ("min", "max"):
        return Measure(op, typed(catalog, parts[-1], ORDERABLE))
    # The "average number of orders" is none of their order numbers.
    amounts = kept(parts[-1], lambda column: english().numbering.isdisjoint(catalog.column(column).words[1:][-1:]))
    return Measure(op, typed(catalog, amounts, MEASURABLE))


@rule("Measure", "HOW")
def how_long(catalog: Catalog, hints: str) -> Measure:
    """ "how long do sessions last": on average, of what happens and has no name."""
    if DURATION not in hints.split():
        raise Rejected
    return Measure("mean", kept(hinted(catalog, hints, MEASURABLE), lambda column: catalog.happens(column.table)))


@rule("Measure", "AGGREGATE SPENT", "HOW SPENT")
def spent(catalog: Catalog, first: str, hints: str) -> Signed:
    """ "the total paid", "how much did they spend"."""
    amount = money(catalog, hints)
    if " " in first and not word_forms().prices & set(first.split()):  # "how old"
        raise Rejected
    return Signed(Measure("sum" if " " in first else first, amount.meaning), amount.signs)


@rule("Measure", "Col AGGREGATE")
def aggregate_after(catalog: Catalog, ref: Ref, op: str) -> Measure:
    """ "the price on average"."""
    return aggregate(catalog, op, ref)


@rule("Measure", "AGGREGATE OF? Set")
def aggregate_of_rows(catalog: Catalog, op: str, of_word: str | None, of: Rows) -> Signed:
    """ "the total of invoices": of the one column of amounts that they have. "Total invoices" may be how many."""
    if op == "sum" and of_word is None:
        if any(catalog.column(c.ref).is_measure for c in catalog.table(of.table).columns):
            raise Rejected
        return Signed(Measure("count", of), ("count:total",))
    if of.where:
        raise Rejected  # its conditions stand beside the amount
    return Signed(Measure(op, amount_of(catalog, of.table)), ("measure:of_rows",))


@rule("Measure", "SUPERLATIVE Col", "ADJECTIVE Col")
def extreme(catalog: Catalog, direction: str, ref: Ref) -> Measure:
    if " " in direction:  # the "best price" may be the lowest
        meant = {column for column, _ in catalog.hinted(direction.split(" ", 1)[1], ORDERABLE)}
        ref = replace(ref, options=tuple((c, level) for c, level in ref.options if c in meant))
    return Measure(EXTREMES[direction.split(" ")[0]], typed(catalog, ref, ORDERABLE))


@rule("Measure", "COUNT OF? DISTINCT? Set")
def count_rows(catalog: Catalog, counted: str, __: str | None, distinct: str | None, of: Rows) -> Measure:
    """ "how many orders"; the "amount of orders" only where they have no amount."""
    if counted == "amount" and catalog.amounts(of.table):
        raise Rejected
    return Measure("count", of, bool(distinct))


@rule("Measure", "METRIC", "METRIC OF Set")
def metric(catalog: Catalog, found: Metric, *of: Any) -> Measure:
    """ "profit margin": a figure that the model defines."""
    return Measure("metric", found)


@rule("Measure", "AGGREGATE METRIC", "COUNT METRIC")
def total_metric(catalog: Catalog, op: str, found: Metric) -> Measure:
    """ "total revenue" and "how much revenue", where revenue is defined as a sum."""
    if op not in ("sum", "count", "amount") or not isinstance(found.formula.expression.unnest(), exp.Sum):
        raise Rejected
    return Measure("metric", found)


@rule("Measure", "COUNT OF? Col")
def sum_of_counts(catalog: Catalog, _: str, __: str | None, ref: Ref) -> Signed:
    """ "how many rooms" where a column holds the number of rooms."""
    return Signed(Measure("sum", kept(ref, lambda column: catalog.column(column).is_measure)), ("count:sum",))


@rule("Item", "COUNT OF? Col")
def stored_count(catalog: Catalog, _: str, __: str | None, ref: Ref) -> Signed:
    """ "the number of employees" of each row, which is a column."""
    return Signed(Items((typed(catalog, ref, MEASURABLE),)), ("count:column",))


@rule("Measure", "COUNT")
def count_of_it(catalog: Catalog, _: str) -> Measure:
    return Measure("count", None)


@rule("Measure", "COUNT OF? DISTINCT Col", "COUNT OF? Col")
def count_values(catalog: Catalog, _: str, __: str | None, *parts: Ref) -> Measure:
    """ "how many cities", but of a flag its rows are counted."""
    ref = parts[-1]
    if all(catalog.column(column).self_reference for column, _ in ref.options):
        raise Rejected  # "how many report to her" counts people
    return Measure("count", ref if len(parts) > 1 else kept(ref, lambda c: catalog.kind(c) != FLAG), len(parts) > 1)


@rule("Measure", "AGGREGATE COUNT OF? Set")
def aggregate_of_counts(catalog: Catalog, op: str, counted: str, of_word: str | None, of: Rows) -> Measure:
    count_rows(catalog, counted, of_word, None, of)
    return Measure("count", of) if op == "sum" else Measure("count", of, outer=op)


@rule("Measure", "SHARE OF? Set")
def share(catalog: Catalog, _: str, __: str | None, of: Rows) -> Measure:
    return Measure("share", of)


@rule("Measure", "SHARE OF? Col", "SHARE OF? AGGREGATE Col")
def share_of_amount(catalog: Catalog, _: str, __: str | None, *parts: Ref) -> Measure:
    """ "what share of turnover": the part of the sum that the conditions leave."""
    return Measure("share", additive(catalog, parts[-1]))


@rule("Measure", "VAL RATE!", "COL RATE!", "DONE RATE!", "UNDONE RATE!", "SHARE OF? COL", "SHARE OF? UNDONE")
def rate(catalog: Catalog, *parts: Any) -> Measure:
    """ "cancellation rate", "share of members": the percentage of rows with that value, flag or date."""
    said = first_of(parts, (Value, Ref))
    if isinstance(said, Ref):
        told = tuple((c, level) for c, level in said.options if catalog.kind(c) in (DATE, FLAG))
        said = replace(said, options=told)
    tables = [column.table for column, _ in said.options]
    table = next((table for table in tables if table in catalog.dealings), tables[0] if tables else None)
    if table is None:
        raise Rejected
    if isinstance(said, Value):
        of = catalog.listed_for(table)  # "no-show rate", where appointments have a status
        value = kept(said, lambda c: c.table == table and (of is not None or c not in catalog.labels(table)))
        return Measure("share", Rows(of or table, (Holds((value,), owner=table),)))
    ref = owned(catalog, said, table)
    is_flag = any(catalog.kind(column) == FLAG for column, _ in ref.options)
    met = Compare(typed(catalog, ref, (FLAG,)), "flag") if is_flag else Compare(ref, "empty", (), True)
    return Measure("share", Rows(table, (met,)))


@rule("Measure", "SHARE OF? COL VAL!")
def share_of_value(catalog: Catalog, _: str, __: str | None, ref: Ref, value: Value) -> Measure:
    """ "the share of grade A"."""
    columns = {column for column, _ in ref.options}
    held = kept(value, columns.__contains__)
    table = held.options[0][0].table
    return Measure("share", Rows(table, (Holds((held,), owner=table),)))


@rule("Item", "CHANGE_OF Measure|Set|Col CHANGE", "Measure|Set|Col CHANGE", "CHANGE OF|IN Measure|Set|Col")
@rule("Item", "RUNNING OF? Measure|Set|Col")
def change(catalog: Catalog, *parts: Any) -> Signed:
    """ "revenue growth per year", "by how much did sales grow from 2022 to 2023", "running total of donations": of what
    was given, where rows have one amount."""
    of = first_of(parts, (Measure, Rows, Ref))
    match of:
        case Rows() if parts[0] == "running" and catalog.amounts(of.table):
            of = Measure("sum", amount_of(catalog, of.table))
        case Rows():
            of = Measure("count", of)
        case Ref():
            of = Measure("sum", additive(catalog, of))
    if of.outer or of.op == "share":
        raise Rejected
    over = "change" if "change" in parts else "running"
    return Signed(Items((replace(of, over=over),)), ("measure:change",))


# ---------------------------------------------------------------- what is shown
@rule("Item", "Col", "Measure")
def item(catalog: Catalog, one: Ref | Measure) -> Items:
    return Items((one,))


@rule("Item", "DISTINCT Col")
def distinct_item(catalog: Catalog, _: str, one: Ref) -> Items:
    return Items((one,), True)


@rule("Item", "FULL_NAME", "Set POSSESSIVE? FULL_NAME", "FULL_NAME OF Set")
def names(catalog: Catalog, *parts: Rows | str | None) -> Items:
    """ "the names of customers": what shows them, be it a first and a last name."""
    of = next((part for part in parts if isinstance(part, Rows)), None)
    tables = [of.table] if of is not None else list(catalog.facts.tables)
    people = [
        table for table in tables if len(catalog.labels(table)) > 1 or (of is not None and catalog.is_titled(table))
    ]
    if len(people) != 1:
        raise Rejected
    return Items((Rows(people[0]),))


@rule("Item", "SOMEBODY")
def somebody(catalog: Catalog, table: str) -> Signed:
    """ "who": people of the model."""
    return Signed(Items((Rows(table),)), ("item:somebody",))


@rule("Item", "COLS", "COLS OF? Set", "TABLE POSSESSIVE? COLS")
def two_columns_of_a_kind(catalog: Catalog, *parts: Any) -> Items:
    """ "first and last name"."""
    refs = first_of(parts, tuple)
    table = next(
        (p.table if isinstance(p, Rows) else p for p in (parts[0], parts[-1]) if isinstance(p, Rows | str)), None
    )
    return Items(tuple(owned(catalog, ref, table) for ref in refs) if table is not None else refs)


@rule("Item", "WHEN")
def asked_when(catalog: Catalog, _: str) -> Signed:
    return Signed(Items((hinted(catalog, "date time", (DATE,)),)), ("item:when",))


@rule("Item", "WHERE")
def asked_where(catalog: Catalog, hints: str) -> Signed:
    return Signed(Items((hinted(catalog, hints, (TEXT,)),)), ("item:where",))


@rule("Figures", "AGGREGATE", "SUPERLATIVE")
def figure(catalog: Catalog, op: str) -> tuple[str, ...]:
    return (EXTREMES.get(op, op),)


@rule("Figures", "Figures COMMA Figures", "Figures AND Figures", "Figures COMMA AND Figures")
def figures(catalog: Catalog, some: tuple[str, ...], *rest: tuple[str, ...]) -> tuple[str, ...]:
    if rest[-1][0] in some or len(rest[-1]) > 1:
        raise Rejected
    return (*some, *rest[-1])


@rule("Item", "Figures OF? Col")
def several_figures(catalog: Catalog, ops: tuple[str, ...], _: str | None, ref: Ref) -> Items:
    if len(ops) < 2:
        raise Rejected
    return Items(tuple(aggregate(catalog, op, ref) for op in ops))


@rule("Item", "COUNT OF? Set AND Set", "COUNT OF? Set COMMA Set COMMA? AND Set")
def several_counts(catalog: Catalog, counted: str, of_word: str | None, *parts: Any) -> Items:
    """ "how many customers and orders"."""
    rows = (part for part in parts if isinstance(part, Rows))
    return Items(tuple(count_rows(catalog, counted, of_word, None, one) for one in rows))


@rule("Item", "AGGREGATE OF? Col AND Col")
def figure_of_two(catalog: Catalog, op: str, _: str | None, first: Ref, __: str, second: Ref) -> Items:
    return Items((aggregate(catalog, op, first), aggregate(catalog, op, second)))


@rule("Item", "Col")
def implicit_total(catalog: Catalog, ref: Ref) -> Signed:
    """ "sales by country" are their sum; a verb that only is in a column's name is no figure."""
    if min(level for _, level in ref.options) == WEAK:
        raise Rejected
    return Signed(Items((Measure("total", additive(catalog, ref)),)), ("measure:implicit",))


@rule("Item", "MONEY")
def earned(catalog: Catalog, hints: str) -> Signed:
    """ "revenue per month" is the sum of prices, where a row is of one."""

    def is_of_one(column: ColumnRef) -> bool:
        units = (catalog.unit_of(one.ref) in english().extensive for one in catalog.table(column.table).columns)
        return not (catalog.has_quantity(column.table) or any(units))

    ref = kept(money(catalog, hints).meaning, lambda column: not catalog.is_price(column) or is_of_one(column))
    return Signed(Items((Measure("total", ref),)), ("measure:implicit",))


@rule("Items", "Items COMMA Item", "Items AND Item", "Items COMMA AND Item")
def more_items(catalog: Catalog, some: Items, *rest: Items) -> Items:
    more = rest[-1]
    if Measure("count", None) in more.of and any(isinstance(one, Measure) and one.op == "count" for one in some.of):
        raise Rejected  # "how many members, and how many of them are suspended": not both of the same ones
    fresh = tuple(one for one in more.of if one not in some.of)
    return Items(some.of + fresh, some.distinct or more.distinct)


@rule("Items", "Items AND Set", "Items COMMA Set")
def items_and_rows(catalog: Catalog, some: Items, _: str, of: Rows) -> Items:
    if isinstance(some.of[-1], Measure) and isinstance(some.of[-1].of, Rows):
        raise Rejected  # "the number of guests and bookings"
    return Items((*some.of, of), some.distinct)


@rule("Items", "HOW BE? EACH Set SPENT", "EACH Set|Col SPENT")
def spent_by_each(catalog: Catalog, *parts: Any) -> Items:
    """ "how much did each customer spend", "what each method brought in"."""
    if " " in parts[0]:
        spent(catalog, parts[0], parts[-1])  # "how long did each repair take" is asked of no amount
    return Items((parts[-2], Measure("sum", hinted(catalog, parts[-1], MEASURABLE))))


@rule("Items", "Set ALONG Set")
def rows_with_their(catalog: Catalog, of: Rows, _: str, more: Rows) -> Items:
    """ "customers and their orders"."""
    return Items((of, more))


@rule("Items", "Set AND Item", "Set COMMA Item")
def rows_and_items(catalog: Catalog, of: Rows, _: str, more: Items) -> Items:
    return Items((of, *more.of), more.distinct)
