"""First questions of people who see their data for the first time are answered rightly, or not at all."""

from __future__ import annotations

import pytest

from tests.support.tables import case_table

from .answers import answer_of, answers_rightly, database_of, reader_of


@pytest.mark.parametrize("name", ["hotel", "library", "gym", "harbour", "quarry", "kennel", "laundry"])
def test_what_is_answered_is_right(name: str) -> None:
    case = case_table(__file__, name)
    database = database_of(case["database"])
    asked = [(one["question"], [tuple(row) for row in one["rows"]]) for one in case["answered"]]
    answers_rightly(reader_of(database), database, asked, least=len(asked))


@pytest.mark.parametrize("name", ["library", "gym", "theatre", "harbour", "quarry", "kennel", "laundry"])
def test_what_no_column_says_is_not_answered(name: str) -> None:
    case = case_table(__file__, name)
    reader = reader_of(database_of(case["database"]))
    assert [question for question in case["refused"] if answer_of(reader, question) is not None] == []
