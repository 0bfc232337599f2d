"""How many rows a ranking shows, and by what: "top 5 customers by revenue", "the 3 oldest", "best selling"."""

from __future__ import annotations

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, Extreme
from askwell.sql.rules.grammar.aggregates import just_rows
from askwell.sql.rules.grammar.terms import Term, term_at
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader, too_large
from askwell.sql.rules.spans import Span, Thing
from askwell.sql.rules.words.phrases import Mark

_SHOWING = frozenset({"show", "list", "give", "display", "print", "return", "select", "get", "find"})


_SMALL = 20
# Nobody reads a thousand million rows, and every database takes such a limit.
_MOST_DIGITS = 9


_SELLING = ("selling", "sold")


def is_ranked_by(reader: Reader, i: int) -> bool:
    """ "the five biggest customers by revenue"."""
    sentence = reader.sentence
    if sentence.span(i).low not in _RANKING or sentence.table(i + 1) is None or sentence.span(i + 2).low != "by":
        return False
    return term_at(reader, i + 3) is not None


_RANKING = frozenset({"biggest", "largest", "best", "greatest", "most important", "smallest", "worst"})


def is_selling(reader: Reader, i: int) -> bool:
    return reader.sentence.span(i).low.endswith(_SELLING)


def selling(reader: Reader, draft: Draft, i: int) -> Draft:
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
    count = _rows(sentence.span(numbers[0])) if numbers else 1
    return _top_by(reader, draft.take(*numbers, *tops, i), i, i, count)


def _rows(span: Span) -> int:
    """How many rows a number without a point asks for."""
    if len(span.detail) > _MOST_DIGITS:
        raise too_large(span.detail)
    return int(span.detail)


def top_count(reader: Reader, draft: Draft, superlative: bool) -> tuple[Draft, int | None]:
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
        count = _rows(sentence.span(at))
        draft = draft.take(i, at)
        if superlative:
            return draft, count
        if draft.sort is not None:
            return draft.set(limit=count), None
        return _top_by(reader, draft, i, at, count), None
    return draft, None


def some_rows(reader: Reader, draft: Draft) -> Draft:
    """ "show 10 tracks": any ten of them, with no other condition that the number could belong to."""
    sentence = reader.sentence
    for i in sentence.where(Thing.NUMBER):
        digits = sentence.span(i).detail
        heads = all(sentence.light(k) or sentence.span(k).low in _SHOWING for k in range(i))
        ends = sentence.kind(i + 2) in (Thing.STOP, Thing.END)
        if heads and ends and digits.isdigit() and sentence.table(i + 1) is not None and i not in draft.used:
            return draft.take(i).set(limit=_rows(sentence.span(i))).assume(assumption("some_rows", digits))
    return draft


def _top_by(reader: Reader, draft: Draft, top: int, at: int, count: int) -> Draft:
    """ "top 5 customers by revenue": what follows "by" decides."""
    sentence = reader.sentence
    descending = sentence.span(top).detail == "desc"
    for i in range(at + 1, len(sentence)):
        said_by = sentence.span(i).low in ("by", "based on", "with the most")
        if not said_by or (term := term_at(reader, i + 1)) is None:
            continue
        draft = draft.take(i, *term.spans).assume(*term.assumptions).shaped("superlative")
        output = term.output
        if output.column is None and output.aggregate not in (None, "count"):  # "by total orders": of what of them?
            draft, output = _rows_counted(reader, draft, term)
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


def _rows_counted(reader: Reader, draft: Draft, term: Term) -> tuple[Draft, Output]:
    """ "by total orders" is by their number, where an order has no amount whose total could be meant as well."""
    rows, words = term.output.rows_of, [reader.sentence.span(k).text for k in term.spans]
    if rows is None or term.output.aggregate != "sum" or not just_rows(reader, rows):
        raise DeadEnd("aggregate_of_what", *words)
    told = assumption("counted_rows", words[-1], reader.facts.tables[rows].readable)
    return draft.assume(told), Output(aggregate="count", rows_of=rows)


def count_before(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int | None]:
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
        return draft.take(i + 1), _rows(following)  # "the latest 5 orders"
    return draft, None
