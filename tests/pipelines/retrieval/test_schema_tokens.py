"""How many tokens of schema go into a prompt, by the setting and by what language models read at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pytest

from askwell.pipelines.retrieval.budget import Window, schema_tokens


@pytest.mark.parametrize(
    ("configured", "windows", "tokens"),
    [
        ("auto", [], 4_000),
        ("auto", [Window(8_000)], 2_000),
        ("auto", [Window(32_000)], 8_000),
        ("auto", [Window(1_000_000)], 24_000),
        ("auto", [Window(128_000), Window(16_384)], 4_096),
        ("auto", [Window(128_000, is_known=False)], 4_000),
        ("auto", [Window(128_000, is_known=False), Window(8_000)], 2_000),
        (6_000, [], 6_000),
        (6_000, [Window(128_000, is_known=False)], 6_000),
        (6_000, [Window(8_000)], 4_000),
    ],
)
def test_auto_is_a_quarter_of_the_window_and_a_number_at_most_half(
    configured: int | Literal["auto"], windows: Sequence[Window], tokens: int
) -> None:
    assert schema_tokens(configured, windows) == tokens
