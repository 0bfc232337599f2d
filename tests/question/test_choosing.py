"""Answers in words to "which of these do you mean?"."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from askwell.question.choosing import chosen
from tests.support.tables import case_rows

TABLES = ("Purchase orders", "Sales orders")
PUNCTUATION = " \t\n.,;:!?\"'“”‘’"
COLUMNS = ("Order date", "Shipping date", "Due date")


@pytest.mark.parametrize(
    ("answer", "labels", "place"),
    case_rows(__file__, "what_an_answer_means", "answer", "labels", "place"),
)
def test_what_an_answer_means(answer: str, labels: tuple[str, ...], place: int | None) -> None:
    assert chosen(answer, labels) == place


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=20), max_size=5))
def test_words_mean_the_same_label_wherever_it_stands(answer: str, labels: list[str]) -> None:
    place, turned = (chosen(answer, one, numbered=False) for one in (labels, labels[::-1]))
    assert (place is None) == (turned is None)
    assert place is None or turned is None or (place, turned) == (place, len(labels) - 1 - place)
    numbered = chosen(answer, labels)
    assert numbered is None or 0 <= numbered < len(labels)


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=5), st.data())
def test_a_label_and_its_number_mean_its_place_where_labels_differ(labels: list[str], data: st.DataObject) -> None:
    plain = [" ".join(label.split()).strip(PUNCTUATION).casefold() for label in labels]
    place = data.draw(st.integers(0, len(labels) - 1))
    assume(all(plain) and len(set(plain)) == len(plain))
    assert chosen(labels[place], labels) == place
    if str(place + 1) not in plain:
        assert chosen(str(place + 1), labels) == place
        assert chosen(f"the #{place + 1}, please", labels) == place


@given(st.integers(0, 7), st.integers(1, 8))
def test_a_number_means_its_place(place: int, count: int) -> None:
    labels = [f"thing {letter}" for letter in "abcdefgh"[:count]]
    assert chosen(str(place + 1), labels) == (place if place < count else None)
