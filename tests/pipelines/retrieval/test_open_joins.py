"""Which joins are open, and what becomes of them when somebody chooses."""

from __future__ import annotations

from dataclasses import replace

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinSource
from askwell.mdl.semantic_model import Cardinality
from askwell.pipelines.retrieval.joins import JoinChoice, JoinFinder, Joins, open_joins, with_choices
from tests.support.models import semantic_model

MODEL = semantic_model(
    {
        "games": ["id", "home_team_id", "away_team_id", "note"],
        "teams": ["id", "name"],
        "sponsors": ["id", "name"],
        "contracts": ["team_id", "sponsor_id"],
        "bookings": ["sponsor_id", "team_id"],
        "weather": ["day", "degrees"],
    },
    [
        ("games.home_team_id", "teams.id"),
        ("games.away_team_id", "teams.id"),
        ("contracts.team_id", "teams.id"),
        ("contracts.sponsor_id", "sponsors.id"),
        ("bookings.team_id", "teams.id"),
        ("bookings.sponsor_id", "sponsors.id"),
    ],
)
FINDER = JoinFinder(MODEL)


def _told(*chosen: str) -> Joins:
    shown = FINDER.with_bridges(chosen)
    return FINDER.joins(FINDER.edges_among(shown), shown, chosen)


def _open(*chosen: str) -> list[tuple[str, str, list[str]]]:
    pairs = open_joins(_told(*chosen), chosen, 0.75)
    return [(pair.left, pair.right, [choice.condition for choice in pair.choices]) for pair in pairs]


def _choice(condition: str, confidence: float) -> JoinChoice:
    edges = read_joins(MODEL, condition)
    named = [replace(e, source=JoinSource.MODEL, confidence=confidence, reason="so it is") for e in edges]
    return JoinChoice(tuple(named), confidence)


def _lines(joins: Joins) -> list[str]:
    return [*joins.lines("sqlite"), *joins.sentences("sqlite")]


def test_what_the_graph_answers_alone_is_not_open() -> None:
    assert _open("games") == []
    assert _open("contracts", "teams", "sponsors") == []


def test_several_roles_are_open() -> None:
    assert _open("games", "teams") == [
        ("games", "teams", ["games.away_team_id = teams.id", "games.home_team_id = teams.id"])
    ]


def test_ways_of_the_same_length_are_open() -> None:
    assert _open("sponsors", "teams") == [
        (
            "sponsors",
            "teams",
            [
                "bookings.sponsor_id = sponsors.id AND bookings.team_id = teams.id",
                "contracts.sponsor_id = sponsors.id AND contracts.team_id = teams.id",
            ],
        )
    ]


def test_tables_that_nothing_joins_are_open() -> None:
    assert _open("games", "weather") == [("games", "weather", [])]


def test_only_the_first_tables_count() -> None:
    assert _open("contracts", "teams", "sponsors", "weather", "games") == []


def test_a_chosen_role_has_the_given_confidence_and_the_other_what_is_left() -> None:
    joins = with_choices(_told("games", "teams"), [_choice("teams.id = games.home_team_id", 0.9)])
    assert _lines(joins) == [
        "games.away_team_id = teams.id -- role games_away_team_id_teams, confidence 0.05",
        "games.home_team_id = teams.id -- role games_home_team_id_teams, inferred from the question, confidence 0.90",
    ]
    assert joins.edges[1].reason == "so it is"


def test_a_chosen_way_comes_first() -> None:
    chosen = _choice("sponsors.id = contracts.sponsor_id AND contracts.team_id = teams.id", 0.8)
    joins = with_choices(_told("sponsors", "teams"), [chosen])
    assert (
        "teams can be joined from sponsors over contracts (confidence 0.80) or from sponsors over bookings "
        "(confidence 0.10)." in joins.sentences("sqlite")
    )
    assert [edge.confidence for edge in joins.edges] == [1.0] * 4


def test_a_new_join_is_added_and_connects() -> None:
    joins = with_choices(_told("games", "weather"), [_choice("games.note = weather.day", 0.6)])
    (edge,) = joins.edges
    assert joins.lines("sqlite")[-1] == "games.note = weather.day -- inferred from the question, confidence 0.60"
    assert edge.cardinality is Cardinality.MANY_TO_ONE
    assert joins.sentences("sqlite") == ()


def test_no_choice_changes_nothing() -> None:
    before = _told("sponsors", "teams", "games", "weather")
    assert with_choices(before, []) == before
