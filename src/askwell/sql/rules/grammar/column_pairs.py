"""Two columns of a row compared: "orders shipped after the required date", "whose stock is below the reorder level"."""

from __future__ import annotations

from askwell.mdl.semantic_model import ColumnRef
from askwell.question.stems import stem, stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import Draft
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.words.phrases import Mark

_REORDER = stem("reorder")
_STOCK = stem_set(frozenset({"stock", "hand", "inventory"}))


def columns_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """The comparison at `i` between the column named before it and the one named after it. Both have to be dates, or
    both amounts, of one table, and each the only one that its words can mean."""
    sentence = reader.sentence
    right, left = sentence.after(i), sentence.before(i, Mark.EQUALS, Mark.NOT)
    if not _names_column(reader, draft, right):
        return None
    if not _names_column(reader, draft, left):
        return _stock_at(reader, draft, i, right)
    if sentence.kind(i - 1) is Mark.NOT or sentence.kind(left) is Mark.NOT:
        return None
    pairs = [
        (one, other)
        for one in _candidates(reader, left)
        for other in _candidates(reader, right)
        if one != other and one.table == other.table and _alike(reader, one, other)
    ]
    if len(pairs) != 1:
        return None
    one, other = pairs[0]
    draft = draft.take(left, i, right)
    for at, ref in ((left, one), (right, other)):
        evidence = sentence.span(at).columns[ref]
        if evidence > Evidence.TRIMMED:
            draft = draft.assume(assumption("partial_column", sentence.span(at).text, reader.readable(ref)))
    condition = Condition(one, sentence.span(i).detail, other=other)
    return draft.where(condition, i), right + 1


def _stock_at(reader: Reader, draft: Draft, i: int, right: int) -> tuple[Draft, int] | None:
    """ "products below their reorder level": only what is in stock is compared with that."""
    levels = [ref for ref in _candidates(reader, right) if _REORDER in reader.column(ref).words]
    if len(levels) != 1 or reader.sentence.table(reader.sentence.before(i)) != levels[0].table:
        return None
    columns = reader.facts.tables[levels[0].table].columns
    stocks = [c.ref for c in columns if c.is_measure and _STOCK & set(c.words) and _REORDER not in c.words]
    if len(stocks) != 1:
        return None
    condition = Condition(stocks[0], reader.sentence.span(i).detail, other=levels[0])
    draft = draft.take(i, right).assume(assumption("implicit_column", "", reader.readable(stocks[0])))
    return draft.where(condition, i), right + 1


def _names_column(reader: Reader, draft: Draft, at: int) -> bool:
    sentence = reader.sentence
    return sentence.is_column(at) and not sentence.is_value(at) and at not in draft.used


def _candidates(reader: Reader, at: int) -> list[ColumnRef]:
    """The columns of what the question mentions that the word may mean, those with all of its words first. Of "shipped"
    only a date is meant by a comparison in time."""
    span = reader.sentence.span(at)
    owned = [ref for ref in span.columns if ref.table in reader.sentence.tables]
    best = min((span.columns[ref] for ref in owned), default=Evidence.WEAK)
    if best <= Evidence.TRIMMED:
        return [ref for ref in owned if span.columns[ref] == best]
    return [ref for ref in owned if stem(span.low.split()[-1]) in reader.column(ref).words]


def _alike(reader: Reader, one: ColumnRef, other: ColumnRef) -> bool:
    left, right = reader.column(one), reader.column(other)
    return (left.is_date and right.is_date) or (left.is_measure and right.is_measure)
