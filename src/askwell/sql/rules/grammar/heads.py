"""Where the select list ends and what describes it begins: "the names of customers | who live in Paris"."""

from __future__ import annotations

from askwell.sql.rules.draft import Draft
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.fillers import LIST_WORDS
from askwell.sql.rules.words.phrases import Mark

_RELATIVE = frozenset({"who", "whose", "where", "that", "which", "with", "having", "whom", "have", "has", "had"})
_ENDING = (Mark.NOT, Mark.COMPARE, Mark.WHEN, Mark.AGE, Mark.PATTERN, Mark.BETWEEN)


def head_end(reader: Reader, draft: Draft, start: int) -> int:
    """Where the select list ends and what describes it begins."""
    sentence = reader.sentence
    seen = False
    for j in range(start, len(sentence)):
        span = sentence.span(j)
        seen = seen or span.kind is Thing.ENTITY
        if not seen or j == start:
            continue
        described = (span.low in _RELATIVE and not _lists_on(reader, j)) or span.kind in _ENDING
        other_word = span.kind in (Thing.FILLER, Mark.SORT) and span.low not in LIST_WORDS
        value = span.kind is Thing.ENTITY and span.values and j in draft.used and not (span.tables or span.columns)
        value = value and not (sentence.table(j + 1) is not None and not any(map(sentence.table, range(start, j))))
        if described or other_word or value:
            return j
    return len(sentence)


def _lists_on(reader: Reader, i: int) -> bool:
    """ "the city with the number of stores": the list goes on, unless the number is compared."""
    sentence = reader.sentence
    aggregate = sentence.after(i)
    if with_their(reader, i):
        return True
    if sentence.span(i).low != "with" or sentence.kind(aggregate) is not Mark.AGGREGATE:
        return False
    near = range(aggregate + 1, min(len(sentence), aggregate + 6))
    return not any(sentence.kind(k) in (*_ENDING, Mark.OR_MORE, Mark.AVERAGE, Thing.NUMBER) for k in near)


def with_their(reader: Reader, i: int) -> bool:
    """ "customers with their email addresses": the list goes on, and the customers are part of it."""
    sentence = reader.sentence
    if sentence.span(i + 1).low in ("their", "its") and sentence.span(i).low in ("with", "and", "along with"):
        return sentence.kind(i + 2) is Thing.ENTITY and any(sentence.table(k) is not None for k in range(i))
    if sentence.span(i).low != "with" or sentence.table(i - 1) is None:
        return False
    lists = sentence.span(0).low in ("list", "show", "give", "display", "print")
    following = sentence.kind(i + 2) in (Mark.AND, Thing.COMMA, Thing.STOP, Thing.END)
    return lists and following and sentence.is_column(i + 1) and not sentence.is_value(i + 1)
