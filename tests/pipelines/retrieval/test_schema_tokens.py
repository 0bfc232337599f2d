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
        ("auto", [Window(8_000)], 3_200, 2_000),
        ("auto", [Window(32_000)], 12_800, 8_000),
        ("auto", [Window(1_000_000)], 24_000, 24_000),
        ("auto", [Window(128_000), Window(16_384)], 6_553, 4_096),
        ("auto", [Window(128_000, is_known=False)], 4_000, 4_000),
        ("auto", [Window(128_000, is_known=False), Window(8_000)], 3_200, 2_000),
        (6_000, [], 6_000, 6_000),
        (6_000, [Window(128_000, is_known=False)], 6_000, 6_000),
        (6_000, [Window(8_000)], 4_000, 4_000),
    ],
)
def test_auto_is_a_share_of_the_window_and_a_number_at_most_half(
    configured: int | Literal["auto"], windows: Sequence[Window], whole: int, part: int
) -> None:
    assert schema_budget(configured, windows) == SchemaBudget(whole, part)


def test_a_schema_that_has_to_be_smaller_is_so_in_both_forms() -> None:
    assert SchemaBudget(3_200, 2_000).at_most(2_500) == SchemaBudget(2_500, 2_000)
    assert SchemaBudget(3_200, 2_000).at_most(900) == SchemaBudget(900, 900)
