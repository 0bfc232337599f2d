"""Two complete readings of one question: which words make the difference, and how to ask which is meant."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.mdl.semantic_model import ColumnRef
from askwell.sql.rules.query import Query
from askwell.sql.rules.sentence import Sentence
from askwell.sql.rules.translation import Abstention

Barred = frozenset[ColumnRef]


def rival_words(query: Query, sentence: Sentence) -> Iterator[tuple[str, ColumnRef]]:
    """The columns of a query whose words could mean other columns as well, each with the first such word."""
    for ref in columns_of(query):
        words = [s.text for s in sentence.spans if ref in s.columns and len(s.columns) > 1 and not s.is_value]
        if words:
            yield words[0], ref


def columns_of(query: Query) -> tuple[ColumnRef, ...]:
    """All columns that a query shows, groups, sorts and filters by, in this order."""
    outputs = [*query.outputs, *query.groups, *(s.output for s in query.sorts), *(h.output for h in query.having)]
    refs = [output.column for output in outputs]
    refs += [condition.column for condition in (*query.conditions, *query.both)]
    return tuple(dict.fromkeys(ref for ref in refs if ref is not None))


def several_readings(sentence: Sentence) -> Abstention:
    """A word that names a table and a column makes the difference."""
    words = tuple(s.text for i, s in enumerate(sentence.spans) if s.columns and s.tables and not s.is_value)
    named = f": “{words[0]}” names a table and a column" if words else ""
    message = f"The question can be read in two ways{named}. Say which is meant."
    return Abstention("several_readings", message, words[:1], sentence.tables)


def two_columns(word: str, ref: ColumnRef, other: Query, sentence: Sentence) -> Abstention:
    """The word could mean the column `ref`, or one that `other` reads in its place."""
    facts = sentence.facts
    named = {column for span in sentence.spans if span.text == word for column in span.columns}
    ways = [ref, *(column for column in columns_of(other) if column in named and column != ref)][:2]
    readable = (f"{facts.tables[way.table].readable} → {facts.columns[way].readable}" for way in ways)
    message = f"“{word}” could be {' or '.join(readable)}: say which is meant."
    return Abstention("several_readings", message, (word,), sentence.tables)
