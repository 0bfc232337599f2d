"""Conditions on a part of a text ("whose name starts with A") and on missing values."""

from __future__ import annotations

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import Draft
from askwell.sql.rules.grammar.context import column_before, place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Choice, Reader
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.phrases import Mark

_PART_WORDS = frozenset(
    {"word", "words", "letter", "letters", "substring", "string", "phrase", "prefix", "suffix", "text"}
)


def pattern_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "name contains 'Inc'", "starts with the letter A"."""
    sentence = reader.sentence
    j = sentence.after(i, Mark.OF)
    alone = len(sentence.span(i + 1).text) == 1 or sentence.kind(i + 2) in (Thing.STOP, Thing.END)
    if sentence.span(i + 1).capital and alone:
        j = i + 1  # "starts with A", "starts with The"
    skipped = (j,) if sentence.span(j).low in _PART_WORDS else ()
    if skipped:
        j = sentence.after(j)
    span = sentence.span(j)
    column = column_before(reader, draft, i)
    written = span.kind is Thing.QUOTED or (span.kind in (Thing.ENTITY, Thing.UNKNOWN, Thing.FILLER) and span.capital)
    if not written:
        return None
    choice = _column(reader, i, column)
    if choice is None:
        return None
    text = span.text.replace("%", r"\%") if "%" in span.text.strip("%") else span.text.strip("%")
    pattern = {"contain": f"%{text}%", "start": f"{text}%", "end": f"%{text}"}[sentence.span(i).detail]
    taken = (i, j, *skipped) if column is None else (i, j, *skipped, column)
    draft = draft.take(*taken).assume(*choice.assumptions).shaped("pattern")
    return place(reader, draft, Condition(choice.ref, "like", (pattern,)), i), j + 1


def _column(reader: Reader, i: int, column: int | None) -> Choice | None:
    """The column named before, else the names of what is mentioned before: "tracks that contain the word 'you'"."""
    sentence = reader.sentence
    if column is not None:
        return reader.choose(sentence.span(column).columns, column, back=True)
    table = sentence.table(sentence.before(i, Mark.ASK))
    label = reader.label(table) if table is not None else None
    if label is None:
        return None
    return Choice(label, (assumption("default_name", "", reader.readable(label)),))


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
