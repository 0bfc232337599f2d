"""Answers in words to "which of these do you mean?"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.question.choosing import chosen

TABLES = ("Purchase orders", "Sales orders")
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
def test_any_answer_is_one_of_them_or_none(answer: str, labels: list[str]) -> None:
    place = chosen(answer, labels)
    assert place is None or 0 <= place < len(labels)


@given(st.integers(0, 7), st.integers(1, 8))
def test_a_number_means_its_place(place: int, count: int) -> None:
    labels = [f"thing {letter}" for letter in "abcdefgh"[:count]]
    assert chosen(str(place + 1), labels) == (place if place < count else None)
