"""Aggregates in the select list: "how many", "the average price", "minimum and maximum age"."""

from __future__ import annotations

from dataclasses import dataclass, field

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stem_set, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.corrections import rows_of_kind
from askwell.sql.rules.draft import DeadEnd
from askwell.sql.rules.grammar.flows import is_flow
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.forms import ADDITIVE_WORDS
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import RELATIONS, SOLD


@dataclass(slots=True)
class Aggregated:
    """What an aggregate phrase gives; `next` is the span to go on from, `distinct` what is left of "different"."""

    next: int
    used: set[int]
    shape: str = "aggregate"
    distinct: bool = False
    outputs: list[Output] = field(default_factory=list)
    assumptions: list[Assumption] = field(default_factory=list)


def aggregate_at(reader: Reader, i: int, used: set[int], *, distinct: bool) -> Aggregated:
    """The aggregate phrase that starts at `i`; `used` are spans that other clauses have taken."""
    sentence = reader.sentence
    names, marks, j = [sentence.span(i).detail], [i], i + 1
    distinct = distinct or "different" in sentence.span(i).low or "distinct" in sentence.span(i).low
    taken = {i}
    while sentence.light(j) or sentence.kind(j) in (Mark.OF, Mark.DISTINCT, Mark.AND, Thing.COMMA, Mark.AGGREGATE):
        if sentence.kind(j) is Mark.AGGREGATE:
            names.append(sentence.span(j).detail)
            marks.append(j)
            taken.add(j)
        elif sentence.kind(j) is Mark.DISTINCT:
            distinct = True
            taken.add(j)
        j += 1
    found = Aggregated(next=j + 1, used=taken, distinct=distinct)
    counted = "avg" in names and "count" in names and sentence.table(j) is not None and j not in used
    names = _without_doubles(reader, names, marks)
    if names == ["share"] or (names == ["avg"] and counted):
        _of_rows(reader, found, "share" if names == ["share"] else "per", j, used)
    elif names == ["count"]:
        total = any("total" in sentence.span(k).low for k in marks)
        _count(reader, found, j, used, total=total)
    else:
        _of_column(reader, found, names, j, used)
    return found


def _without_doubles(reader: Reader, names: list[str], marks: list[int]) -> list[str]:
    """ "the total number of" counts; in "the average number of", number is part of a column's name."""
    names = list(dict.fromkeys(names))
    if "count" in names and "sum" in names:
        names = [name for name in names if name != "sum"]
    if "count" in names and len(names) > 1:
        counting = max(k for k in marks if reader.sentence.span(k).detail == "count")
        if reader.sentence.kind(reader.sentence.before(counting)) is Mark.AGGREGATE:
            names = [name for name in names if name != "count"]
    return names


def _of_rows(reader: Reader, found: Aggregated, name: str, j: int, used: set[int]) -> None:
    """ "the percentage of orders", "the average number of tracks": a figure about rows of a table."""
    if reader.sentence.is_value(j) and j in used:
        j += 1  # "the percentage of female students"
    table = reader.sentence.table(j)
    if table is None or j in used:
        raise DeadEnd("aggregate_of_what", *(reader.sentence.span(k).text for k in sorted(found.used)))
    found.used.add(j)
    found.shape = name
    found.distinct = False
    found.outputs.append(Output(aggregate=name, rows_of=table))


def _count(reader: Reader, found: Aggregated, j: int, used: set[int], *, total: bool) -> None:
    sentence = reader.sentence
    span, table = sentence.span(j), sentence.table(j)
    found.shape = "count"
    if table is not None and j not in used:
        _count_table(reader, found, table, j, used)
    elif span.kind is Thing.ENTITY and span.columns and j not in used:
        _count_column(reader, found, j, total=total)
    elif span.kind is Thing.ENTITY and span.values and j in used and sentence.main is not None:
        found.outputs.append(Output(aggregate="count", rows_of=sentence.main))
    elif sentence.main is None and span.values and len({ref.table for ref in span.values}) == 1:
        rows = _rows_called(reader, j)  # "how many vans do we have"
        found.outputs.append(Output(aggregate="count", rows_of=rows))
        found.assumptions.append(assumption("counted_main", "", reader.facts.tables[rows].readable))
    elif sentence.main is not None:
        main = sentence.main
        found.outputs.append(Output(aggregate="count", rows_of=main))
        found.assumptions.append(assumption("counted_main", "", reader.facts.tables[main].readable))
        found.next = max(j, found.next - 1)
    else:
        raise DeadEnd("count_of_what", sentence.span(found.next - 2).text)
    found.distinct = False


def _rows_called(reader: Reader, j: int) -> str:
    """Rows that are called by a value: vehicles are vans, but a job called "clerk" is one row, and those who have
    it are many."""
    span = reader.sentence.span(j)
    ref = next(iter(span.values))
    if ref not in reader.naming(ref.table):
        return ref.table
    rows = rows_of_kind(ref, reader.facts)
    if rows is None:
        raise DeadEnd("count_of_what", span.text)
    return rows


