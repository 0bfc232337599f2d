"""Texts that take their values from what tools gave: looked up by a path, never run."""

from __future__ import annotations

from typing import Any

import pytest

from askwell.sample.answer_template import NoSuchValue, filled

VALUES = {
    "sales": {"table": {"rows": [["consumer", 12345], ["small business", "7.005"]], "row_count": 2}, "note": None},
    "found": {"passages": [{"text": "## Late\n\nIt is late after 4.5 days. Nobody likes that.", "mark": "[1]"}]},
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{sales.table.rows[0][1]} orders", "12345 orders"),
        ("{sales.table.rows[0][1]|count} orders", "12,345 orders"),
        ("{sales.table.rows[=small business][1]|money} EUR", "7.00 EUR"),
        ("{found.passages[0].text|sentence} {found.passages[0].mark}", "It is late after 4.5 days. [1]"),
        ("{sales.note}", "null"),
        ("{not a place} {}", "{not a place} {}"),
        ({"sql": ["'{sales.table.rows[0][0]}'", 3]}, {"sql": ["'consumer'", 3]}),
    ],
)
def test_values_stand_in_their_places(template: Any, text: Any) -> None:
    assert filled(template, VALUES) == text


@pytest.mark.parametrize(
    "template",
    [
        "{other}",
        "{sales.table.rows[9][0]}",
        "{sales.table.rows[=corporate][1]}",
        "{sales.table.row_count.real}",
        "{sales.__class__}",
        "{sales.table.rows[0][0]|count}",
        "{sales.table.rows[0][1]|sentence}",
        "{sales.table.row_count|roman}",
    ],
)
def test_a_place_for_which_there_is_no_value_is_an_error(template: str) -> None:
    with pytest.raises(NoSuchValue):
        filled(template, VALUES)
