"""Comparisons with a time that has a unit: "longer than 5 minutes" of a column of milliseconds."""

from __future__ import annotations

from askwell.sql.rules.assumptions import assumption
from askwell.sql.rules.draft import DeadEnd, Draft
from askwell.sql.rules.grammar.context import column_before, place
from askwell.sql.rules.query import Condition
from askwell.sql.rules.reader import Reader, figure
from askwell.sql.rules.spans import Thing
from askwell.sql.rules.words.units import MILLISECONDS


def duration_at(reader: Reader, draft: Draft, i: int, j: int) -> tuple[Draft, int] | None:
    """The comparison at `i` with the number at `j`, where a unit of time follows that the column has not itself in its
    name: the number is given in the column's own unit."""
    sentence = reader.sentence
    unit = sentence.span(j + 1)
    if unit.low not in MILLISECONDS or sentence.kind(j) is not Thing.NUMBER:
        return None
    before = column_before(reader, draft, i)
    owner = reader.owner(i, back=True)
    if before is not None and sentence.table(before) is None:
        refs = [ref for ref in sentence.span(before).columns if reader.column(ref).duration is not None]
        refs = [ref for ref in refs if ref.table == owner] or refs
    else:
        columns = reader.facts.tables[owner].columns if owner is not None else ()
        refs = [column.ref for column in columns if column.duration is not None]
        before = None
    if len(refs) > 1:  # minutes, and the hours computed from them
        refs = [ref for ref in refs if reader.column(ref).duration == MILLISECONDS[unit.low]]
    if len(refs) != 1:
        raise DeadEnd("unplaced_words", sentence.span(i).text, sentence.span(j).text, unit.text)
    column = reader.column(refs[0])
    factor = MILLISECONDS[unit.low] / (column.duration or 1)
    value = figure(sentence.span(j).detail) * factor
    draft = draft.take(i, j, j + 1, *((before,) if before is not None else ()))
    draft = draft.assume(
        assumption("in_unit", f"{sentence.span(j).text} {unit.text}", f"{value:g} ({column.readable})")
    )
    number = int(value) if value.is_integer() else value
    return place(reader, draft, Condition(refs[0], sentence.span(i).detail, (number,)), i), j + 2
