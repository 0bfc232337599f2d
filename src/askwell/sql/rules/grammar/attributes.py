"""Words that say what rows are like without naming a value: "discontinued products", "shipped orders", "products out of
stock", "customers with a phone", "customers without a company"."""

from __future__ import annotations

from askwell.question.stems import stem, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.grammar.context import place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark

_GETTING = frozenset({"have", "has", "get", "gets", "receive", "receives"})
_LISTING = frozenset({"list", "show", "give", "display", "print"})
_ARTICLES = frozenset({"a", "an", "any", "some"})
_LACKING = frozenset(
    {"without", "without a", "without an", "without any", "have no", "has no", "with no", "that have no", "lacking"}
    | {"do not have", "does not have", "do not have a", "does not have a", "do not have an", "does not have an"}
    | {"do not have any", "does not have any"}
)


def attribute_before_rows(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "shipped orders", "orders not shipped": the one date of the rows that the verb names is there, or is not. Any
    other column right before its table is a condition that nobody can guess."""
    sentence = reader.sentence
    span = sentence.span(i)
    table = sentence.table(i + 1)
    ends = sentence.kind(sentence.after(i)) in (Thing.STOP, Thing.END)
    if table is None and sentence.kind(i - 1) is Mark.NOT and ends:
        table = sentence.main
    if table is None or not span.low.endswith("ed") or span.values:
        return None
    verb = stem(span.low)
    dates = [c for c in reader.facts.tables[table].columns if c.is_date and verb in c.words]
    if len(dates) != 1:
        if any(ref.table == table for ref in span.columns):
            raise DeadEnd("unplaced_words", span.text)
        return None
    happened = assumption("happened", span.text, reader.readable(dates[0].ref))
    draft = draft.take(i).assume(happened).shaped("null")
    return place(reader, draft, Condition(dates[0].ref, "filled"), i), i + 1


def filled_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "customers with a phone", at the end of the question: there is one; of an amount, more than nothing."""
    sentence = reader.sentence
    has = sentence.span(i).low in _GETTING and sentence.span(i + 1).low in ("a", "an")
    before = sentence.before(i, Mark.AND) if has else sentence.before(i)
    rows = sentence.table(before) is not None or (has and sentence.kind(i - 1) is Mark.AND)
    if not (has or sentence.span(i).low == "with") or not rows:
        return None
    j = i + 1
    while sentence.span(j).low in _ARTICLES:
        j += 1
    if j == i + 1 and sentence.span(0).low in _LISTING:
        return None  # "list all guests with phone": it is to be shown
    return _filled(reader, draft, i, j)


def stocked_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "in stock": there is some."""
    sentence = reader.sentence
    span = sentence.span(i + 1)
    if sentence.span(i).low != "in" or not sentence.is_column(i + 1) or stems(span.text) != (stem("stock"),):
        return None
    return _filled(reader, draft, i, i + 1)


def used_up_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "out of stock": there is none."""
    sentence = reader.sentence
    if sentence.span(i).low != "out" or sentence.span(i + 1).low != "of":
        return None
    j = i + 2
    if not sentence.is_column(j):
        raise DeadEnd("unplaced_words", sentence.span(i).text)
    choice = reader.choose(sentence.span(j).columns, j, back=True)
    if not reader.column(choice.ref).is_measure or not _ends(reader, j):
        raise DeadEnd("unplaced_words", sentence.span(i).text)
    draft = draft.take(i, i + 1, j).assume(*choice.assumptions)
    draft = draft.assume(assumption("none_left", "", reader.readable(choice.ref)))
    return place(reader, draft, Condition(choice.ref, "=", (0,)), i), j + 1


def lacking_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "customers without a company", at the end of the question."""
    sentence = reader.sentence
    j = i + 1
    while sentence.span(j).low in _ARTICLES:
        j += 1
    if (
        sentence.span(i).low not in _LACKING
        or not sentence.is_column(j)
        or sentence.is_value(j)
        or not _ends(reader, j)
    ):
        return None
    choice = reader.choose(sentence.span(j).columns, j, back=True)
    if choice.ref.table != sentence.main:
        return None
    draft = draft.take(i, j).assume(*choice.assumptions).shaped("null")
    draft = draft.assume(assumption("blank", sentence.span(j).text, reader.readable(choice.ref)))
    return draft.where(Condition(choice.ref, "blank"), i), j + 1


def _filled(reader: Reader, draft: Draft, i: int, j: int) -> tuple[Draft, int] | None:
    sentence = reader.sentence
    if not sentence.is_column(j) or sentence.is_value(j) or j in draft.used or not _ends(reader, j):
        return None
    choice = reader.choose(sentence.span(j).columns, j, back=True)
    column = reader.column(choice.ref)
    draft = draft.take(i, j).assume(*choice.assumptions).shaped("null")
    draft = draft.assume(assumption("filled", sentence.span(j).text, reader.readable(choice.ref)))
    if column.is_measure:
        return place(reader, draft, Condition(choice.ref, ">", (0,)), i), j + 1
    if column.is_flag:
        raise DeadEnd("unplaced_words", sentence.span(j).text)
    return place(reader, draft, Condition(choice.ref, "filled"), i), j + 1


def _ends(reader: Reader, j: int) -> bool:
    after = reader.sentence.after(j)
    following = reader.sentence.kind(j + 1)
    return reader.sentence.kind(after) in (Thing.STOP, Thing.END) or following in (Mark.EACH, Mark.SORT)
