"""What is read of a question takes time in proportion to its length, whatever it is made of: where a pattern looked
through the whole rest of the text from every place in it, these would take minutes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from askwell.knowledge.questions import normalise_question
from askwell.pipelines.retrieval.value_words import words_of_question
from askwell.question.about_data import asks_an_assistant, is_in_another_language, without_names
from askwell.question.same_wording import question_facts, question_wording

READERS = [
    words_of_question,
    question_facts,
    question_wording,
    asks_an_assistant,
    is_in_another_language,
    without_names,
    normalise_question,
]


@pytest.mark.deep
@pytest.mark.parametrize("unit", ["“", "„", "«", "‘", "'", '"', "“ a", "'a' ", "1.", "1-", "10,", "a-", " ", "?"])
@pytest.mark.parametrize("read", READERS)
def test_of_a_text_without_end_everything_is_read_once(read: Callable[[str], object], unit: str) -> None:
    assert read(f"x {unit * 200_000} x") is not None
