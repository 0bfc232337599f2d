"""Terms: "[the average] price [of the orders]" inside a sort, a superlative or a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.question.stems import stem, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.grammar.aggregates import sold_after
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.translation import Assumption
from askwell.sql.rules.words.phrases import Mark


@dataclass(frozen=True, slots=True)
class Term:
    """`output` counts rows when it is only a table (`is_table`). `spans` are what it took, `last` the last of them."""

    output: Output
    spans: tuple[int, ...]
    last: int
    is_table: bool = False
    assumptions: tuple[Assumption, ...] = ()


_NUMERIC = frozenset({"avg", "sum", "max", "min"})


def term_at(reader: Reader, i: int) -> Term | None:
    """The term that starts at `i`, fillers skipped."""
    sentence = reader.sentence
    while sentence.light(i) or sentence.kind(i) in (Mark.OF, Mark.ASK, Mark.DISTINCT):
        i += 1
    first, aggregate = i, None
    if sentence.kind(i) is Mark.AGGREGATE:
        aggregate = sentence.span(i).detail
        i += 1
        while sentence.light(i) or sentence.kind(i) in (Mark.OF, Mark.DISTINCT):
            i += 1
    span = sentence.span(i)
    if span.kind is Thing.ENTITY:
        if (table := sentence.table(i)) is not None:
            return _table_term(reader, aggregate, table, first, i)
        if span.columns:
            choice = reader.choose(span.columns, i, numeric=aggregate in _NUMERIC)
            if aggregate == "count" and reader.column(choice.ref).is_measure:
                stored = assumption("stored_count", span.text, reader.readable(choice.ref))
                return Term(Output(choice.ref), (first, i), i, assumptions=(*choice.assumptions, stored))
            last = i + 1 if _is_name(reader, i + 1) else i
            return Term(Output(choice.ref, aggregate), (first, i, last), last, assumptions=choice.assumptions)
    if aggregate == "count":
        return Term(Output(aggregate="count"), (first,), first)
    return None


def _is_name(reader: Reader, i: int) -> bool:
    """ "the home team name": the name of what the column before holds."""
    return stems(reader.sentence.span(i).text) == (stem("name"),)


def _table_term(reader: Reader, aggregate: str | None, table: str, first: int, i: int) -> Term:
    """ "the customer's age" is the age; "the number of customers" counts customers."""
    sentence = reader.sentence
    j = i + 1
    while sentence.span(j).text == "'s":
        j += 1
    if aggregate != "count" and sentence.is_column(j) and not sentence.is_value(j):
        choice = reader.choose(sentence.span(j).columns, j)
        return Term(Output(choice.ref, aggregate), (first, i, j), j, assumptions=choice.assumptions)
    trade = reader.facts.trade
    sold = sold_after(reader, table, i + 1) if aggregate == "count" else None
    if sold is not None and trade is not None and trade.quantity is not None:
        told = assumption("sold_units", sentence.span(sold).text, reader.readable(trade.quantity))
        return Term(Output(trade.quantity, "sum"), (first, i, sold), sold, assumptions=(told,))
    return Term(Output(aggregate=aggregate, rows_of=table), (first, i), i, is_table=True)
