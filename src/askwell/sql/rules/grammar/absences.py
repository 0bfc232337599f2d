"""Absence: "customers without orders", "products that were never ordered", "who do not have any pets"."""

from __future__ import annotations

import re
from collections.abc import Collection

from askwell.question.stems import stem, stem_set
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import AbsentRows, DeadEnd, Draft
from askwell.sql.rules.grammar.times import period_of
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.timecolumns import only_date
from askwell.sql.rules.words.phrases import Mark
from askwell.sql.rules.words.verbs import SOLD

_VERB = re.compile(r"(?:ed|en|ing)$")
_REACH = 5


def absence_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """A negation before a table that ends the question: no row of that table belongs to what is asked for."""
    sentence = reader.sentence
    verbs: list[int] = []
    j = i + 1
    while j < min(len(sentence), i + 1 + _REACH) and sentence.table(j) is None:
        span = sentence.span(j)
        if span.kind is Thing.STOP or span.low in ("anything", "something"):
            break
        light = sentence.light(j) or span.kind in (Mark.ASK, Mark.OF, Mark.DISTINCT)
        verb = span.kind in (Thing.UNKNOWN, Thing.ENTITY) and not span.values and bool(_VERB.search(span.low))
        said = span.loose_verb or span.low == "used" or stem(span.low) in stem_set(SOLD)
        verb = verb or (span.kind is Thing.FILLER and said)
        if not (light or verb):
            return None
        if verb:
            verbs.append(j)
        j += 1
    table = sentence.table(j)
    if table is None and verbs and _ends(reader, draft, j):
        return _never_done(reader, draft, i, verbs[-1])
    before = [t for k in range(i) if (t := sentence.table(k)) is not None]
    if table is None or not before or before[-1] == table:
        return None
    timed = _timed(reader, draft, table, j)
    told: tuple[int, ...] = ()
    conditions: tuple[Condition, ...] = ()
    if timed is not None:
        draft, conditions, told = timed
    if sentence.span(j + 1).low in _SAYING_MORE:
        raise DeadEnd("negation", sentence.span(i).text)  # "no tracks sold" is not "no tracks"
    rest = (k for k in range(j + 1, len(sentence)) if k not in (*draft.used, *told) and not sentence.light(k))
    if any(sentence.kind(k) not in (Thing.STOP, Thing.COMMA) for k in rest):
        return None
    draft = draft.assume(*(assumption("loose_verb", sentence.span(k).text) for k in verbs))
    absent = AbsentRows(missing=table, of=before[0], conditions=conditions)
    draft = draft.take(i, j, *verbs, *told).set(absent=(*draft.absent, absent)).shaped("absence")
    return draft, max((j, *told)) + 1


def _timed(
    reader: Reader, draft: Draft, table: str, j: int
) -> tuple[Draft, tuple[Condition, ...], tuple[int, ...]] | None:
    """ "no orders in 1998": the period right after the rows that must not be there, and their date."""
    sentence = reader.sentence
    at = j + 2 if sentence.kind(j + 1) is Mark.OF else j + 1
    period = period_of(sentence.span(at))
    if period is None or at in draft.used:
        return None
    dates = [column for column in reader.facts.tables[table].columns if column.is_date]
    choice = only_date(reader, dates)
    if choice is None:
        return None
    return (
        draft.assume(*choice.assumptions),
        (Condition(choice.ref, "during", period=period),),
        tuple(range(j + 1, at + 1)),
    )


_SAYING_MORE = frozenset(
    {"sold", "bought", "shipped", "delivered", "returned", "paid", "rented", "played", "used", "won", "lost", "closed"}
)
_ANYTHING = frozenset({"anything", "any", "ever", "yet", "at", "all", "something", "us", "from"})


def _ends(reader: Reader, draft: Draft, j: int) -> bool:
    sentence = reader.sentence
    rest = (k for k in range(j, len(sentence)) if k not in draft.used and not sentence.light(k))
    return all(sentence.kind(k) is Thing.STOP or sentence.span(k).low in _ANYTHING for k in rest)


def _never_done(reader: Reader, draft: Draft, i: int, verb: int) -> tuple[Draft, int] | None:
    """ "customers who never ordered", "products that were never reviewed": no row of the table that the verb names;
    what was never sold or bought is in no line of an order."""
    sentence = reader.sentence
    subjects = [t for k in range(i) if (t := sentence.table(k)) is not None]
    if len(set(subjects)) != 1:
        return None
    table = done(reader, subjects[0], sentence.span(verb).low)
    if table is None:
        return None
    rest = [k for k in range(verb + 1, len(sentence)) if sentence.span(k).low in _ANYTHING]
    told = assumption("never_done", sentence.span(verb).text, reader.facts.tables[table].readable)
    absent = AbsentRows(missing=table, of=subjects[0])
    draft = draft.take(i, *range(i + 1, verb + 1), *rest).assume(told)
    return draft.set(absent=(*draft.absent, absent)).shaped("absence"), len(sentence)


def done(reader: Reader, subject: str, verb: str) -> str | None:
    """The table that holds what the verb says, one row or several for each row of the subject."""
    children = [table for table in reader.beside((subject,)) if subject in reader.parents((table,))]
    children = list(dict.fromkeys(children))
    trade = reader.facts.trade
    named = [table for table in dict.fromkeys(children) if stem(verb) in reader.facts.tables[table].words]
    if len(named) > 1:  # orders, and not their lines
        named = [table for table in named if len(reader.facts.tables[table].words) == 1]
    if trade is not None and stem(verb) in stem_set(SOLD):
        kinds = {*trade.goods, *reader.parents(trade.goods)}
        if trade.line is not None and subject in kinds:
            return trade.line
        traded = [table for table in (trade.document, trade.line) if table in children]
        return traded[0] if traded else None
    if not named:
        later = [table for table in reader.beside(children) if set(children) & set(reader.parents((table,)))]
        said = stem_set(_DEALS) if stem(verb) in stem_set(SOLD) else frozenset({stem(verb)})
        named = [t for t in dict.fromkeys((*children, *later)) if _is_called(reader, t, said) and t != subject]
    if not named and verb == "used":
        return used_in(reader, subject)
    return named[0] if len(named) == 1 else None


def used_in(reader: Reader, subject: str | None) -> str | None:
    """The only table whose rows refer to the subject."""
    children = {t for t in reader.beside((subject,)) if subject in reader.parents((t,))} if subject else set()
    return children.pop() if len(children) == 1 else None


_DEALS = frozenset({"sale", "sales", "order", "purchase", "invoice", "transaction"})


def _is_called(reader: Reader, table: str, verbs: Collection[str]) -> bool:
    """ "rented" and a table of rentals: the noun is longer than the verb."""
    words = reader.facts.tables[table].words
    return any(word == verb or (len(verb) > 3 and word.startswith(verb)) for word in words for verb in verbs)
