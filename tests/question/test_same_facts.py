"""What has to be equal before two questions count as alike."""

from __future__ import annotations

import pytest

from askwell.question.same_wording import question_facts
from tests.support.tables import case_rows


@pytest.mark.parametrize(
    ("one", "other"),
    case_rows(__file__, "questions_that_say_the_same_in_other_words_have_equal_facts", "one", "other"),
)
def test_questions_that_say_the_same_in_other_words_have_equal_facts(one: str, other: str) -> None:
    assert question_facts(one) == question_facts(other)


@pytest.mark.parametrize(
    ("one", "other"),
    case_rows(__file__, "a_difference_that_vectors_overlook_is_seen", "one", "other"),
)
def test_a_difference_that_vectors_overlook_is_seen(one: str, other: str) -> None:
    assert question_facts(one) != question_facts(other)


def test_values_found_in_the_data_count() -> None:
    assert question_facts("orders from Germany", ["Germany"]) != question_facts("orders from France", ["France"])
