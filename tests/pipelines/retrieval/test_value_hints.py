"""Of the values that a question seems to name, those that a language model is told of."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import ValueKind, ValueMatch
from askwell.pipelines.retrieval.value_hints import value_hints
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("words", "value", "kind", "told"),
    case_rows(__file__, "only_what_is_likely_is_told", "words", "value", "kind", "told"),
)
def test_only_what_is_likely_is_told(words: str, value: str, kind: ValueKind, told: bool) -> None:
    match = ValueMatch(words, ColumnRef("t", "c"), value, 0.8, kind)
    assert value_hints([match]) == ((match,) if told else ())


def test_what_stands_in_quotation_marks_is_told_whatever_it_is() -> None:
    match = ValueMatch("10", ColumnRef("t", "c"), "10", 0.98, "exact")
    assert value_hints([match]) == (match,)
