"""How many tokens of schema go into a prompt, by the setting and by what language models read at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from askwell.pipelines.retrieval.budget import SchemaBudget, Window, schema_budget


@pytest.mark.parametrize(
    ("configured", "windows", "whole", "part"),
    [
        ("auto", [], 4_000, 4_000),
        ("auto", [Window(2_000)], 500, 500),
        ("auto", [Window(8_192, is_lean=True)], 4_824, 2_048),
        ("auto", [Window(12_288, is_lean=True)], 7_487, 3_072),
        ("auto", [Window(12_288)], 6_487, 3_072),
        ("auto", [Window(16_384)], 9_645, 4_096),
        ("auto", [Window(1_000_000)], 24_000, 24_000),
        ("auto", [Window(128_000), Window(16_384)], 9_645, 4_096),
        ("auto", [Window(128_000, is_known=False)], 4_000, 4_000),
        ("auto", [Window(128_000, is_known=False), Window(8_192, is_lean=True)], 4_000, 2_048),
        (6_000, [], 6_000, 6_000),
        (6_000, [Window(128_000, is_known=False)], 6_000, 6_000),
        (6_000, [Window(8_000)], 4_000, 4_000),
    ],
)
def test_auto_is_what_nothing_else_needs_and_a_number_at_most_half_of_the_window(
    configured: int | Literal["auto"], windows: Sequence[Window], whole: int, part: int
) -> None:
    found = schema_budget(configured, windows)
    assert (found.whole, found.part) == (whole, part)


def test_a_schema_that_has_to_be_smaller_is_so_in_both_forms() -> None:
    assert SchemaBudget(3_200, 2_000, 1_000).at_most(2_500) == SchemaBudget(2_500, 2_000, 1_000)
    assert SchemaBudget(3_200, 2_000, 1_000).at_most(900) == SchemaBudget(900, 900, 900)


def test_what_is_saved_gets_a_quarter_of_the_window_and_less_beside_a_large_schema() -> None:
    budget = schema_budget("auto", [Window(12_288, is_lean=True)])
    assert [budget.for_saved(shown) for shown in (0, 5_000, 7_487)] == [3_072, 3_072, 1_536]
