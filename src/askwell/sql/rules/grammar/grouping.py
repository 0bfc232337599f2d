"""Grouping: "for each country", "per customer", "by month", "monthly"."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.question.stems import stem, stems
from askwell.question.words import PERIODS
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft, Group, SortWish
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.query import Output
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.timecolumns import date_column, focus, no_date
from askwell.sql.rules.words.phrases import Mark


def read_grouping(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """All groupings of the question."""
    sentence = reader.sentence
    for i in range(len(sentence)):
        if i in draft.used:
            continue
        span = sentence.span(i)
        if span.kind is Mark.EACH and span.detail == "period":
            draft = _period(reader, draft, i, i)
        elif span.low == "by" and _sorts(reader, draft, i):
            draft = _sorted_by(reader, draft, i)
        elif _ranked_period(reader, draft, i):
            draft = _period(reader, draft, i, i)
        elif span.kind is Mark.EACH or (span.low == "by" and _groups(reader, draft, i)):
            draft = _each(reader, draft, i)
        elif span.low == "by" and i not in draft.used and sentence.table(sentence.after(i)) is not None:
            _refuse_doer(reader, draft, i)
    yield draft


def _ranked_period(reader: Reader, draft: Draft, i: int) -> bool:
    """ "which year had the highest revenue", "the month with the most orders": periods are ranked."""
    if draft.extreme is None or draft.extreme.kind not in ("aggregate", "count") or _period_word(reader, i) is None:
        return False
    heads = all(reader.sentence.light(k) or reader.sentence.kind(k) in (Mark.ASK, Mark.OF) for k in range(i))
    return heads and date_column(reader) is not None


def _refuse_doer(reader: Reader, draft: Draft, i: int) -> None:
    """ "orders cancelled by customers": a "by" before rows at the end groups them or says who did it."""
    sentence = reader.sentence
    j = sentence.after(i)
    alone = sentence.kind(j + 1) in (Thing.STOP, Thing.END) and j not in draft.used
    if alone and (sentence.is_value(i - 1) or sentence.is_column(i - 1)):
        raise DeadEnd("group_by_what", sentence.span(i).text)


def _groups(reader: Reader, draft: Draft, i: int) -> bool:
    """Whether a plain "by" groups: what follows is a thing to group by, and something is counted or summed."""
    sentence = reader.sentence
    j = sentence.after(i)
    if _period_word(reader, j) is not None:
        return True
    following = sentence.kind(j) is Thing.ENTITY and not sentence.is_value(j)
    if not (following or sentence.kind(j) is Mark.AGGREGATE):
        return False
    if sentence.span(i - 1).loose_verb or sentence.span(i - 1).low.endswith("ed"):
        return False  # "requested by" says who did it
    if sentence.is_value(sentence.after(j, Mark.EQUALS)):  # "by the institution 'X'" filters
        return False
    if any(sentence.kind(k) is Mark.AGGREGATE for k in range(i)) or draft.shown_extremes:
        return i >= len(sentence) - 6
    return _measure_before(reader, draft, i) or _rows_before(reader, i, j)


def _rows_before(reader: Reader, i: int, j: int) -> bool:
    """ "customers by country": rows of a thing by something that is not an amount, which would rather sort them."""
    sentence = reader.sentence
    rows = next((k for k in range(i - 1, -1, -1) if sentence.table(k) is not None), None)
    if rows is None or any(not _between(reader, k) for k in range(rows + 1, i)):
        return False
    if sentence.table(j) is not None:
        return sentence.table(j) != sentence.table(rows)
    return sentence.is_column(j) and not reader.column(reader.choose(sentence.span(j).columns, j).ref).is_measure


def _between(reader: Reader, k: int) -> bool:
    """What may stand between rows and "by": conditions, as in "orders in 1997 by country"."""
    sentence = reader.sentence
    kinds = (Mark.OF, Mark.AND, Mark.OR, Thing.PERIOD, Thing.NUMBER, Thing.QUOTED)
    return sentence.kind(k) in kinds or sentence.is_value(k) or sentence.span(k).low in ("from", "the")


def _sorts(reader: Reader, draft: Draft, i: int) -> bool:
    """ "products by price": rows of a thing by an amount of it, and nothing else."""
    sentence = reader.sentence
    j = sentence.after(i)
    if sentence.table(sentence.before(i)) is None or not sentence.is_column(j) or draft.sort or draft.extreme:
        return False
    if any(span.kind is Mark.AGGREGATE for span in sentence.spans) or sentence.is_value(j):
        return False
    ends = all(sentence.kind(k) is Thing.STOP or sentence.light(k) for k in range(j + 1, len(sentence)))
    column = reader.column(reader.choose(sentence.span(j).columns, j).ref)
    facts = reader.facts.tables[column.ref.table]
    names = column.ref == facts.label or column.ref in (facts.person or ())
    own = column.ref.table == sentence.table(sentence.before(i))
    return ends and (column.is_measure or (own and (names or column.is_date) and sentence.span(j).low not in PERIODS))


def _sorted_by(reader: Reader, draft: Draft, i: int) -> Draft:
    j = reader.sentence.after(i)
    choice = reader.choose(reader.sentence.span(j).columns, j)
    draft = draft.take(i, j).assume(*choice.assumptions, assumption("sorted_by", "", reader.readable(choice.ref)))
    return draft.set(sort=SortWish((Output(choice.ref),), descending=False)).shaped("sort")


def _measure_before(reader: Reader, draft: Draft, i: int) -> bool:
    """ "revenue by country": the word before is an amount."""
    sentence = reader.sentence
    first = next((j for j in range(i) if sentence.kind(j) is Thing.ENTITY and j not in draft.used), None)
    if first is None or not sentence.is_column(first):
        return False
    return reader.column(reader.choose(sentence.span(first).columns, first).ref).is_measure


def _period_word(reader: Reader, i: int) -> str | None:
    """The period that a word groups by, unless it names a column well."""
    span = reader.sentence.span(i)
    unit = PERIODS.get(span.low)
    if unit is None or span.kind not in (Thing.UNKNOWN, Thing.ENTITY, Thing.FILLER, Mark.EACH):
        return None
    about = focus(reader)
    named = any(e <= Evidence.PARTIAL and ref.table in about for ref, e in span.columns.items())
    return None if named else unit


def _period(reader: Reader, draft: Draft, at: int, word: int) -> Draft:
    unit = PERIODS[reader.sentence.span(word).low]
    choice = date_column(reader)
    if choice is None:
        raise no_date(reader, reader.sentence.span(word).text)
    draft = draft.take(at, word).assume(*choice.assumptions).shaped("breakdown", "bucket")
    return draft.set(groups=(*draft.groups, Group(output=Output(choice.ref, bucket=unit))))


def _each(reader: Reader, draft: Draft, i: int) -> Draft:
    sentence = reader.sentence
    j = sentence.after(i, Mark.DISTINCT, Mark.OF)
    if sentence.kind(j) in (Thing.STOP, Thing.END):
        return draft.take(i)  # "… and how many belong to each?": one row for each thing that is shown
    draft, last = _group_at(reader, draft, i, j)
    link = sentence.after(last)
    second = sentence.after(link, Mark.EACH)
    follows = not any(sentence.kind(k) in (Thing.ENTITY, Mark.AGGREGATE) for k in range(second + 1, len(sentence)))
    named = sentence.is_column(second) and not sentence.is_value(second)
    fits = named or _period_word(reader, second) is not None
    timed = _period_word(reader, second) is not None
    by_column = bool(draft.groups) and (timed or draft.groups[-1].output is not None)
    if sentence.kind(link) is Mark.AND and fits and follows and by_column and second not in draft.used:
        draft, _ = _group_at(reader, draft, link, second)
        draft = draft.assume(assumption("two_groups")).take(*range(link, second))
    return draft


def _group_at(reader: Reader, draft: Draft, i: int, j: int) -> tuple[Draft, int]:
    """The thing at `j` as a group; `i` is the word that says so. Returns the last span taken too."""
    sentence = reader.sentence
    span = sentence.span(j)
    if _period_word(reader, j) is not None:
        return _period(reader, draft, i, j), j
    if span.kind is not Thing.ENTITY or not (span.tables or span.columns):
        raise DeadEnd("group_by_what", sentence.span(i).text, span.text)
    # "by" and "per" break an amount down; "for each" leaves open what is shown, and is less sure
    draft = draft.take(i, j).shaped("breakdown" if sentence.span(i).low in ("by", "per") else "group")
    if sentence.table(j) is not None and sentence.table(j + 1) is not None:
        j += 1  # "product category": the last noun is what is meant
        draft = draft.take(j)
    table = sentence.table(j)
    if table is not None:
        k = j + 2 if sentence.span(j + 1).text == "'s" else j + 1
        own = any(ref.table == table for ref in sentence.span(k).columns)
        if not (sentence.is_column(k) and own and not sentence.is_value(k)):
            return draft.set(groups=(*draft.groups, Group(table=table))), j
        j = k
        draft = draft.take(j)
    choice = reader.choose(sentence.span(j).columns, j)
    group = Group(output=Output(choice.ref))
    parent = reader.referred(choice.ref) if stem("id") not in stems(sentence.span(j).text) else None
    if parent is not None:
        group = Group(table=parent)
    return draft.assume(*choice.assumptions).set(groups=(*draft.groups, group)), j
