"""The scope gate over HTTP: what it stops, what it says then, and what passes it."""

from __future__ import annotations

import pytest

from askwell.asks.about.wording import asks_about_the_service
from tests.support.tables import case_table

ABOUT_THE_SERVICE = case_table(__file__, "about_the_service")
ONLY_BEGINS_SO = case_table(__file__, "only_begins_so")


def _questions(text: str) -> list[str]:
    return [question.strip() for line in text.splitlines() for question in line.split(" | ") if question.strip()]


@pytest.mark.parametrize("question", _questions(ABOUT_THE_SERVICE))
def test_wording_about_the_service_or_the_data_as_a_whole(question: str) -> None:
    assert asks_about_the_service(question)


@pytest.mark.parametrize("question", _questions(ONLY_BEGINS_SO))
def test_wording_that_only_begins_so(question: str) -> None:
    assert not asks_about_the_service(question)


@pytest.mark.parametrize("tail", [" about it", " about this data", " in here", " of all the data", " for this tool"])
def test_wording_that_goes_on_and_on_is_read_in_one_way_only(tail: str) -> None:
    # In two ways each, they would be read for ever.
    assert asks_about_the_service(f"help me{tail * 200}")
    assert not asks_about_the_service(f"help me{tail * 200} poem")
