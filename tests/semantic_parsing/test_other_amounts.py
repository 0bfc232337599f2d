"""Amounts that are not the ones asked for. Strangers were told them as 85 to 95% sure; now they are asked, or told why
there is no answer."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import Column, SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.models import semantic_model
from tests.support.tables import case_rows

RENTAL = {
    "station": (
        Column("id", "INTEGER"),
        Column("name", "VARCHAR"),
        Column("city", "VARCHAR"),
        Column("dock_count", "INTEGER"),
    ),
    "status": (Column("station_id", "INTEGER"), Column("bikes_available", "INTEGER"), Column("time", "TIMESTAMP")),
    "riders": (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("station_id", "INTEGER")),
    "standings": (Column("id", "INTEGER"), Column("rider_id", "INTEGER"), Column("wins", "INTEGER")),
    "stages": (Column("id", "INTEGER"), Column("rider_id", "INTEGER"), Column("date", "DATE")),
}
LINKS = [
    ("status.station_id", "station.id"),
    ("riders.station_id", "station.id"),
    ("standings.rider_id", "riders.id"),
    ("stages.rider_id", "riders.id"),
]


def rental() -> SemanticModel:
    """Stations with docks, how many bikes stood there at what times, and riders with running totals of their wins."""
    return semantic_model(RENTAL, LINKS)


def ask(question: str) -> Translation | Abstention:
    return QuestionReader(rental(), {}, "duckdb").translate(question)


@pytest.mark.parametrize(
    ("question", "reason"),
    case_rows(__file__, "there_is_no_answer_where_another_amount_would_be_told", "question", "reason"),
)
def test_there_is_no_answer_where_another_amount_would_be_told(question: str, reason: str) -> None:
    told = ask(question)
    assert isinstance(told, Abstention), told
    assert told.reason == reason
    assert told.message


def test_two_counts_are_not_taken_from_a_join() -> None:
    told = ask("How many riders are there and how many stations?")
    assert isinstance(told, Translation), told
    assert told.sql.count("SELECT COUNT(*)") == 2


@pytest.mark.parametrize("question", ["How many docks are there?", "how many docks does each station have?"])
def test_what_a_column_counts_is_added_up(question: str) -> None:
    told = ask(question)
    assert isinstance(told, Translation), told
    assert "SUM(station.dock_count)" in told.sql


def test_how_things_stood_at_many_times_has_an_average() -> None:
    told = ask("average bikes available")
    assert isinstance(told, Translation), told
    assert told.sql == "SELECT AVG(status.bikes_available) AS average_bikes_available FROM status"


def test_the_fewest_may_be_none_at_all() -> None:
    told = ask("which station has the fewest riders?")
    assert isinstance(told, Translation), told
    assert "LEFT JOIN" in told.sql
    assert "none_left_out" not in [one.kind for one in told.assumptions]


@pytest.mark.parametrize(("rank", "said"), [("fewest", ["none_left_out"]), ("most", [])])
def test_whoever_has_none_in_a_time_is_told_to_be_left_out_of_the_fewest(rank: str, said: list[str]) -> None:
    told = ask(f"which rider has the {rank} stages in 2024?")
    assert isinstance(told, Translation), told
    assert [one.kind for one in told.assumptions] == said
