"""What connects a set of tables."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.join_candidates import hinted_joins, read_joins, suggested_joins
from askwell.mdl.join_graph import Connection, JoinGraph, JoinSource
from askwell.mdl.semantic_model import Cardinality, Column, Relationship, SemanticModel
from tests.support.models import semantic_model
from tests.support.tables import case_rows, case_table


def _graph(*links: str) -> JoinGraph:
    """From `orders.customer_id>customers.id`, `role:a.x>b.y` or `~a.x>b.y` (inferred), each many to one."""
    return JoinGraph(SemanticModel("h", "DUCKDB", {}, tuple(map(_relationship, links))))


def _relationship(text: str) -> Relationship:
    role, _, rest = text.rpartition(":")
    left, right = rest.removeprefix("~").split(">")
    (left_table, left_column), (right_table, right_column) = left.split("."), right.split(".")
    return Relationship(
        name=role or rest,
        left=left_table,
        right=right_table,
        cardinality=Cardinality.MANY_TO_ONE,
        pairs=((left_column, right_column),),
        inferred=rest.startswith("~"),
        reason="it is called so" if rest.startswith("~") else "",
    )


def _ways(connection: Connection) -> list[list[tuple[str, ...]]]:
    return [[way.tables for way in ways] for ways in connection.ways]


CHAIN = ("items.order_id>orders.id", "orders.customer_id>customers.id", "customers.region_id>regions.id")


def test_one_table_needs_no_join() -> None:
    assert _graph(*CHAIN).connect(["items"]) == Connection((("items",),), ())
    assert _graph().connect([]) == Connection((), ())


def test_a_way_leads_over_the_tables_between() -> None:
    connection = _graph(*CHAIN).connect(["items", "regions"])
    assert connection.groups == (("items", "regions"),)
    assert _ways(connection) == [[("items", "orders", "customers", "regions")]]
    assert connection.ways[0][0].between == ("orders", "customers")
    assert connection.ways[0][0].confidence == 1.0


def test_what_is_connected_already_is_used() -> None:
    connection = _graph(*CHAIN).connect(["items", "customers", "orders"])
    assert _ways(connection) == [[("items", "orders", "customers")], [("orders",)]]


def test_two_roles_share_the_confidence_and_stay_apart() -> None:
    graph = _graph("payer:orders.payer_id>people.id", "buyer:orders.buyer_id>people.id")
    roles = graph.between("people", "orders")
    assert [(edge.role, edge.confidence) for edge in roles] == [("buyer", 0.5), ("payer", 0.5)]
    assert roles[0].condition == "people.id = orders.buyer_id"
    assert roles[0].cardinality is Cardinality.ONE_TO_MANY


def test_joins_among_tables_are_read_from_the_side_of_many_best_tables_first() -> None:
    graph = _graph(*CHAIN, "items.region_id>regions.id")
    assert [edge.condition for edge in graph.among(["customers", "regions", "items", "orders"])] == [
        "customers.region_id = regions.id",
        "items.region_id = regions.id",
        "orders.customer_id = customers.id",
        "items.order_id = orders.id",
    ]


def test_two_ways_of_the_same_length_are_both_told_with_their_confidence() -> None:
    connection = _graph("a.b_id>b.id", "a.c_id>c.id", "b.d_id>d.id", "c.d_id>d.id").connect(["a", "d"])
    assert _ways(connection) == [[("a", "b", "d"), ("a", "c", "d")]]
    assert [way.confidence for way in connection.ways[0]] == [0.5, 0.5]


def test_the_shorter_way_wins() -> None:
    connection = _graph("a.b_id>b.id", "b.d_id>d.id", "~a.d_id>d.id").connect(["a", "d"])
    assert _ways(connection) == [[("a", "d")]]


def test_of_ways_of_the_same_length_the_declared_one_wins() -> None:
    connection = _graph("~a.b_id>b.id", "a.c_id>c.id", "b.d_id>d.id", "c.d_id>d.id").connect(["a", "d"])
    assert _ways(connection) == [[("a", "c", "d")]]


def test_of_ways_of_the_same_length_one_over_a_chosen_table_wins() -> None:
    links = ("a.b_id>b.id", "a.c_id>c.id", "b.d_id>d.id", "c.d_id>d.id")
    assert _ways(_graph(*links).connect(["a", "d", "c"])) == [[("a", "c", "d")], [("c",)]]


def test_a_guessed_relationship_is_less_sure_and_says_why() -> None:
    (edge,) = _graph("~a.b_id>b.id").between("a", "b")
    assert edge.source is JoinSource.INFERRED
    assert 0.75 < edge.confidence < 1
    assert edge.reason == "it is called so"


def test_tables_that_nothing_joins() -> None:
    connection = _graph(*CHAIN, "x.y_id>y.id").connect(["items", "y", "orders", "lonely"])
    assert connection.groups == (("items", "orders"), ("y",), ("lonely",))


def test_a_way_of_more_than_five_joins_is_none_unless_a_chosen_table_lies_on_it() -> None:
    graph = _graph(*(f"t{n}.next_id>t{n + 1}.id" for n in range(10)))
    assert graph.connect(["t0", "t5"]).groups == (("t0", "t5"),)
    assert graph.connect(["t0", "t6"]).groups == (("t0",), ("t6",))
    assert graph.connect(["t0", "t10", "t5"]).groups == (("t0", "t10", "t5"),)
    assert graph.are_connected("t0", "t10")


def test_a_table_joined_to_itself_has_that_join_once() -> None:
    graph = _graph("staff.boss_id>staff.id")
    assert [edge.condition for edge in graph.edges_of("staff")] == ["staff.boss_id = staff.id"]
    assert [edge.condition for edge in graph.among(["staff"])] == ["staff.boss_id = staff.id"]
    assert graph.connect(["staff"]).ways == ()


def test_a_join_to_itself_told_from_both_sides_is_one() -> None:
    graph = _graph("boss:staff.boss_id>staff.id", "reports:staff.id>staff.boss_id")
    assert [edge.role for edge in graph.edges_of("staff")] == ["boss"]


def test_relationships_with_the_same_condition_are_one() -> None:
    graph = _graph("~a.b_id>b.id", "second:a.b_id>b.id", "third:b.id>a.b_id")
    assert [(edge.role, edge.confidence) for edge in graph.between("a", "b")] == [("second", 1.0)]


def test_a_composite_key_is_one_join() -> None:
    pairs = (("order_id", "order_id"), ("line_no", "no"))
    link = Relationship("returned", "returns", "lines", Cardinality.MANY_TO_ONE, pairs)
    (edge,) = JoinGraph(SemanticModel("h", "DUCKDB", {}, (link,))).between("returns", "lines")
    assert edge.condition == "returns.order_id = lines.order_id AND returns.line_no = lines.no"


# -- any graph ------------------------------------------------------------------------------------------------------

_NAMES = [f"t{number}" for number in range(8)]
_LINKS = st.lists(
    st.tuples(st.sampled_from(_NAMES), st.sampled_from(_NAMES), st.integers(0, 2), st.booleans()), max_size=16
)


def _of(links: Iterable[tuple[str, str, int, bool]]) -> list[str]:
    return [f"{'~' if guess else ''}{a}.{b}_{number}>{b}.id" for a, b, number, guess in links]


def _all_shortest(links: list[str], start: str, end: str) -> list[tuple[str, ...]]:
    """By trying every path: slow, and obviously right."""
    near: dict[str, set[str]] = {name: set() for name in _NAMES}
    for link in map(_relationship, links):
        near[link.left].add(link.right)
        near[link.right].add(link.left)

    def paths(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if path[-1] == end:
            yield path
        elif len(path) <= 5:
            for name in near[path[-1]] - set(path):
                yield from paths((*path, name))

    found = sorted(paths((start,)), key=lambda path: (len(path), path))
    return [path for path in found if len(path) == len(found[0])]


@given(_LINKS, st.sampled_from(_NAMES), st.sampled_from(_NAMES))
def test_two_tables_are_connected_by_shortest_paths_exactly_where_there_are_some(
    links: list[tuple[str, str, int, bool]], start: str, end: str
) -> None:
    texts = _of(links)
    declared = {frozenset((link.left, link.right)) for link in map(_relationship, texts) if not link.inferred}

    def guesses(path: tuple[str, ...]) -> int:
        return sum(frozenset(step) not in declared for step in pairwise(path))

    if start == end:
        return
    possible = _all_shortest(texts, start, end)
    fewest = min(map(guesses, possible), default=0)
    best = [path for path in possible if guesses(path) == fewest]
    assert _ways(_graph(*texts).connect([start, end])) == ([best[:6]] if best else [])


@given(_LINKS, st.lists(st.sampled_from(_NAMES), unique=True), st.randoms(use_true_random=False))
def test_any_connection_is_made_of_joins_that_are_there_and_not_of_their_order(
    links: list[tuple[str, str, int, bool]], tables: list[str], chance: random.Random
) -> None:
    texts = _of(links)
    graph = _graph(*texts)
    connection = graph.connect(tables)
    shuffled = list(texts)
    chance.shuffle(shuffled)
    other = _graph(*shuffled)
    assert other.connect(tables) == connection
    assert list(other.among(tables)) == list(graph.among(tables))
    assert sorted(name for group in connection.groups for name in group) == sorted(tables)
    for ways in connection.ways:
        assert sum(way.confidence for way in ways) <= 1.0 + 1e-9
        for way in ways:
            assert all(graph.between(here, there) for here, there in pairwise(way.tables))
    for group in connection.groups:
        for name in group:
            assert graph.are_connected(group[0], name)


# -- size -----------------------------------------------------------------------------------------------------------


def _calls(graph: JoinGraph, tables: list[str]) -> int:
    """What connecting costs, counted and not timed: calls of functions, Python's own among them."""
    count = 0

    def called(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        graph.connect(tables)
    finally:
        sys.setprofile(before)
    return count


def _dense(tables: int, each: int) -> JoinGraph:
    chance = random.Random(tables)
    names = [f"t{number}" for number in range(tables)]
    return _graph(*(f"{a}.{b}_id>{b}.id" for a in names for b in chance.sample(names, each) if a != b))


def test_the_work_hardly_grows_with_the_tables_nor_explodes_with_the_joins() -> None:
    tables = [f"t{number}" for number in range(10)]
    assert _calls(_dense(500, 10), tables) < 3 * _calls(_dense(100, 10), tables)
    assert _calls(_dense(120, 90), tables) < 50_000


def test_a_dense_graph_has_few_ways() -> None:
    names = [f"t{number}" for number in range(30)]
    graph = _graph(*(f"{a}.{b}_id>{b}.id" for a in names for b in names if a < b and (a, b) != ("t0", "t1")))
    (ways,) = graph.connect(["t0", "t1"]).ways
    assert len(ways) == 6
    assert all(len(way.tables) == 3 for way in ways)


# -- Joins that no relationship declares: conditions in hints and replies, and what names and types suggest.


SHOP = semantic_model(
    {
        "customers": ["customer_id", "name", Column("since", "DATE")],
        "orders": ["order_id", "customer_id", "state_code", "ship_to", Column("total", "DECIMAL(10,2)")],
        "states": ["code", "label"],
        "staff": ["staff_id", "manager_id"],
    }
)


def _suggested(model: SemanticModel) -> dict[str, tuple[float, str]]:
    return {edge.condition: (edge.confidence, edge.reason) for edge in suggested_joins(model, JoinGraph(model))}


@pytest.mark.parametrize(
    ("text", "condition", "cardinality"),
    case_rows(__file__, "a_condition_is_read_with_its_cardinality", "text", "condition", "cardinality"),
)
def test_a_condition_is_read_with_its_cardinality(text: str, condition: str, cardinality: str) -> None:
    (edge,) = read_joins(SHOP, text)
    assert (edge.condition, edge.cardinality) == (condition, Cardinality(cardinality))


@pytest.mark.parametrize(
    "text",
    [*case_table(__file__, "anything_else_is_no_join"), "orders.customer_id = customers.customer_id" + " " * 2_000],
)
def test_anything_else_is_no_join(text: str) -> None:
    assert read_joins(SHOP, text) == ()


def test_several_joins_in_a_row() -> None:
    text = "customers.customer_id = orders.customer_id AND orders.state_code = states.code"
    assert [edge.condition for edge in read_joins(SHOP, text)] == text.split(" AND ")


def _hinted(hints: Any) -> SemanticModel:
    tables = {"orders": ["id", "state"], "states": ["code", "label"]}
    return semantic_model(tables, orders={"properties": {"join_hints": hints}})


def test_a_hint_that_is_a_condition_is_a_join() -> None:
    (edge,) = hinted_joins(_hinted(["orders.state = states.code", "States are German states.", 7]))
    assert edge.condition == "orders.state = states.code"
    assert edge.source is JoinSource.HINT
    assert 0.75 < edge.confidence < 1


@pytest.mark.parametrize("hints", [None, "orders.state = states.code", {}, [None], []])
def test_hints_in_another_form_are_none(hints: Any) -> None:
    assert list(hinted_joins(_hinted(hints))) == []


def test_names_and_types_suggest_what_nothing_joins() -> None:
    suggested = _suggested(SHOP)
    assert list(suggested) == ["orders.customer_id = customers.customer_id", "orders.state_code = states.code"]
    confidence, reason = suggested["orders.customer_id = customers.customer_id"]
    assert 0.75 < confidence < 1
    assert reason == "customer_id has the name of the key of customers"


def test_keys_that_are_not_declared_are_found_by_name() -> None:
    declared = semantic_model({"customers": ["id", "name"], "orders": ["id", "customer_id"]})
    model = replace(declared, tables={table.name: replace(table, primary_key=()) for table in declared})
    assert list(_suggested(model)) == ["orders.customer_id = customers.id"]


def test_nothing_is_suggested_where_relationships_lead_already() -> None:
    tables = {
        "customers": ["customer_id"],
        "accounts": ["account_id", "owner"],
        "orders": ["order_id", "customer_id", "account_id"],
    }
    linked = semantic_model(
        tables, [("orders.account_id", "accounts.account_id"), ("accounts.owner", "customers.customer_id")]
    )
    assert _suggested(linked) == {}
    assert list(_suggested(semantic_model(tables, [("accounts.owner", "customers.customer_id")]))) == [
        "orders.customer_id = customers.customer_id",
        "orders.account_id = accounts.account_id",
    ]


def test_columns_that_cannot_be_equal_are_not_suggested() -> None:
    model = semantic_model(
        {"customers": [Column("customer_id", "INTEGER")], "orders": ["id", Column("customer_id", "DATE")]}
    )
    assert _suggested(model) == {}


def test_a_name_that_is_the_key_of_several_tables_suggests_each_less_surely() -> None:
    model = semantic_model(
        {"customers": ["customer_id"], "old_customers": ["customer_id"], "orders": ["id", "customer_id"]}
    )
    suggested = _suggested(model)
    assert set(suggested) == {
        "orders.customer_id = customers.customer_id",
        "orders.customer_id = old_customers.customer_id",
    }
    assert all(confidence < 0.5 for confidence, _ in suggested.values())


def test_a_name_that_is_the_key_of_many_tables_suggests_nothing() -> None:
    model = semantic_model({"orders": ["id", "batch_id"], **{f"load_{number}": ["batch_id"] for number in range(6)}})
    assert _suggested(model) == {}