def _count_table(reader: Reader, found: Aggregated, table: str, j: int, used: set[int]) -> None:
    sentence = reader.sentence
    found.used.add(j)
    if (head := sentence.table(j + 1)) is not None and not sentence.span(j + 1).low.endswith("ed"):
        table, j = head, j + 1  # "movie ratings": the last noun is what is counted
        found.used.add(j)
    nxt = j + 1
    trade = reader.facts.trade
    quantity = trade.quantity if trade is not None else None
    sold = sold_after(reader, table, nxt) if not found.distinct else None
    if sold is not None and quantity is not None:
        found.outputs.append(Output(quantity, "sum"))
        found.assumptions.append(assumption("sold_units", sentence.span(sold).text, reader.readable(quantity)))
        found.used.add(sold)
        return
    verb = sentence.span(nxt).low in RELATIONS and sentence.span(nxt).best_column >= Evidence.WEAK
    if sentence.is_column(nxt) and not sentence.span(nxt).values and nxt not in used and not verb:
        choice = reader.choose(sentence.span(nxt).columns, nxt)
        found.outputs.append(Output(choice.ref, "count", distinct=True))
        found.assumptions += choice.assumptions
        found.used.add(nxt)
        return
    link = sentence.after(j)
    if sentence.kind(link) is Mark.AND and sentence.table(sentence.after(link)) not in (None, table):
        raise DeadEnd("two_counts")  # "the number of customers and orders"
    key = reader.key(table)
    if found.distinct and key is not None and len(sentence.tables) > 1:
        found.outputs.append(Output(key, "count", distinct=True))
    else:
        found.outputs.append(Output(aggregate="count", rows_of=table))


_BETWEEN_SOLD = frozenset(
    {"were", "was", "have", "has", "been", "that", "which", "we", "did", "are", "had", "ever", "got"}
)


def sold_after(reader: Reader, table: str, i: int) -> int | None:
    """Where it says that rows of goods were sold: "the number of tracks sold", "how many tracks were sold"."""
    sentence = reader.sentence
    while sentence.span(i).low in _BETWEEN_SOLD:
        i += 1
    trade = reader.facts.trade
    if sentence.span(i).low not in SOLD or trade is None or trade.quantity is None or table not in trade.goods:
        return None
    return i


def _count_column(reader: Reader, found: Aggregated, j: int, *, total: bool) -> None:
    """ "how many countries" counts different values, but "the total number of employees" may be a column itself."""
    sentence = reader.sentence
    choice = reader.choose(sentence.span(j).columns, j)
    column = reader.column(choice.ref)
    found.used.add(j)
    found.assumptions += choice.assumptions
    trade = reader.facts.trade
    if column.is_measure and not found.distinct:
        if total or (trade is not None and choice.ref == trade.quantity):
            found.outputs.append(Output(choice.ref, "sum"))
            found.assumptions.append(assumption("total_of_numbers", "", reader.readable(choice.ref)))
        elif {stem("number"), stem("count")} & set(column.words):
            found.outputs.append(Output(choice.ref))
            found.assumptions.append(assumption("stored_count", sentence.span(j).text, reader.readable(choice.ref)))
        else:
            raise DeadEnd("count_of_numbers", sentence.span(j).text)
        return
    if column.is_measure and sentence.span(j).columns[choice.ref] >= Evidence.PARTIAL:
        raise DeadEnd("count_of_numbers", sentence.span(j).text)  # "different bikes" are no different numbers of them
    if column.plain_numbers and not (found.distinct or column.is_key or column.is_reference):
        raise DeadEnd("count_of_numbers", sentence.span(j).text)
    found.outputs.append(Output(choice.ref, "count", distinct=True))
    if not found.distinct:
        found.assumptions.append(assumption("distinct_count", "", reader.readable(choice.ref)))


