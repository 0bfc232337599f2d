"""A session property has the kind of value that it is compared with, on every database, or the statement is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from askwell.sql.outcome import RejectedSql
from tests.sql.planner.conftest import CONTEXT, Desk
from tests.support.tables import case_rows, case_table


def _ruled(desk: Desk, condition: str, value: str) -> Desk:
    rule = {"name": "r", "condition": condition, "requiredProperties": [{"name": "p"}]}
    desk.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    desk.context = replace(CONTEXT, session_properties={"p": value})
    # With a planner of its own, since that reads a model once.
    return Desk(desk.dialect, desk.mdl, desk.database, desk.context)


NAMES = "SELECT name FROM customers ORDER BY 1"


TEXTS = case_table(__file__, "texts")
NUMBERS = ("id = @p", "id >= @p", "id + @p > 0", "length(name) = @p", "id IN (7, @p)")


def test_no_number_opens_a_rule_of_texts(desk: Desk) -> None:
    for condition in TEXTS:
        for value in ("0", "NULL"):
            assert _ruled(desk, condition, value).rows(NAMES) == [], condition


@pytest.mark.parametrize("condition", NUMBERS)
def test_no_text_opens_a_rule_of_numbers(duck: Desk, condition: str) -> None:
    for value in ("'FR'", "''", "'0x'", "true", "'NaN'", "'\u0663'"):
        outcome = _ruled(duck, condition, value).plan(NAMES)
        assert isinstance(outcome, RejectedSql)
        assert 'the session property "p" (rule "r" of Customers) has to be a number, such as 42' in outcome.error


def test_what_fits_is_taken(desk: Desk) -> None:
    for condition, value, rows in case_table(__file__, "what_fits_is_taken"):
        assert len(_ruled(desk, condition, value).rows(NAMES)) == rows, condition


@pytest.mark.parametrize(
    ("condition", "value", "said"),
    case_rows(__file__, "what_does_not_fit_is_refused_with_what_would", "condition", "value", "said"),
)
def test_what_does_not_fit_is_refused_with_what_would(duck: Desk, condition: str, value: str, said: str) -> None:
    outcome = _ruled(duck, condition, value).plan(NAMES)
    assert isinstance(outcome, RejectedSql)
    assert said in outcome.error


def test_a_default_has_to_fit_as_well(duck: Desk) -> None:
    needed: dict[str, Any] = {"name": "p", "required": False, "defaultExpr": "0"}
    rule = {"name": "r", "condition": "country = @p", "requiredProperties": [needed]}
    duck.mdl["models"][0]["rowLevelAccessControls"] = [rule]
    assert duck.rows(NAMES) == []
