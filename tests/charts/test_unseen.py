"""Characters that nobody sees are written out in what a chart shows, as in tables."""

from __future__ import annotations

import pytest

from askwell.charts.fields import drawable_text
from tests.support.tables import case_rows


@pytest.mark.parametrize(("text", "shown"), case_rows(__file__, "what_is_not_seen_is_written_out", "text", "shown"))
def test_what_is_not_seen_is_written_out(text: str, shown: str) -> None:
    assert drawable_text(text) == shown
