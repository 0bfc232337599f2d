"""Answers in words to "which of these do you mean?"."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from askwell.question.choosing import chosen

TABLES = ("Purchase orders", "Sales orders")
PUNCTUATION = " \t\n.,;:!?\"'“”‘’"
COLUMNS = ("Order date", "Shipping date", "Due date")


@pytest.mark.parametrize(
    ("answer", "labels", "place"),
    [
        ("Sales orders", TABLES, 1),
        ("sales orders.", TABLES, 1),
        ("2", TABLES, 1),
        ("#2", TABLES, 1),
        ("2)", TABLES, 1),
        ("the second one", TABLES, 1),
        ("2nd", TABLES, 1),
        ("the last", COLUMNS, 2),
        ("the former", TABLES, 0),
        ("option 3", COLUMNS, 2),
        ("sales", TABLES, 1),
        ("I mean the sales ones", TABLES, 1),
        ("use purchase orders, not sales orders", TABLES, 0),
        ("sales orders instead of purchase orders", TABLES, 1),
        ("not purchase orders", TABLES, 1),
        ("not the first", TABLES, 1),
        ("not 1", TABLES, 1),
        ("not #2", TABLES, 0),
        ("the second, not the first", TABLES, 1),
        ("use 2 not 1", TABLES, 1),
        ("1, not 1", TABLES, None),
        ("the last one, not the first one", COLUMNS, 2),
        ("not the first", COLUMNS, None),  # two are left
        ("not the first or the 3rd", COLUMNS, 1),
        ("neither the second nor the last", COLUMNS, 0),
        ("neither 1 nor the shipping date", COLUMNS, 2),
        ("not the last", TABLES, 0),
        ("two", TABLES, 1),
        ("the one, not the two", TABLES, 0),
        ("I don't mean the first", TABLES, 1),
        ("I did not mean purchase orders", TABLES, 1),
        ("don't use 1", TABLES, 1),
        ("anything but sales orders", TABLES, 0),
        ("everything except the first and the last", COLUMNS, 1),
        ("not the first, not the second", COLUMNS, 2),
        ("not 1 or 2", COLUMNS, 2),
        ("2 rather than 1", TABLES, 1),
        ("neither of them", TABLES, None),
        ("no", TABLES, None),
        ("3 or 2", COLUMNS, None),
        ("well, obviously the sales orders", TABLES, 1),
        ("the sales orders of last year in Bergen", TABLES, None),  # it says something else too
        ("not 7", TABLES, None),
        ("no. 2", TABLES, 1),
        ("no, the second", TABLES, 1),
        ("no purchase orders", TABLES, 1),
        ("neither", TABLES, None),
        ("not the order date", COLUMNS, None),  # two are left
        ("not the order date or the due date", COLUMNS, 1),
        ("shipping", COLUMNS, 1),
        ("when it was shipped", COLUMNS, None),
        ("date", COLUMNS, None),
        ("orders", TABLES, None),
        ("7", TABLES, None),
        ("0", TABLES, None),
        ("", TABLES, None),
        ("drop table orders", TABLES, None),
        ("use orders not invoices", ("orders", "invoices"), 0),
    ],
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
