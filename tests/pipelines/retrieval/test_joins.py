"""Which tables are added to connect those that were chosen, and what prompts are told of their joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinSource
from askwell.mdl.semantic_model import Cardinality, Relationship, SemanticModel
from askwell.pipelines.retrieval.joins import JoinChoice, JoinFinder, Joins, open_joins, with_choices
from tests.support.models import semantic_model

LEAGUE = semantic_model(
    {
        "games": ["id", "home_team_id", "away_team_id", "stadium_id"],
        "teams": ["id", "name", "parent_team_id"],
        "stadiums": ["id", "city_id"],
        "cities": ["id", "name"],
        "sponsors": ["id", "name"],
        "contracts": ["team_id", "sponsor_id"],
        "bookings": ["sponsor_id", "team_id"],
        "weather": ["day", "degrees"],
        "referees": ["referee_id", "name"],
        "cards": ["card_id", "referee_id"],
    },
    [
        ("games.home_team_id", "teams.id"),
        ("games.away_team_id", "teams.id"),
        ("games.stadium_id", "stadiums.id"),
        ("stadiums.city_id", "cities.id"),
        ("contracts.team_id", "teams.id"),
        ("contracts.sponsor_id", "sponsors.id"),
        ("bookings.team_id", "teams.id"),
        ("bookings.sponsor_id", "sponsors.id"),
        ("teams.parent_team_id", "teams.id"),
    ],
    weather={"properties": {"join_hints": ["weather.day = games.id", "Weather is that of the stadium."]}},
)
FINDER = JoinFinder(LEAGUE)


def _told(finder: JoinFinder, shown: Sequence[str], chosen: Sequence[str] | None = None) -> Joins:
    return finder.joins(finder.edges_among(shown), shown, shown if chosen is None else chosen)


def _lines(joins: Joins) -> list[str]:
    return [*joins.lines("sqlite"), *joins.sentences("sqlite")]


def test_tables_on_the_shortest_way_are_added_behind_the_table_that_needs_them() -> None:
    assert FINDER.with_bridges(["games", "cities", "teams"]) == ("games", "cities", "stadiums", "teams")
    assert FINDER.with_bridges(["games", "stadiums"]) == ("games", "stadiums")
    assert FINDER.with_bridges(["weather", "cards", "sponsors"]) == (
        "weather",
        "cards",
        "sponsors",
        "games",
        "teams",
        "bookings",
        "contracts",
    )
    assert FINDER.with_bridges([]) == ()


def test_at_most_five_tables_are_added_and_never_half_a_way() -> None:
    names = [f"t{number}" for number in range(40)]
    model = semantic_model(
        {name: ["id", "next_id"] for name in names},
        [(f"{one}.next_id", f"{other}.id") for one, other in pairwise(names)],
    )
    finder = JoinFinder(model)
    assert finder.with_bridges(["t0", "t3", "t6", "t9"]) == ("t0", "t3", "t1", "t2", "t6", "t4", "t5", "t9")
    assert finder.with_bridges(["t0", "t3", "t6", "t8"])[-2:] == ("t8", "t7")


def test_roles_joins_to_itself_and_their_confidence() -> None:
    assert _lines(_told(FINDER, ["games", "teams"])) == [
        "games.away_team_id = teams.id -- role games_away_team_id_teams, confidence 0.50",
        "games.home_team_id = teams.id -- role games_home_team_id_teams, confidence 0.50",
        "teams.parent_team_id = teams.id",
    ]


def test_ways_of_the_same_length_are_told_with_the_tables_that_were_added() -> None:
    shown = FINDER.with_bridges(["sponsors", "teams"])
    assert shown == ("sponsors", "teams", "bookings", "contracts")
    assert _told(FINDER, shown, ["sponsors", "teams"]).sentences("sqlite") == (
        "bookings and contracts are here only to connect other tables.",
        "teams can be joined from sponsors over bookings (confidence 0.50) or from sponsors over contracts "
        "(confidence 0.50).",
    )


def test_a_way_whose_tables_are_not_shown_is_not_told() -> None:
    assert _told(FINDER, ["sponsors", "teams", "bookings"], ["sponsors", "teams"]).sentences("sqlite") == (
        "bookings is here only to connect other tables.",
    )


def test_in_a_whole_model_no_table_was_added() -> None:
    shown = list(LEAGUE.tables)
    joins = FINDER.joins(FINDER.edges_among(shown), shown, ["games", "cities"], bridged=False)
    assert joins.bridges == ()
    assert not any("only to connect" in sentence for sentence in joins.sentences("sqlite"))


def test_no_sentence_says_that_tables_cannot_be_joined() -> None:
    """What nobody declared may still be a join."""
    for tables in (["games", "cards", "teams"], ["games", "cards", "teams", "referees"], ["cards", "weather"]):
        assert _told(FINDER, tables).sentences("sqlite") == ()


def test_what_is_unusual_of_a_join_is_said_and_names_are_written_as_sql_needs_them() -> None:
    tables = {"Order Details": ["id"], "receipts": ["order id"], "tags": ["id"], "people": ["id"]}
    links = (
        Relationship("a", "receipts", "Order Details", Cardinality.ONE_TO_ONE, (("order id", "id"),)),
        Relationship(
            "b", "tags", "people", Cardinality.MANY_TO_ONE, (("id", "id"),), True, "all\nvalues of id are keys"
        ),
    )
    model: SemanticModel = replace(semantic_model(tables), relationships=links)
    assert _lines(_told(JoinFinder(model), list(tables))) == [
        '"Order Details".id = receipts."order id" -- ONE_TO_ONE',
        "tags.id = people.id -- inferred: all values of id are keys, confidence 0.95",
    ]


def test_a_join_that_names_suggest_is_told_as_a_guess_where_both_tables_are_chosen() -> None:
    (edge,) = _told(FINDER, ["cards", "referees"]).edges
    (line,) = _told(FINDER, ["cards", "referees"]).lines("sqlite")
    assert line.startswith("cards.referee_id = referees.referee_id -- a guess by names, confidence 0.")
    assert edge.source is JoinSource.NAMES
    assert FINDER.with_bridges(["games", "referees"]) == ("games", "referees")


def test_a_hint_connects_and_is_left_to_its_table_to_tell() -> None:
    joins = _told(FINDER, ["weather", "games"])
    assert joins.edges == ()
    assert joins.sentences("sqlite") == ()


def test_a_composite_key_is_one_line() -> None:
    pairs = (("order_id", "order_id"), ("line_no", "no"))
    link = Relationship("returned", "returns", "lines", Cardinality.MANY_TO_ONE, pairs)
    tables = {"lines": ["order_id", "no"], "returns": ["id", "order_id", "line_no"]}
    model: SemanticModel = replace(semantic_model(tables), relationships=(link,))
    assert _lines(_told(JoinFinder(model), ["lines", "returns"])) == [
        "returns.order_id = lines.order_id AND returns.line_no = lines.no"
    ]


# -- Which joins are open, and what becomes of them when somebody chooses.


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
FINDER_OF_OPEN_JOINS = JoinFinder(MODEL)


def _told_of_open_joins(*chosen: str) -> Joins:
    shown = FINDER_OF_OPEN_JOINS.with_bridges(chosen)
    return FINDER_OF_OPEN_JOINS.joins(FINDER_OF_OPEN_JOINS.edges_among(shown), shown, chosen)


def _open(*chosen: str) -> list[tuple[str, str, list[str]]]:
    pairs = open_joins(_told_of_open_joins(*chosen), chosen, 0.75)
    return [(pair.left, pair.right, [choice.condition for choice in pair.choices]) for pair in pairs]


def _choice(condition: str, confidence: float) -> JoinChoice:
    edges = read_joins(MODEL, condition)
    named = [replace(e, source=JoinSource.MODEL, confidence=confidence, reason="so it is") for e in edges]
    return JoinChoice(tuple(named), confidence)


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
    joins = with_choices(_told_of_open_joins("games", "teams"), [_choice("teams.id = games.home_team_id", 0.9)])
    assert _lines(joins) == [
        "games.away_team_id = teams.id -- role games_away_team_id_teams, confidence 0.05",
        "games.home_team_id = teams.id -- role games_home_team_id_teams, inferred from the question, confidence 0.90",
    ]
    assert joins.edges[1].reason == "so it is"


def test_a_chosen_way_comes_first() -> None:
    chosen = _choice("sponsors.id = contracts.sponsor_id AND contracts.team_id = teams.id", 0.8)
    joins = with_choices(_told_of_open_joins("sponsors", "teams"), [chosen])
    assert (
        "teams can be joined from sponsors over contracts (confidence 0.80) or from sponsors over bookings "
        "(confidence 0.10)." in joins.sentences("sqlite")
    )
    assert [edge.confidence for edge in joins.edges] == [1.0] * 4


def test_a_new_join_is_added_and_connects() -> None:
    joins = with_choices(_told_of_open_joins("games", "weather"), [_choice("games.note = weather.day", 0.6)])
    (edge,) = joins.edges
    assert joins.lines("sqlite")[-1] == "games.note = weather.day -- inferred from the question, confidence 0.60"
    assert edge.cardinality is Cardinality.MANY_TO_ONE
    assert joins.sentences("sqlite") == ()


def test_no_choice_changes_nothing() -> None:
    before = _told_of_open_joins("sponsors", "teams", "games", "weather")
    assert with_choices(before, []) == before
