"""Words and names that are the same to the rules."""

from __future__ import annotations

import pytest

from askwell.question.words import stems
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("short", "whole"),
    case_rows(__file__, "an_abbreviation_is_the_word_that_it_stands_for", "short", "whole"),
)
def test_an_abbreviation_is_the_word_that_it_stands_for(short: str, whole: str) -> None:
    assert stems(short) == stems(whole.replace("'", ""))


def test_other_short_words_stay_themselves() -> None:
    assert stems("st") == ("st",)
