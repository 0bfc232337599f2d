"""Words of names and texts in any alphabet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.spelling import spelled_words
from tests.support.tables import case_rows


@pytest.mark.parametrize(("text", "words"), case_rows(__file__, "words_end_where_people_end_them", "text", "words"))
def test_words_end_where_people_end_them(text: str, words: list[str]) -> None:
    assert spelled_words(text) == words


@given(st.text(alphabet=st.characters(codec="ascii")), st.text(alphabet=st.characters(codec="ascii")))
def test_a_letter_of_another_alphabet_changes_no_other_words(one: str, other: str) -> None:
    assert spelled_words(f"{one} é {other}") == [*spelled_words(one), "é", *spelled_words(other)]
