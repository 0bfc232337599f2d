"""Of the values that a question seems to name, those that a language model is told of."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import ValueKind, ValueMatch
from askwell.pipelines.retrieval.value_hints import value_hints


@pytest.mark.parametrize(
    ("words", "value", "kind", "told"),
    [
        ("Berlin", "Berlin", "exact", True),
        ("berlin", "Berlin", "case", True),
        ("hambrug", "Hamburg", "fuzzy", True),
        ("German", "Germany", "demonym", True),
        ("Baden", "Baden-Baden", "partial", True),
        ("Exotic Liquids", "Exotic Liquid Imports", "partial", True),
        ("store", "The Great Perfume Store", "partial", False),
        ("10", "10", "exact", False),
        ("10 boxes", "10 boxes", "exact", False),
        ("kg", "KG", "case", False),
        ("2 kg", "2 kg box", "partial", False),
        ("7up", "7up", "exact", True),
        ("two", "Two", "case", False),
        ("Twelve Monkeys", "Twelve Monkeys", "exact", True),
    ],
)
def test_only_what_is_likely_is_told(words: str, value: str, kind: ValueKind, told: bool) -> None:
    match = ValueMatch(words, ColumnRef("t", "c"), value, 0.8, kind)
    assert value_hints([match]) == ((match,) if told else ())


def test_what_stands_in_quotation_marks_is_told_whatever_it_is() -> None:
    match = ValueMatch("10", ColumnRef("t", "c"), "10", 0.98, "exact")
    assert value_hints([match]) == (match,)
