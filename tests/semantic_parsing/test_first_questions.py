"""First questions of people who see their data for the first time are answered rightly, or not at all."""

from __future__ import annotations

import pytest

from askwell.semantic_parsing.translation import Abstention, Translation
from askwell_evaluation.databases import DraftedModel, shows
from tests.support.tables import case_file

from .answers import answer_of, answers_rightly, database_of, reader_of

CASES = case_file(__file__)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "answered" in case])
def test_what_is_answered_is_right(name: str) -> None:
    case = CASES[name]
    database = database_of(case["database"])
    asked = [(one["question"], [tuple(row) for row in one["rows"]]) for one in case["answered"]]
    answers_rightly(reader_of(database), database, asked, least=len(asked))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "refused" in case])
def test_what_no_column_says_is_not_answered(name: str) -> None:
    case = CASES[name]
    reader = reader_of(database_of(case["database"]))
    assert [question for question in case["refused"] if answer_of(reader, question) is not None] == []


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "asked" in case])
def test_words_are_asked_back_by_where_they_stand(name: str) -> None:
    database = database_of(CASES[name]["database"])
    reader = reader_of(database)
    for case in CASES[name]["asked"]:
        given = reader.translate(case["question"])
        assert isinstance(given, Abstention), given
        asked = reader.asking_back(case["question"], given)
        assert [choice.label for choice in asked.choices] == case["choices"], case
        for choice in asked.choices[:1]:
            found = reader.translate(case["question"], bound=choice.bindings)
            assert isinstance(found, Translation), found
            shown = database.execute(DraftedModel(database, None).on_file(found.sql)).fetchall()
            assert shows([tuple(row) for row in case["rows"]], shown, ordered=False), found.sql
