"""Conditions on a part of a text ("whose name starts with A") and on missing values."""

from __future__ import annotations

from askwell.sql.rules.draft import Draft
from askwell.sql.rules.grammar.context import column_before, place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark


def pattern_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "name contains 'Inc'", "starts with the letter A"."""
    sentence = reader.sentence
    j = sentence.after(i, Mark.OF)
    span = sentence.span(j)
    column = column_before(reader, draft, i)
    written = span.kind is Thing.QUOTED or (span.kind in (Thing.ENTITY, Thing.UNKNOWN) and span.capital)
    if column is None or not written:
        return None
    choice = reader.choose(sentence.span(column).columns, column, back=True)
    text = span.text.replace("%", r"\%") if "%" in span.text.strip("%") else span.text.strip("%")
    pattern = {"contain": f"%{text}%", "start": f"{text}%", "end": f"%{text}"}[sentence.span(i).detail]
    draft = draft.take(i, j, column).assume(*choice.assumptions).shaped("pattern")
    return place(reader, draft, Condition(choice.ref, "like", (pattern,)), i), j + 1


def null_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "whose phone is missing", "with null email"."""
    sentence = reader.sentence
    column = column_before(reader, draft, i)
    if column is None:
        after = sentence.after(i)
        column = after if sentence.is_column(after) and not sentence.is_value(after) else None
    if column is None:
        return None
    choice = reader.choose(sentence.span(column).columns, column, back=True)
    draft = draft.take(i, column).assume(*choice.assumptions).shaped("null")
    return place(reader, draft, Condition(choice.ref, "null"), i), i + 1
