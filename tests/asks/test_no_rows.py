"""Answers without rows, and rows that are put into words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.asks.rows_in_words import NO_ROWS, number_warning, rows_in_words, unsupported_numbers
from askwell.providers.engine.base import QueryRows, ResultColumn
from tests.support.tables import case_rows, case_table

QUESTION = "Which keen customers are from Germny, roughly?"


# -- Answers from rows without a model, and numbers that a model made up.


def _result(names: list[str], rows: list[list[Any]], *, truncated: bool = False) -> QueryRows:
    return QueryRows(tuple(ResultColumn(name, "") for name in names), tuple(map(tuple, rows)), truncated)


def test_no_rows_have_a_fixed_sentence() -> None:
    assert rows_in_words(_result(["a"], [])) == NO_ROWS


def test_one_value_is_said_by_its_column() -> None:
    assert rows_in_words(_result(["revenue"], [["12.50"]])) == "revenue: 12.50"
    assert rows_in_words(_result(["revenue"], [[None]])) == "revenue: NULL"


def test_more_is_a_table_with_the_number_of_rows() -> None:
    text = rows_in_words(_result(["city", "n"], [["Berlin", 2], ["Köln", None]]))
    assert text == "| city | n |\n| --- | --- |\n| Berlin | 2 |\n| Köln | NULL |\n\n2 rows."


def test_long_results_say_what_was_cut() -> None:
    text = rows_in_words(_result(["n"], [[n] for n in range(500)], truncated=True))
    assert text.count("\n| ") == 11
    assert text.endswith("The first 10 of 500 rows are shown. Only the first 500 rows were read; there are more.")


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_cell_can_break_the_table(name: str, value: str) -> None:
    lines = rows_in_words(_result([name, "b"], [[value, 1], [value, 2]])).split("\n")
    assert len(lines) == 6
    for line in lines[:4]:
        assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3


def test_markdown_in_cells_is_shown_as_it_is() -> None:
    text = rows_in_words(_result(["a*b"], [["<img src=x>"], ["[x](http://y)"], ["a\n# b"]]))
    for shown in ("a\\*b", "\\<img src=x\\>", "\\[x\\](http://y)", "a \\# b"):
        assert shown in text


RESULT = _result(
    ["city", "revenue", "share", "day"],
    [["Berlin", "1234567.891", 0.2537, "2024-03-05T00:00:00"], ["Köln", 42, -0.05, None]],
)


@pytest.mark.parametrize(
    "text",
    case_table(__file__, "numbers_of_the_rows_are_supported"),
)
def test_numbers_of_the_rows_are_supported(text: str) -> None:
    assert unsupported_numbers(text, RESULT, "Which 3 cities in 1997?") == ()


@pytest.mark.parametrize(
    ("text", "numbers"),
    case_rows(__file__, "other_numbers_are_told", "text", "numbers"),
)
def test_other_numbers_are_told(text: str, numbers: list[str]) -> None:
    assert unsupported_numbers(text, RESULT) == tuple(numbers)


def test_counts_can_be_named() -> None:
    assert unsupported_numbers("20 of 500 rows", RESULT, counts=(20, 500)) == ()


def test_the_warning_names_a_few() -> None:
    assert number_warning(()) == ""
    assert number_warning(["7"]) == "7 does not stand in the rows; check the text."
    assert number_warning("1234567") == "1, 2, 3, 4, 5 and others do not stand in the rows; check the text."


@given(st.lists(st.one_of(st.integers(), st.floats(), st.text(), st.none()), max_size=4), st.text())
def test_any_text_and_any_cells_can_be_compared(cells: list[Any], text: str) -> None:
    result = _result([str(n) for n in range(len(cells))], [cells])
    unsupported_numbers(text, result)


def test_very_large_and_very_small_cells_can_be_compared() -> None:
    result = _result(["a", "b"], [[10**38, "1e-39"], [float("inf"), "9" * 5000]])
    assert unsupported_numbers("It is 5, 1e300 and 0.00000000000000001.", result) == (
        "5",
        "1e300",
        "0.00000000000000001",
    )


@given(st.integers(-(10**12), 10**12))
def test_a_cell_supports_itself(number: int) -> None:
    assert unsupported_numbers(f"It is {number}, or {number:,}.", _result(["n"], [[number]])) == ()
