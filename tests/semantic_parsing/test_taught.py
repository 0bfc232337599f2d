"""Words that a model does not have: taught, asked about, and refused where they already mean something."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import Column, ColumnRef, SemanticModel, Table, TableKind
from askwell.semantic_parsing.model.catalog import Target
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.taught import key_of
from askwell.semantic_parsing.translation import Abstention, Translation


@pytest.fixture(scope="module")
def reader() -> QuestionReader:
    columns = (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("unit_price", "DOUBLE"))
    tracks = Table("tracks", TableKind.MODEL, (*columns, Column("seconds", "INTEGER")), primary_key=("id",))
    sold = (Column("id", "INTEGER"), Column("ticket", "VARCHAR"), Column("quantity", "INTEGER"))
    lines = Table("ticket_lines", TableKind.MODEL, sold, primary_key=("id",))
    return QuestionReader(SemanticModel("m", "DUCKDB", {"tracks": tracks, "ticket_lines": lines}), {}, "duckdb")


def taught(said: str, target: Target) -> dict[tuple[str, ...], Target]:
    return {key_of(said): target}


@pytest.mark.parametrize(
    ("question", "said", "target", "sql"),
    [
        ("how many ditties are there?", "ditty", "tracks", "SELECT COUNT(*) AS number_of_tracks FROM tracks"),
        ("How many Ditties?", "ditties", "tracks", "SELECT COUNT(*) AS number_of_tracks FROM tracks"),
        (
            "how many stubs are there?",
            "stubs",
            "ticket_lines",
            "SELECT COUNT(*) AS number_of_ticket_lines FROM ticket_lines",
        ),
        (
            "average grand hoopla of tracks",
            "grand hoopla",
            ColumnRef("tracks", "seconds"),
            "SELECT AVG(tracks.seconds) AS average_seconds FROM tracks",
        ),
    ],
)
def test_taught_words_are_as_good_as_the_model_s_own(
    reader: QuestionReader, question: str, said: str, target: Target, sql: str
) -> None:
    assert isinstance(reader.translate(question), Abstention)
    found = reader.translate(question, taught=taught(said, target))
    assert isinstance(found, Translation), found
    assert found.sql == sql
    assert [key_of(word) for word in found.taught] == [key_of(said)]


def test_what_is_taught_says_nothing_of_the_model_s_words(reader: QuestionReader) -> None:
    alone = reader.translate("how many tracks are there?")
    assert reader.translate("how many tracks are there?", taught=taught("tracks", "ticket_lines")) == alone
    assert reader.translate("how many tracks are there?", taught=taught("zorbs", "ticket_lines")) == alone


def test_a_column_that_is_gone_means_nothing(reader: QuestionReader) -> None:
    gone = taught("flim", ColumnRef("tracks", "lava"))
    assert isinstance(reader.translate("average flim of tracks", taught=gone), Abstention)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("tracks", "the model calls something else so"),
        ("how many", "every question is made of such words"),
        ("", "it has no words"),
        ("a b c d e f g", "it has more than"),
    ],
)
def test_why_words_are_not_taught(reader: QuestionReader, said: str, why: str) -> None:
    told = reader.why_not_taught(said, "ticket_lines")
    assert told is not None
    assert told.startswith(why)


def test_unknown_words_come_with_what_they_could_mean(reader: QuestionReader) -> None:
    question = "average flim of tracks"
    given = reader.translate(question)
    assert isinstance(given, Abstention)
    asked = reader.asking_back(question, given)
    assert (asked.reason, asked.words) == ("unknown_word", ("flim",))
    assert asked.asks_back
    for choice in asked.choices:
        assert isinstance(reader.translate(question, bound=choice.bindings), Translation), choice
    assert ColumnRef("tracks", "seconds") in {ref for choice in asked.choices for ref in choice.bindings.columns}


@pytest.mark.parametrize("question", ["tracks of Quux", "how many tracks are there?"])
def test_names_are_not_asked_about(reader: QuestionReader, question: str) -> None:
    given = reader.translate(question)
    if isinstance(given, Abstention):
        assert reader.asking_back(question, given) == given