def _of_column(reader: Reader, found: Aggregated, names: list[str], j: int, used: set[int]) -> None:
    sentence = reader.sentence
    if sentence.table(j) is not None:
        k = j + 1
        while sentence.span(k).text == "'s":
            k += 1
        if sentence.is_column(k):
            j = k
    span = sentence.span(j)
    if (
        names == ["sum"]
        and (sold := _sold_for(reader, max(found.used), used)) is not None
        and reader.facts.trade is not None
    ):
        revenue = reader.facts.trade.revenue[0]
        found.used.add(sold)
        found.outputs.append(Output(revenue, "sum"))
        found.assumptions.append(assumption("implicit_amount", sentence.span(sold).text, reader.readable(revenue)))
        found.next = sold + 1
        return
    if names == ["sum"] and (not span.columns or j in used) and (later := _flow_after(reader, j, used)) is not None:
        j, span = later, sentence.span(later)
    paid = names == ["sum"] and bool(_PAYMENTS & set(stems(span.text)))
    worth = _worth(reader, sentence.table(j)) if (names == ["avg"] or paid) and j not in used else None
    if worth is not None and not sentence.is_column(j):
        found.used.add(j)
        found.outputs.append(Output(worth, names[0]))
        found.assumptions.append(assumption("implicit_amount", span.text, reader.readable(worth)))
        found.next = j + 1
        return
    rows = sentence.table(j)
    if (
        names == ["sum"]
        and rows is not None
        and j not in used
        and not sentence.is_column(j)
        and just_rows(reader, rows)
    ):
        found.used.add(j)  # "total customers by country" are so many customers
        found.shape = "count"
        found.outputs.append(Output(aggregate="count", rows_of=rows))
        found.assumptions.append(assumption("counted_rows", span.text, reader.facts.tables[rows].readable))
        found.next = j + 1
        return
    if not (span.kind is Thing.ENTITY and span.columns) or j in used:
        raise DeadEnd("aggregate_of_what", *(sentence.span(k).text for k in sorted(found.used)), span.text)
    amounts = {ref: e for ref, e in span.columns.items() if reader.column(ref).is_measure}
    adds = bool({"avg", "sum"} & set(names)) and bool(amounts)
    choice = reader.choose(amounts if adds else span.columns, j, numeric=True)
    column = reader.column(choice.ref)
    if "avg" in names and is_flow(reader, j):  # "average revenue per customer": of what is it the average?
        raise DeadEnd("aggregate_of_what", *(sentence.span(k).text for k in sorted(found.used)), span.text)
    if {"avg", "sum"} & set(names) and not (column.is_numeric or column.is_key or column.is_reference):
        raise DeadEnd("aggregate_of_what", *(sentence.span(k).text for k in sorted(found.used)), span.text)
    found.used.add(j)
    found.assumptions += choice.assumptions
    found.outputs += [_aggregate(reader, choice.ref, name) for name in dict.fromkeys(names)]
    found.next = j + 1
    if len(names) == 1:
        _shared(reader, found, names[0], used)


def just_rows(reader: Reader, table: str) -> bool:
    """Whether rows of a table hold no amount that could be meant by their total."""
    trade = reader.facts.trade
    if trade is not None and table in (trade.document, trade.line):
        return False
    additive = stem_set(ADDITIVE_WORDS) | _MONEY
    columns = (column for column in reader.facts.tables[table].columns if column.is_measure)
    return not any(additive & set(column.words) for column in columns)


# Of these a total is in money; of orders it is how many there are.
_PAYMENTS = stem_set(frozenset({"payment", "expense", "donation", "deposit", "refund", "fee", "fine", "cost", "sale"}))
_MONEY = stem_set(frozenset({"amount", "total", "price", "cost", "value"}))


def _worth(reader: Reader, table: str | None) -> ColumnRef | None:
    """The one amount of money that rows of a table stand for: "the average invoice"."""
    if table is None:
        return None
    found = [c.ref for c in reader.facts.tables[table].columns if c.is_measure and _MONEY & set(c.words)]
    others = [c for c in reader.facts.tables[table].columns if c.is_measure and c.ref not in found]
    return found[0] if len(found) == 1 and not others else None


def _sold_for(reader: Reader, i: int, used: set[int]) -> int | None:
    """ "how much did we sell", "how much have we sold in Germany": in money. `i` is where the aggregate ends."""
    sentence = reader.sentence
    if reader.facts.trade is None:
        return None
    k = i + 1
    while sentence.light(k) and sentence.span(k).low not in ("sell", "sold"):
        k += 1
    fits = sentence.span(k).low in ("sell", "sold") and k not in used and sentence.table(k + 1) is None
    return k if fits and sentence.span(k - 1).low in ("we", "was", "been", "have") else None


def _flow_after(reader: Reader, j: int, used: set[int]) -> int | None:
    """ "how much did each customer spend": the verb that ends the clause says what is added up."""
    sentence = reader.sentence
    trade = reader.facts.trade
    for k in range(j, len(sentence)):
        span = sentence.span(k)
        if trade is not None and k not in used and any(ref in trade.revenue for ref in span.columns):
            return k
    return None


def _aggregate(reader: Reader, ref: ColumnRef, name: str) -> Output:
    """ "the maximum and total number of followers" is a sum where followers are a number already."""
    if name != "count":
        return Output(ref, name)
    return Output(ref, "sum") if reader.column(ref).is_measure else Output(aggregate="count")


def _shared(reader: Reader, found: Aggregated, name: str, used: set[int]) -> None:
    """ "average age and weight": the second column shares the aggregate."""
    sentence = reader.sentence
    while sentence.kind(found.next) in (Mark.AND, Thing.COMMA):
        k = sentence.after(found.next, Mark.AND, Thing.COMMA)
        if not sentence.is_column(k) or k in used:
            return
        choice = reader.choose(sentence.span(k).columns, k)
        if not reader.column(choice.ref).is_numeric:
            return
        found.outputs.append(Output(choice.ref, name))
        found.used.add(k)
        found.assumptions += [*choice.assumptions, assumption("shared_aggregate", "", reader.readable(choice.ref))]
        found.next = k + 1
