"""Characters that nobody sees are written out in what a chart shows, as in tables."""

from __future__ import annotations

import pytest

from askwell.charts.fields import drawable_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("x\u202e12345", "x‹U+202E›12345"),
        ("pay\u200bpal", "pay‹U+200B›pal"),
        ("1\ufeff\u20602", "1‹U+FEFF›‹U+2060›2"),
        ("x\u200dy", "x‹U+200D›y"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("PDF\u200c\u0647\u0627", "PDF\u200c\u0647\u0627"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("constructor", "constructor\u200b"),
    ],
)
def test_what_is_not_seen_is_written_out(text: str, shown: str) -> None:
    assert drawable_text(text) == shown
