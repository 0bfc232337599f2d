"""The chart that an answer is wanted as is no part of the question, and neither is a turn of phrase."""

from __future__ import annotations

import pytest

from askwell.charts.choice import asked_type
from askwell.mdl.semantic_model import Column, SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.models import semantic_model
from tests.support.tables import case_rows, case_table

SONGS = semantic_model(
    {
        "songs": (Column("id", "INTEGER"), Column("title", "VARCHAR"), Column("genre", "VARCHAR")),
        "charts": (Column("id", "INTEGER"), Column("song_id", "INTEGER"), Column("position", "INTEGER")),
    },
    [("charts.song_id", "songs.id")],
)


def outcome(question: str, model: SemanticModel = SONGS) -> Translation | Abstention:
    return QuestionReader(model, {}, "duckdb").translate(question)


def sql_of(question: str) -> str:
    found = outcome(question)
    assert isinstance(found, Translation), found
    return found.sql


@pytest.mark.parametrize(
    ("question", "kind"),
    case_rows(__file__, "a_named_chart_is_set_aside_and_still_asked_for", "question", "kind"),
)
def test_a_named_chart_is_set_aside_and_still_asked_for(question: str, kind: str) -> None:
    assert sql_of(question) == sql_of("Number of songs per genre")
    assert asked_type(question) == kind


@pytest.mark.parametrize("question", ["how many charts are there", "songs with the best position in charts"])
def test_a_table_of_charts_is_no_picture(question: str) -> None:
    found = outcome(question)
    assert isinstance(found, Abstention) or "charts" in found.sql


@pytest.mark.parametrize(
    "question",
    case_table(__file__, "the_values_of_a_column_are_shown_once_each"),
)
def test_the_values_of_a_column_are_shown_once_each(question: str) -> None:
    assert "SELECT DISTINCT" in sql_of(question)
