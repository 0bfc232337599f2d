"""Superlatives: "the oldest", "the most orders", "the highest average price", "top 3", "the most common country"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, Extreme
from askwell.sql.rules.facts import ColumnFacts
from askwell.sql.rules.grammar.aggregates import sold_after
from askwell.sql.rules.grammar.flows import is_flow
from askwell.sql.rules.grammar.terms import Term, term_at
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.stems import stem, stem_set
from askwell.sql.rules.timecolumns import says, verbs_of
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.hints import ADJECTIVES, SIZES
from askwell.sql.rules.words.phrases import Mark

_SUPERLATIVE = (Mark.EXTREME, Mark.COMMON, Mark.ADJECTIVE)
_MOST = frozenset({"most", "least", "fewest"})
_SIZE_WORDS = frozenset({"largest", "biggest", "smallest"})
_HAVING = frozenset({"with", "has", "have", "had", "having"})
_SHOWING = frozenset({"show", "list", "give", "display", "print", "return", "select", "get", "find"})
_SMALL = 20


def read_superlatives(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """The one superlative of the question, in each way it can be meant."""
    sentence = reader.sentence
    places = [
        i
        for i in range(len(sentence))
        if i not in draft.used and (sentence.kind(i) in _SUPERLATIVE or _is_ranking(reader, i))
    ]
    if len(places) == 1 and (_is_selling(reader, places[0]) or _is_ranked_by(reader, places[0])):
        yield _selling(reader, draft, places[0])
        return
    draft, count = _top(reader, draft, bool(places))
    if not places:
        yield _some_rows(reader, draft)
        return
    if len(places) > 1:
        raise DeadEnd("two_superlatives", *(sentence.span(i).text for i in places))
    i = places[0]
    if count is None:
        draft, count = _count_before(reader, draft, i)
    match sentence.kind(i):
        case Mark.COMMON:
            yield _common(reader, draft, i, count or 1)
        case Mark.ADJECTIVE:
            yield from _adjective(reader, draft, i, count or 1)
        case _:
            yield from _extreme(reader, draft, i, count)


_DEALT = frozenset({"sold", "sells", "sell", "bought", "buys", "buy", "purchased", "ordered"})
_SELLING = ("selling", "sold")


def _is_ranked_by(reader: Reader, i: int) -> bool:
    """ "the five biggest customers by revenue"."""
    sentence = reader.sentence
    if sentence.span(i).low not in _RANKING or sentence.table(i + 1) is None or sentence.span(i + 2).low != "by":
        return False
    return term_at(reader, i + 3) is not None


_RANKING = frozenset({"biggest", "largest", "best", "greatest", "most important", "smallest", "worst"})


def _is_selling(reader: Reader, i: int) -> bool:
    return reader.sentence.span(i).low.endswith(_SELLING)


def _selling(reader: Reader, draft: Draft, i: int) -> Draft:
    """ "the 5 best selling products by revenue": what follows "by" decides; without it nobody knows whether units or
    money is meant."""
    sentence = reader.sentence
    numbers = [k for k in sentence.where(Thing.NUMBER) if k not in draft.used and k < i + 2]
    tops = [k for k in sentence.where(Mark.TOP) if k not in draft.used and k < i]
    single = not sentence.span(i + 1).low.endswith("s")
    if (len(numbers) != 1 and not (single and not numbers)) or not all(
        sentence.span(k).detail.isdigit() for k in numbers
    ):
        raise DeadEnd("top_of_what", sentence.span(i).text)
    count = int(sentence.span(numbers[0]).detail) if numbers else 1
    return _top_by(reader, draft.take(*numbers, *tops, i), i, i, count)


def _is_ranking(reader: Reader, i: int) -> bool:
    """ "the room with the maximum occupancy" ranks rooms; "the maximum occupancy" alone is an aggregate."""
    sentence = reader.sentence
    if sentence.kind(i) is not Mark.AGGREGATE or sentence.span(i).detail not in ("max", "min"):
        return False
    before = i - 2 if sentence.span(i - 1).low == "the" else i - 1
    compared = sentence.kind(sentence.after(sentence.after(i), Mark.OF)) in (Mark.COMPARE, Mark.BETWEEN)
    return before > 0 and sentence.span(before).low in _HAVING and not compared


def _top(reader: Reader, draft: Draft, superlative: bool) -> tuple[Draft, int | None]:
    """ "top 5 …": the number of rows wanted, when a superlative or a sort says by what."""
    sentence = reader.sentence
    for i in sentence.where(Mark.TOP):
        if i in draft.used:
            continue
        at = sentence.after(i)
        if sentence.kind(at) is not Thing.NUMBER or not sentence.span(at).detail.isdigit():
            if sentence.span(i).low == "first":
                continue
            raise DeadEnd("top_of_what", sentence.span(i).text)
        count = int(sentence.span(at).detail)
        draft = draft.take(i, at)
        if superlative:
            return draft, count
        if draft.sort is not None:
            return draft.set(limit=count), None
        return _top_by(reader, draft, i, at, count), None
    return draft, None


def _some_rows(reader: Reader, draft: Draft) -> Draft:
    """ "show 10 tracks": any ten of them, with no other condition that the number could belong to."""
    sentence = reader.sentence
    for i in sentence.where(Thing.NUMBER):
        digits = sentence.span(i).detail
        heads = all(sentence.light(k) or sentence.span(k).low in _SHOWING for k in range(i))
        ends = sentence.kind(i + 2) in (Thing.STOP, Thing.END)
        if heads and ends and digits.isdigit() and sentence.table(i + 1) is not None and i not in draft.used:
            return draft.take(i).set(limit=int(digits)).assume(assumption("some_rows", digits))
    return draft


def _top_by(reader: Reader, draft: Draft, top: int, at: int, count: int) -> Draft:
    """ "top 5 customers by revenue": what follows "by" decides."""
    sentence = reader.sentence
    descending = sentence.span(top).detail == "desc"
    for i in range(at + 1, len(sentence)):
        said_by = sentence.span(i).low in ("by", "based on", "in terms of", "with the most")
        if not said_by or (term := term_at(reader, i + 1)) is None:
            continue
        draft = draft.take(i, *term.spans).assume(*term.assumptions).shaped("superlative")
        output = term.output
        if output.aggregate is None and output.column is not None:
            entity = next((t for j in range(at + 1, i) if (t := sentence.table(j)) is not None), None)
            if entity is not None and output.column.table != entity and reader.column(output.column).is_measure:
                draft = draft.assume(assumption("implicit_aggregate", "", reader.readable(output.column)))
                return draft.set(extreme=Extreme("aggregate", Output(output.column, "sum"), descending, count))
            if entity is None:
                column = next((j for j in range(at + 1, i) if sentence.is_column(j)), None)
                if column is not None and reader.column(output.column).is_measure:
                    draft = draft.assume(assumption("implicit_aggregate", "", reader.readable(output.column)))
                    return draft.set(extreme=Extreme("aggregate", Output(output.column, "sum"), descending, count))
            return draft.set(extreme=Extreme("column", output, descending, count))
        kind = "count" if output.aggregate in (None, "count") else "aggregate"
        if kind == "count":
            output = Output(aggregate="count", rows_of=output.rows_of, column=None)
        return draft.set(extreme=Extreme(kind, output, descending, count))
    raise DeadEnd("top_of_what", sentence.span(top).text)


def _count_before(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int | None]:
    """ "the 3 oldest", "the three customers with the most …"."""
    sentence = reader.sentence
    for k in range(1, i):
        span = sentence.span(k)
        if span.kind is not Thing.NUMBER or k in draft.used or not span.detail.isdigit() or int(span.detail) >= _SMALL:
            continue
        said = sentence.span(k - 1).low in ("the", "of", "top", "first") or sentence.kind(k - 1) is Mark.ASK
        if (said and sentence.kind(k + 1) is Thing.ENTITY) or sentence.before(i) == k:
            return draft.take(k), int(span.detail)
    following = sentence.span(i + 1)
    if following.kind is Thing.NUMBER and following.detail.isdigit() and sentence.table(i + 2) is not None:
        return draft.take(i + 1), int(following.detail)  # "the latest 5 orders"
    return draft, None


def _is_head(reader: Reader, draft: Draft, i: int) -> bool:
    """Whether nothing is asked for before the superlative, so that it is itself what is asked for."""
    sentence = reader.sentence
    return not any(
        (sentence.kind(j) is Thing.ENTITY and j not in draft.used)
        or sentence.span(j).low in ("which", "who", "whose", "with")
        for j in range(i)
    )


def _common(reader: Reader, draft: Draft, i: int, count: int) -> Draft:
    sentence = reader.sentence
    j = sentence.after(i, Mark.ASK, Mark.OF)
    draft = draft.take(i)
    if sentence.is_column(j):
        choice = _repeating(reader, j)
        draft = draft.take(j)
    elif sentence.table(j) is not None and not any(sentence.is_column(k) for k in range(i)):
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


def _adjective(reader: Reader, draft: Draft, i: int, count: int) -> Iterator[Draft]:
    sentence = reader.sentence
    direction, hints = ADJECTIVES[sentence.span(i).detail]
    descending = direction == "desc"
    j = sentence.after(i)
    draft = draft.take(i)
    if sentence.is_column(j) and not sentence.is_value(j):
        choice = reader.choose(sentence.span(j).columns, j)
        draft = draft.assume(*choice.assumptions)
        if _is_head(reader, draft, i) and not any(sentence.table(k) for k in range(i)):
            aggregate = Output(choice.ref, "max" if descending else "min")
            yield draft.take(j).set(shown_extremes=(aggregate,)).shaped("aggregate")
        yield draft.take(j).set(extreme=Extreme("column", Output(choice.ref), descending, count)).shaped("superlative")
        return
    table = sentence.table(j) or sentence.main
    adverb = sentence.span(i).low.endswith("ly") or sentence.kind(j) in (Thing.STOP, Thing.END)
    at = next((k for k in range(i, -1, -1) if sentence.table(k) is not None), None)
    if adverb and at is not None:  # it belongs to what stands before it
        table = sentence.table(at)
    if table is None and sentence.is_value(j):
        held = {ref.table for ref in sentence.span(j).values}
        table = next(iter(held)) if len(held) == 1 else None
    choice, turned = _hinted(reader, table, sentence.span(i).detail, hints)
    draft = draft.assume(*choice.assumptions)
    draft = draft.assume(assumption("adjective", sentence.span(i).text, reader.readable(choice.ref)))
    draft = draft.take(*verbs_of(reader, choice.ref))
    if adverb and at is not None:
        j = at
    ties = count == 1 and sentence.table(j) == choice.ref.table and sentence.span(j).low.endswith("s")
    extreme = Extreme("column", Output(choice.ref), descending != turned, count, ties)
    yield draft.set(extreme=extreme).shaped("superlative")


def _hinted(reader: Reader, table: str | None, adjective: str, hints: tuple[str, ...]) -> tuple[Choice, bool]:
    """The column an adjective is about; `True` when a birthday stands for an age, which turns the order round."""
    if table is None and "date" in hints:
        told = [c for c in reader.facts.columns.values() if c.is_date and says(reader, c)]
        table = told[0].ref.table if len(told) == 1 else None
    if table is None:
        raise DeadEnd("adjective_of_what", adjective)
    columns = reader.facts.tables[table].columns
    by_hint = ([c for c in columns if stem(hint) in c.words] for hint in hints)
    found = next((fitting for fitting in by_hint if fitting), [])
    turned = False
    if not found and hints == ("age",):
        times = {stem("date"), stem("year"), stem("day")}
        found = [c for c in columns if "birth" in c.words and times & set(c.words)]
        found = found or [c for c in columns if c.words == (stem("birthday"),) or stem("birthdate") in c.words]
        turned = True
    if not found and "date" in hints:
        dates = [c for c in columns if c.is_date]
        found = dates if len(dates) == 1 else []
    if not found:
        raise DeadEnd("adjective_of_what", adjective)
    if len(found) > 1:
        found = _narrowed(reader, found, stem_set(frozenset(hints)))
        if len(found) > 1:
            raise DeadEnd("ambiguous_column", adjective, *(reader.readable(column.ref) for column in found))
        return Choice(
            found[0].ref, (assumption("ambiguous_adjective", adjective, reader.readable(found[0].ref)),)
        ), turned
    return Choice(found[0].ref), turned


def _narrowed(reader: Reader, found: list[ColumnFacts], hints: frozenset[str]) -> list[ColumnFacts]:
    """Of several columns that fit, the one whose other words are said, else the one that has no other words."""
    dates = all(column.is_date for column in found)
    said = [c for c in found if (says(reader, c) if dates else (set(c.words) - hints) & reader.sentence.stems)]
    if len(said) == 1:
        return said
    own = {*hints, *reader.facts.tables[found[0].ref.table].words}
    plain = [c for c in found if any(set(name) <= own for name in c.names)]
    return plain if len(plain) == 1 else found


def _extreme(reader: Reader, draft: Draft, i: int, count: int | None) -> Iterator[Draft]:
    """ "the most", "the highest", "the smallest number of"."""
    sentence = reader.sentence
    span = sentence.span(i)
    if sentence.span(i + 1).low.endswith("ed") and sentence.table(i + 2) is not None and span.low in _MOST:
        raise DeadEnd("superlative_of_what", span.text, sentence.span(i + 1).text)  # "the most reviewed products"
    term = term_at(reader, sentence.after(i, Mark.DISTINCT))
    if term is None and span.low in _MOST and (sold := _sold_before(reader, i)) is not None:
        trade = reader.facts.trade
        if trade is not None and trade.quantity is not None:  # "which track was sold the most"
            told = assumption("sold_units", sentence.span(sold).text, reader.readable(trade.quantity))
            extreme = Extreme("aggregate", Output(trade.quantity, "sum"), span.detail == "desc", count or 1)
            yield draft.take(i, sold).assume(told).set(extreme=extreme).shaped("superlative", "aggregate")
            return
    flow = _flow_before(reader, i) if term is None and span.low in _MOST else None
    if flow is not None:  # "which customer spent the most"
        term = Term(Output(reader.choose(sentence.span(flow).columns, flow).ref), (flow,), flow)
    if term is None:
        raise DeadEnd("superlative_of_what", span.text)
    trade = reader.facts.trade
    verb = sentence.span(sentence.before(i)).low if i else ""
    dealt = any(sentence.span(k).low in _DEALT for k in range(max(0, i - 2), i))
    if trade is not None and term.is_table and term.output.rows_of in trade.goods and (dealt or verb in _DEALT):
        raise DeadEnd("superlative_of_what", span.text, sentence.span(term.last).text)  # units, or different ones?
    counting = "number" in span.low or "amount of" in span.low
    descending = span.detail in ("desc", "max")
    output = term.output
    units = trade is not None and output.column == trade.quantity and trade.line not in sentence.tables
    if output.aggregate is None and output.column is not None and (units or is_flow(reader, term.last)):
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
        if span.low not in _MOST and (grouped or _is_head(reader, draft, i)):
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
            choice, _ = _hinted(reader, output.rows_of, span.text, SIZES)
        adjective = assumption("adjective", span.text, reader.readable(choice.ref))
        extreme = Extreme("column", Output(choice.ref), descending, count or 1)
        yield draft.take(i).assume(*choice.assumptions, adjective).set(extreme=extreme).shaped("superlative")
        return
    if term.is_table and output.aggregate is None and not counting and span.low not in _MOST:
        raise DeadEnd("superlative_of_what", span.text, sentence.span(term.last).text)
    extreme, extra = _extreme_of(reader, term, descending, count or 1, counting, span.text)
    yield taken.set(extreme=extreme).assume(*extra).shaped("superlative", extreme.kind)


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
