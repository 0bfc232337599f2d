"""Filters, from left to right: patterns, ranges, comparisons, numbers, periods, values and absences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from askwell.sql.rules.draft import Draft
from askwell.sql.rules.grammar.absences import absence_at
from askwell.sql.rules.grammar.attributes import attribute_before_rows, filled_at, lacking_at, stocked_at, used_up_at
from askwell.sql.rules.grammar.column_pairs import columns_at
from askwell.sql.rules.grammar.combinations import read_combinations
from askwell.sql.rules.grammar.flags import flag_at
from askwell.sql.rules.grammar.hierarchies import read_hierarchy
from askwell.sql.rules.grammar.numbers import between_at, comparison_at, number_at
from askwell.sql.rules.grammar.patterns import null_at, pattern_at
from askwell.sql.rules.grammar.times import period_at
from askwell.sql.rules.grammar.values import value_at
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Kind, Thing
from askwell.sql.rules.words.phrases import Mark

_At = Callable[[Reader, Draft, int], tuple[Draft, int] | None]


def _nothing_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    return absence_at(reader, draft, i) or lacking_at(reader, draft, i)


def _comparison_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    return columns_at(reader, draft, i) or comparison_at(reader, draft, i)


def _filler_at(reader: Reader, draft: Draft, i: int) -> tuple[Draft, int] | None:
    """ "out of stock"; "have not been returned"."""
    undone = reader.sentence.kind(i - 1) is Mark.NOT and reader.sentence.span(i).low.endswith("ed")
    if reader.sentence.span(i).low in ("get", "gets", "receive", "receives"):
        return filled_at(reader, draft, i)
    return attribute_before_rows(reader, draft, i) if undone else used_up_at(reader, draft, i)


_READERS: Mapping[Kind, _At] = {
    Mark.PATTERN: pattern_at,
    Mark.NULL: null_at,
    Mark.BETWEEN: between_at,
    Mark.COMPARE: _comparison_at,
    Mark.AGE: comparison_at,
    Mark.WHEN: _comparison_at,
    Thing.NUMBER: number_at,
    Thing.PERIOD: period_at,
    Thing.ENTITY: flag_at,
    Mark.NOT: _nothing_at,
    Mark.ASK: filled_at,
    Mark.OF: stocked_at,
    Thing.FILLER: _filler_at,
    Thing.UNKNOWN: attribute_before_rows,
}


def read_filters(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """All conditions on rows. Each reader gives the draft with its condition and the span to go on from."""
    sentence = reader.sentence
    draft = read_hierarchy(reader, draft)
    i = 0
    while i < len(sentence):
        at = value_at if sentence.is_value(i) else _READERS.get(sentence.kind(i))
        found = at(reader, draft, i) if at is not None and i not in draft.used else None
        draft, i = found if found is not None else (draft, i + 1)
    yield from read_combinations(reader, draft)
