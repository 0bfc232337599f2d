"""What was answered when an ask asked back, as the record keeps it and as it grows."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from askwell.mdl.semantic_model import Cardinality, ColumnRef, Relationship, SemanticModel
from askwell.sql.bindings import Bindings

TABLES = st.sampled_from(["orders", "people", "shops"])
COLUMNS = st.builds(ColumnRef, TABLES, st.sampled_from(["id", "name"]))
LINKS = st.sampled_from(["buyer", "seller", "shop"])


def several(one: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(one, unique=True, max_size=3).map(tuple)


BINDINGS = st.builds(
    Bindings,
    tables=several(TABLES),
    not_tables=several(TABLES),
    columns=several(COLUMNS),
    relationships=several(LINKS),
    figure=st.none() | st.just("rows") | COLUMNS,
)


def link(name: str, left: str, right: str) -> Relationship:
    return Relationship(name, left, right, Cardinality.MANY_TO_ONE, ((f"{name}_id", "id"),))


MODEL = SemanticModel(
    "m",
    "SQLITE",
    {},
    (link("buyer", "orders", "people"), link("seller", "orders", "people"), link("shop", "orders", "shops")),
)


@given(BINDINGS)
def test_the_record_gives_back_what_it_keeps(bindings: Bindings) -> None:
    assert Bindings.from_json(json.loads(json.dumps(bindings.to_json()))) == bindings


@given(BINDINGS, BINDINGS)
def test_what_is_said_later_counts(earlier: Bindings, later: Bindings) -> None:
    both = earlier.merged(later, MODEL)
    assert set(later.tables) <= set(both.tables)
    assert set(later.not_tables) - set(later.tables) <= {*both.not_tables, *(ref.table for ref in later.columns)}
    assert set(later.columns) <= set(both.columns)
    assert set(later.relationships) <= set(both.relationships)
    assert later.figure is None or both.figure == later.figure
    for name in set(earlier.tables) - set(both.tables):
        assert name in later.not_tables
    for ref in set(earlier.columns) - set(both.columns):
        assert ref.table in later.not_tables


def test_two_tables_are_joined_as_was_said_last() -> None:
    both = Bindings(relationships=("buyer", "shop")).merged(Bindings(relationships=("seller",)), MODEL)
    assert both.relationships == ("shop", "seller")
