"""When two questions are the same but for their wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.question.same_wording import question_facts, question_wording
from tests.pipelines.retrieval.question_pairs import DIFFERENT, THE_SAME
from tests.support.tables import case_rows


def the_same(one: str, other: str) -> bool:
    return question_facts(one) == question_facts(other) and question_wording(one) == question_wording(other)


def test_questions_that_ask_something_else_are_never_the_same() -> None:
    assert len(DIFFERENT) > 200
    assert [pair for pair in DIFFERENT if the_same(*pair)] == []


def test_most_questions_in_other_words_are_found_to_be_the_same() -> None:
    found = [pair for pair in THE_SAME if the_same(*pair)]
    assert len(found) >= 0.7 * len(THE_SAME)


@pytest.mark.parametrize(
    ("question", "words"),
    case_rows(__file__, "the_words_that_count", "question", "words"),
)
def test_the_words_that_count(question: str, words: str) -> None:
    assert " ".join(question_wording(question)) == words


@given(st.text(max_size=80) | st.sampled_from(["ALL", "show", "what is", "in 2024, all", "5."]))
def test_any_text_has_a_form_and_the_same_one_however_it_is_spaced_and_closed(text: str) -> None:
    assert question_wording(f"  {text} ?") == question_wording(text)
