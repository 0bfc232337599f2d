"""Words and names that are the same to the rules."""

from __future__ import annotations

import pytest

from askwell.question.stems import stems


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        ("cust_addr", "customers' addresses"),
        ("ordQty", "order quantity"),
        ("DOB", "birth date"),
        ("surname", "last name"),
        ("txns", "transaction"),
    ],
)
def test_an_abbreviation_is_the_word_that_it_stands_for(short: str, whole: str) -> None:
    assert stems(short) == stems(whole.replace("'", ""))


def test_other_short_words_stay_themselves() -> None:
    assert stems("st") == ("st",)
