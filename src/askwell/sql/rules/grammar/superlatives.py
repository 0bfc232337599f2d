"""Superlatives: "the oldest", "the most orders", "the highest average price", "top 3", "the most common country"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, Extreme
from askwell.sql.rules.grammar.absences import done, used_in
from askwell.sql.rules.grammar.adjectives import adjective, hinted, is_head
from askwell.sql.rules.grammar.aggregates import sold_after
from askwell.sql.rules.grammar.context import of_somebody, said_amount
from askwell.sql.rules.grammar.flows import is_flow
from askwell.sql.rules.grammar.rankings import count_before, is_ranked_by, is_selling, selling, some_rows, top_count
from askwell.sql.rules.grammar.terms import Term, term_at
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.hints import COMPARED_VERBS, SIZES
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import DEALING, HAVING

_SUPERLATIVE = (Mark.EXTREME, Mark.COMMON, Mark.ADJECTIVE)
_MOST = frozenset({"most", "least", "fewest"})
_SIZE_WORDS = frozenset({"largest", "biggest", "smallest"})


def read_superlatives(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """The one superlative of the question, in each way it can be meant."""
    sentence = reader.sentence
    places = [
        i
        for i in range(len(sentence))
        if i not in draft.used and (sentence.kind(i) in _SUPERLATIVE or _is_ranking(reader, i))
    ]
    if len(places) == 1 and (is_selling(reader, places[0]) or is_ranked_by(reader, places[0])):
        yield selling(reader, draft, places[0])
        return
    draft, count = top_count(reader, draft, bool(places))
    if not places:
        yield some_rows(reader, draft)
        return
    if len(places) > 1:
        raise DeadEnd("two_superlatives", *(sentence.span(i).text for i in places))
    i = places[0]
    if count is None:
        draft, count = count_before(reader, draft, i)
    match sentence.kind(i):
        case Mark.COMMON:
            yield _common(reader, draft, i, count or 1)
        case Mark.ADJECTIVE:
            yield from adjective(reader, draft, i, count or 1)
        case _:
            yield from _extreme(reader, draft, i, count)


_DEALT = frozenset({"sold", "sells", "sell", "bought", "buys", "buy", "purchased", "ordered"})


def _is_ranking(reader: Reader, i: int) -> bool:
    """ "the room with the maximum occupancy" ranks rooms; "the maximum occupancy" alone is an aggregate."""
    sentence = reader.sentence
    if sentence.kind(i) is not Mark.AGGREGATE or sentence.span(i).detail not in ("max", "min"):
        return False
    before = i - 2 if sentence.span(i - 1).low == "the" else i - 1
    compared = sentence.kind(sentence.after(sentence.after(i), Mark.OF)) in (Mark.COMPARE, Mark.BETWEEN)
    return before > 0 and sentence.span(before).low in HAVING and not compared


def _common(reader: Reader, draft: Draft, i: int, count: int) -> Draft:
    sentence = reader.sentence
    j = sentence.after(i, Mark.ASK, Mark.OF)
    draft = draft.take(i)
    if sentence.is_column(j):
        choice = _repeating(reader, j)
        draft = draft.take(j)
    elif sentence.table(j) is not None and not any(sentence.is_column(k) for k in range(i)):
        used = "used" in sentence.span(i).low.split()
        rows = used_in(reader, sentence.table(j)) if used and not sentence.is_column(j + 1) else None
        if rows is not None:  # "the most used tag": in most rows of the only table that refers to it
            extreme = Extreme(
                "count", Output(aggregate="count", rows_of=rows), sentence.span(i).detail == "desc", count
            )
            return draft.set(extreme=extreme).shaped("superlative", "count")
        if not sentence.is_column(j + 1):
            raise DeadEnd("most_common_entity", sentence.span(i).text, sentence.span(j).text)
        choice = reader.choose(sentence.span(j + 1).columns, j + 1)
        draft = draft.take(j + 1)
    else:
        before = [k for k in range(i) if sentence.is_column(k)]
        if not before:
            raise DeadEnd("most_common_what", sentence.span(i).text)
        choice = _repeating(reader, before[0])
    descending = sentence.span(i).detail == "desc"
    extreme = Extreme("common", Output(choice.ref), descending, count)
    return draft.assume(*choice.assumptions).set(extreme=extreme).shaped("superlative", "common")


def _repeating(reader: Reader, i: int) -> Choice:
    """The column named at `i` that can hold a value more than once, so that counting it says something."""
    columns = reader.sentence.span(i).columns
    return reader.choose({ref: e for ref, e in columns.items() if not reader.column(ref).is_key} or columns, i)


def _extreme(reader: Reader, draft: Draft, i: int, count: int | None) -> Iterator[Draft]:
    """ "the most", "the highest", "the smallest number of"."""
    sentence = reader.sentence
    span = sentence.span(i)
    if sentence.span(i + 1).low.endswith("ed") and sentence.table(i + 2) is not None and span.low in _MOST:
        rows = done(reader, sentence.table(i + 2) or "", sentence.span(i + 1).low)
        if rows is None or sentence.span(i + 1).low in DEALING:
            raise DeadEnd("superlative_of_what", span.text, sentence.span(i + 1).text)
        extreme = Extreme("count", Output(aggregate="count", rows_of=rows), span.detail == "desc", count or 1)
        told = assumption("never_done", sentence.span(i + 1).text, reader.facts.tables[rows].readable)
        yield draft.take(i, i + 1).assume(told).set(extreme=extreme).shaped("superlative", "count")
        return  # "the most rented films"
    term = term_at(reader, sentence.after(i, Mark.DISTINCT))
    if term is None and span.low in _MOST and (sold := _sold_before(reader, i)) is not None:
        trade = reader.facts.trade
        if trade is not None and trade.quantity is not None:  # "which track was sold the most"
            told = assumption("sold_units", sentence.span(sold).text, reader.readable(trade.quantity))
            extreme = Extreme("aggregate", Output(trade.quantity, "sum"), span.detail == "desc", count or 1)
            yield draft.take(i, sold).assume(told).set(extreme=extreme).shaped("superlative", "aggregate")
            return
    if term is None and span.low in _MOST and (verb_amount := _said_before(reader, i)) is not None:
        at, choice = verb_amount  # "who earns the most", "which product costs the least"
        extreme = Extreme("column", Output(choice.ref), span.detail == "desc", count or 1)
        yield draft.take(i, at).assume(*choice.assumptions).set(extreme=extreme).shaped("superlative", "column")
        return
    flow = _flow_before(reader, i) if term is None and span.low in _MOST else None
    if flow is not None:  # "which customer spent the most"
        term = Term(Output(reader.choose(sentence.span(flow).columns, flow).ref), (flow,), flow)
    if term is None:
        raise DeadEnd("superlative_of_what", span.text)
    trade = reader.facts.trade
    verb = sentence.span(sentence.before(i)).low if i else ""
    if (units := _units_sold(reader, i, term)) is not None:
        told = assumption("sold_units", sentence.span(term.last).text, reader.readable(units))
        extreme = Extreme("aggregate", Output(units, "sum"), span.detail == "desc", count or 1)
        verbs = (k for k in range(i) if sentence.span(k).low in _DEALT)
        yield draft.take(i, *term.spans, *verbs).assume(told).set(extreme=extreme).shaped("superlative", "aggregate")
        return
    dealt = any(sentence.span(k).low in _DEALT for k in range(max(0, i - 2), i))
    if trade is not None and term.is_table and term.output.rows_of in trade.goods and (dealt or verb in _DEALT):
        raise DeadEnd("superlative_of_what", span.text, sentence.span(term.last).text)  # units, or different ones?
    counting = "number" in span.low or "amount of" in span.low
    descending = span.detail in ("desc", "max")
    output = term.output
    is_units = trade is not None and output.column == trade.quantity and trade.line not in sentence.tables
    if output.aggregate is None and output.column is not None and (is_units or is_flow(reader, term.last)):
        draft = draft.assume(assumption("implicit_aggregate", "", reader.readable(output.column)))
        output = replace(output, aggregate="sum")
        term = replace(term, output=output)
        if (said := _flow_before(reader, i)) is not None:
            draft = draft.take(said)  # "spent the most money"
    taken = draft.take(i, *term.spans).assume(*term.assumptions)
    grouped = any(sentence.kind(k) is Mark.EACH for k in range(len(sentence)))
    if output.column is not None and output.aggregate is None and not counting and count is None:
        if sentence.table(term.last + 1) is not None and span.low not in _MOST:
            raise DeadEnd("superlative_of_what", span.text)  # "the best rated products" are products
        if span.low not in _MOST and (grouped or is_head(reader, draft, i)):
            shown = Output(output.column, "max" if descending else "min")
            yield taken.set(shown_extremes=(shown,)).shaped("aggregate")
            return
    if term.is_table and output.aggregate not in (None, "count"):
        raise DeadEnd("aggregate_of_rows", span.text, sentence.span(term.last).text)
    worth = trade is not None and output.rows_of == trade.document and trade.revenue[0].table == trade.document
    sized = span.low in _SIZE_WORDS or (worth and span.low in ("highest", "lowest"))
    if term.is_table and output.aggregate is None and sized:
        if trade is not None and worth:
            choice = Choice(trade.revenue[0])  # "the biggest invoice"
        else:
            choice, _ = hinted(reader, output.rows_of, span.text, SIZES)
        adjective = assumption("adjective", span.text, reader.readable(choice.ref))
        extreme = Extreme("column", Output(choice.ref), descending, count or 1)
        yield draft.take(i).assume(*choice.assumptions, adjective).set(extreme=extreme).shaped("superlative")
        return
    if term.is_table and output.aggregate is None and not counting and span.low not in _MOST:
        raise DeadEnd("superlative_of_what", span.text, sentence.span(term.last).text)
    extreme, extra = _extreme_of(reader, term, descending, count or 1, counting, span.text)
    extreme = replace(extreme, most=span.low in _MOST)
    yield taken.set(extreme=extreme).assume(*extra).shaped("superlative", extreme.kind)


def _said_before(reader: Reader, i: int) -> tuple[int, Choice] | None:
    """The verb before the superlative at `i` that says an amount of the rows."""
    sentence = reader.sentence
    at = sentence.before(i)
    at = next((k for k in range(i - 1, max(-1, i - 3), -1) if sentence.span(k).low in COMPARED_VERBS), at)
    if sentence.span(at).low not in COMPARED_VERBS or sentence.kind(sentence.after(i)) not in (Thing.STOP, Thing.END):
        return None
    if sentence.main is None:
        choice = of_somebody(reader, sentence.span(at).low) if sentence.span(at - 1).low == "who" else None
    else:
        choice = said_amount(reader, sentence.main, sentence.span(at).low)
    return (at, choice) if choice is not None else None


def _units_sold(reader: Reader, i: int, term: Term) -> ColumnRef | None:
    """ "which genre sold the most tracks": the goods in the one table of lines, and so how many of them."""
    trade = reader.facts.trade
    goods = trade.goods if trade is not None else ()
    kind = reader.sentence.main
    sold = any(reader.sentence.span(k).low in ("sold", "sells", "sell") for k in range(max(0, i - 3), i))
    if trade is None or not sold or not term.is_table or term.output.rows_of not in goods or kind is None:
        return None
    return trade.quantity if kind in reader.parents((term.output.rows_of,)) else None


def _sold_before(reader: Reader, i: int) -> int | None:
    """The verb of what was sold the most, where what is asked for can be sold."""
    sentence = reader.sentence
    table = sentence.main
    at = next((k for k in range(i) if sentence.table(k) is not None), None)
    sold = sold_after(reader, table, at + 1) if table is not None and at is not None else None
    return sold if sold is not None and sentence.before(i) < sold < i else None


def _flow_before(reader: Reader, i: int) -> int | None:
    """The amount that a verb right before says: "spent the most"."""
    k = reader.sentence.before(i)
    return k if is_flow(reader, k) else None


def _extreme_of(
    reader: Reader, term: Term, descending: bool, count: int, counting: bool, word: str
) -> tuple[Extreme, tuple[Assumption, ...]]:
    output, column = term.output, term.output.column
    if column is not None and output.aggregate not in (None, "count"):
        return Extreme("aggregate", output, descending, count), ()
    if column is not None and _is_amount(reader, column) and output.aggregate is None:
        return Extreme("column", Output(column), descending, count), ()
    if column is None or output.aggregate == "count" or counting:
        rows_of = output.rows_of if column is None else column.table
        extra = () if column is None else (assumption("counted_column", word, reader.readable(column)),)
        return Extreme("count", Output(aggregate="count", rows_of=rows_of), descending, count), extra
    raise DeadEnd("superlative_of_text", word, reader.sentence.span(term.last).text)


def _is_amount(reader: Reader, ref: ColumnRef) -> bool:
    column = reader.column(ref)
    return column.is_numeric and not column.is_key and not column.is_reference
