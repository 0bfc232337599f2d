"""When two questions are the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.knowledge.questions import normalise_question


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many orders are there?", "  how many\n ORDERS are  there "),
        ("Wie groß ist es?", "WIE GROSS IST ES"),
        ("ｆｕｌｌ width", "full width"),
        ("Orders of 'Acme'?", "orders of 'Acme'"),
        ("orders...", "Orders"),
    ],
)
def test_letter_case_spacing_and_closing_marks_do_not_matter(one: str, other: str) -> None:
    assert normalise_question(one) == normalise_question(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders shipped late", "orders not shipped late"),
        ("orders above 10", "orders above 100"),
        ("orders above -1", "orders above 1"),
        ("orders of 'acme'", "orders of 'ACME'"),
        ("orders of 'a  b'", "orders of 'a b'"),
        ("orders per day", "orders per-day"),
        ("price = 1.5", "price = 15"),
    ],
)
def test_whatever_can_change_the_meaning_stays(one: str, other: str) -> None:
    assert normalise_question(one) != normalise_question(other)


@given(st.text(max_size=80))
def test_a_normal_form_is_its_own(text: str) -> None:
    once = normalise_question(text)
    assert normalise_question(once) == once
