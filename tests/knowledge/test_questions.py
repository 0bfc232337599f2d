"""When two questions are the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.knowledge.questions import normalise_question
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("one", "other"),
    case_rows(__file__, "letter_case_spacing_and_closing_marks_do_not_matter", "one", "other"),
)
def test_letter_case_spacing_and_closing_marks_do_not_matter(one: str, other: str) -> None:
    assert normalise_question(one) == normalise_question(other)


@pytest.mark.parametrize(("one", "other"), case_rows(__file__, "whatever_can_change_the_meaning_stays", "one", "other"))
def test_whatever_can_change_the_meaning_stays(one: str, other: str) -> None:
    assert normalise_question(one) != normalise_question(other)


@given(st.text(max_size=80))
def test_a_normal_form_is_its_own(text: str) -> None:
    once = normalise_question(text)
    assert normalise_question(once) == once
