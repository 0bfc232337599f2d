"""The chart that an answer is wanted as is no part of the question, and neither is a turn of phrase."""

from __future__ import annotations

import pytest

from askwell.charts.choice import asked_type
from askwell.mdl.semantic_model import Column, SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.models import semantic_model

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
    [
        ("Number of songs per genre as a pie chart", "pie"),
        ("Number of songs per genre, as a bar chart.", "bar"),
        ("Number of songs per genre in a line graph?", "line"),
        ("Number of songs per genre as a stacked bar chart", "stacked_bar"),
        ("Number of songs per genre as a pie", "pie"),
        ("Number of songs per genre as bars", "bar"),
        ("Show me a pie chart of the number of songs per genre", "pie"),
        ("Please draw a donut chart of the number of songs per genre", "pie"),
        ("Number of songs per genre as a chart", ""),
    ],
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
    [
        "What values can the genre of a song have?",
        "Which values does genre have",
        "what possible values can genre take on?",
        "What are the possible values of genre?",
    ],
)
def test_the_values_of_a_column_are_shown_once_each(question: str) -> None:
    assert "SELECT DISTINCT" in sql_of(question)
