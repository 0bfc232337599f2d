""" "the name of the country" is the country itself where a country is a column and not a table."""

from __future__ import annotations

from collections.abc import Iterator

from askwell.question.stems import stem, stems
from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import Draft
from askwell.sql.rules.facts import ColumnKind
from askwell.sql.rules.lexicon import Evidence
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark


def read_names(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """Take the "name" of "name of <column>"."""
    sentence = reader.sentence
    for i in sentence.where(Thing.ENTITY):
        if stems(sentence.span(i).text) != (stem("name"),):
            continue
        if _column_name(reader, i):
            draft = draft.take(i).assume(assumption("name_of_column", sentence.span(i - 1).text))
            continue
        j = i + 1
        said_of = False
        while sentence.light(j) or sentence.kind(j) in (Mark.OF, Mark.DISTINCT):
            said_of = said_of or sentence.span(j).low == "of"
            j += 1
        span = sentence.span(j)
        if not said_of or span.kind is not Thing.ENTITY or span.tables or span.values or not span.columns:
            continue
        column = reader.column(reader.choose(span.columns, j).ref)
        told_before = any(sentence.table(k) == column.ref.table for k in range(i))
        if column.kind is ColumnKind.TEXT and not column.is_reference and not told_before:
            draft = draft.take(i).assume(assumption("name_of_column", span.text))
    yield draft


def _column_name(reader: Reader, i: int) -> bool:
    """Whether the "name" at `i` belongs to a column of names before it: "the city name"."""
    sentence = reader.sentence
    span = sentence.span(i - 1)
    if not sentence.is_column(i - 1) or span.values or span.best_column > Evidence.TRIMMED:
        return False
    column = reader.column(reader.choose(span.columns, i - 1).ref)
    return column.kind is ColumnKind.TEXT and not column.is_reference and stem("name") not in column.words
