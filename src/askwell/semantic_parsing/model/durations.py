"""How long something took: a computed column where a table has the two dates that begin and end it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from askwell.mdl.semantic_model import Column, ColumnRef
from askwell.question.lexicon import english
from askwell.question.stems import Stems, stem, stems
from askwell.semantic_parsing.model.facts import ColumnFacts, ColumnKind, ModelFacts, TableFacts
from askwell.semantic_parsing.model.measures import Formula

NAME = "duration"


def with_durations(facts: ModelFacts) -> ModelFacts:
    """The facts with a column of days for each table with one pair of such dates."""
    found = {column.ref: column for table in facts.tables.values() for column in _durations(table)}
    return replace(facts, columns={**facts.columns, **found})


def duration_names(table: TableFacts) -> Iterator[Stems]:
    """What people call the duration of a table's rows: "length of stay", "how many nights"."""
    for word in english().durations:
        yield (stem(word),)
        yield (*table.words, stem(word))
        yield (stem(word), "of", *table.words)


def _durations(table: TableFacts) -> Iterator[ColumnFacts]:
    if any(column.words == (stem(NAME),) for column in table.columns):
        return
    pairs = [
        (a, b) for a in table.columns for b in table.columns if a.is_date and b.is_date and _spans(a.words, b.words)
    ]
    if len(pairs) != 1:
        return
    begin, end = pairs[0]
    ref = ColumnRef(table.table.name, NAME)
    yield ColumnFacts(
        ref=ref,
        column=Column(NAME, "INTEGER", display_name=f"days from {begin.readable} to {end.readable}"),
        names=(stems(NAME),),
        kind=ColumnKind.NUMBER,
        is_key=False,
        is_reference=False,
        numeric_text=False,
        plain_numbers=False,
        iso_text=False,
        formula=Formula((), days=(begin.ref, end.ref)),
    )


def _spans(begin: Stems, end: Stems) -> bool:
    """Whether two names differ only in that one begins what the other ends."""
    for first, last in english().spans:
        if first in begin and last in end and _without(begin, first) == _without(end, last):
            return True
    return False


def _without(words: Stems, word: str) -> Stems:
    return tuple(other for other in words if other != word)
