"""What connects a set of tables."""

from __future__ import annotations

from askwell.mdl.join_graph import Ambiguous, JoinGraph, JoinTree, Unconnected
from askwell.mdl.semantic_model import Cardinality, Relationship, SemanticModel


def _graph(*links: str) -> JoinGraph:
    """From `orders.customer_id>customers.id`, `role:a.x>b.y` or `~a.x>b.y` (inferred), each many to one."""
    relationships = []
    for text in links:
        role, _, rest = text.rpartition(":")
        left, right = rest.removeprefix("~").split(">")
        (left_table, left_column), (right_table, right_column) = left.split("."), right.split(".")
        relationships.append(
            Relationship(
                name=role or rest,
                left=left_table,
                right=right_table,
                cardinality=Cardinality.MANY_TO_ONE,
                pairs=((left_column, right_column),),
                inferred=rest.startswith("~"),
            )
        )
    return JoinGraph(SemanticModel("h", "DUCKDB", {}, tuple(relationships)))


CHAIN = ("items.order_id>orders.id", "orders.customer_id>customers.id", "customers.region_id>regions.id")


def test_one_table_needs_no_join() -> None:
    assert _graph(*CHAIN).connect(["items"]) == JoinTree(())
    assert _graph().connect([]) == JoinTree(())


def test_a_path_adds_the_tables_between() -> None:
    tree = _graph(*CHAIN).connect(["items", "regions"])
    assert isinstance(tree, JoinTree)
    assert tree.added == ("orders", "customers")
    assert [edge.condition for edge in tree.edges] == [
        "items.order_id = orders.id",
        "orders.customer_id = customers.id",
        "customers.region_id = regions.id",
    ]


def test_edges_are_read_in_the_direction_that_they_are_taken() -> None:
    tree = _graph(*CHAIN).connect(["customers", "orders"])
    assert isinstance(tree, JoinTree)
    assert tree.edges[0].cardinality is Cardinality.ONE_TO_MANY
    assert tree.edges[0].condition == "customers.id = orders.customer_id"


def test_what_is_connected_already_is_used() -> None:
    tree = _graph(*CHAIN).connect(["items", "customers", "orders"])
    assert isinstance(tree, JoinTree)
    assert len(tree.edges) == 2
    assert tree.added == ()


def test_two_roles_are_two_answers() -> None:
    graph = _graph("payer:orders.payer_id>people.id", "buyer:orders.buyer_id>people.id")
    found = graph.connect(["orders", "people"])
    assert isinstance(found, Ambiguous)
    assert [tree.edges[0].role for tree in found.alternatives] == ["payer", "buyer"]
    assert [edge.role for edge in graph.between("people", "orders")] == ["payer", "buyer"]


def test_two_ways_of_the_same_length_are_two_answers() -> None:
    found = _graph("a.b_id>b.id", "a.c_id>c.id", "b.d_id>d.id", "c.d_id>d.id").connect(["a", "d"])
    assert isinstance(found, Ambiguous)
    assert [tree.added for tree in found.alternatives] == [("b",), ("c",)]


def test_the_shorter_way_wins() -> None:
    tree = _graph("a.b_id>b.id", "b.d_id>d.id", "a.d_id>d.id").connect(["a", "d"])
    assert isinstance(tree, JoinTree)
    assert tree.added == ()


def test_a_declared_role_is_preferred_to_an_inferred_one() -> None:
    tree = _graph("~a.maybe_id>b.id", "a.b_id>b.id").connect(["a", "b"])
    assert isinstance(tree, JoinTree)
    assert not tree.edges[0].inferred


def test_tables_that_nothing_joins() -> None:
    found = _graph(*CHAIN, "x.y_id>y.id").connect(["items", "y", "orders", "lonely"])
    assert found == Unconnected((("items", "orders"), ("y",), ("lonely",)))


def test_a_table_joined_to_itself_has_that_edge_once() -> None:
    graph = _graph("staff.boss_id>staff.id")
    assert [edge.condition for edge in graph.edges_of("staff")] == ["staff.boss_id = staff.id"]
    assert graph.connect(["staff"]) == JoinTree(())


def test_a_dense_graph_is_answered() -> None:
    names = [f"t{number}" for number in range(30)]
    graph = _graph(*(f"{a}.{b}_id>{b}.id" for a in names for b in names if a < b))
    tree = graph.connect(names[:12])
    assert isinstance(tree, JoinTree | Ambiguous)
