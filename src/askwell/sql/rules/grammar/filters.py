"""Filters, from left to right: patterns, ranges, comparisons, numbers, periods, values and absences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from askwell.sql.rules.draft import Draft
from askwell.sql.rules.grammar.absences import absence_at
from askwell.sql.rules.grammar.combinations import read_combinations
from askwell.sql.rules.grammar.flags import flag_at
from askwell.sql.rules.grammar.numbers import between_at, comparison_at, number_at
from askwell.sql.rules.grammar.patterns import null_at, pattern_at
from askwell.sql.rules.grammar.times import period_at
from askwell.sql.rules.grammar.values import value_at
from askwell.sql.rules.reader import Reader
from askwell.sql.rules.spans import Kind, Thing
from askwell.sql.rules.words.phrases import Mark

_At = Callable[[Reader, Draft, int], tuple[Draft, int] | None]

_READERS: Mapping[Kind, _At] = {
    Mark.PATTERN: pattern_at,
    Mark.NULL: null_at,
    Mark.BETWEEN: between_at,
    Mark.COMPARE: comparison_at,
    Mark.AGE: comparison_at,
    Mark.WHEN: comparison_at,
    Thing.NUMBER: number_at,
    Thing.PERIOD: period_at,
    Thing.ENTITY: flag_at,
    Mark.NOT: absence_at,
}


def read_filters(reader: Reader, draft: Draft) -> Iterator[Draft]:
    """All conditions on rows. Each reader gives the draft with its condition and the span to go on from."""
    sentence = reader.sentence
    i = 0
    while i < len(sentence):
        at = value_at if sentence.is_value(i) else _READERS.get(sentence.kind(i))
        found = at(reader, draft, i) if at is not None and i not in draft.used else None
        draft, i = found if found is not None else (draft, i + 1)
    yield from read_combinations(reader, draft)
