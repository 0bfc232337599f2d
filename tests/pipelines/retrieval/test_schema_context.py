"""Which tables and columns go into prompts, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.semantic_model import (
    Cardinality,
    Column,
    ColumnRef,
    ColumnRole,
    Relationship,
    SemanticModel,
    Table,
    TableKind,
)
from askwell.mdl.view import authorised_view
from askwell.pipelines.retrieval.context import SchemaContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.retrieval import SchemaBudget, Window, schema_budget
from askwell.pipelines.retrieval.schema_context import ColumnWishes, part_of_model, whole_model
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable
from tests.support.examples import examples
from tests.support.models import semantic_model


def no_wishes() -> ColumnWishes:
    return ColumnWishes(frozenset(), {})


SHOP = semantic_model(
    {
        "orders": ["id", "customer_id", *(f"note_{n}" for n in range(40)), Column("state", "VARCHAR", essential=True)],
        "customers": ["id", "country", *(f"detail_{n}" for n in range(40))],
        "lines": ["id", "order_id", "product_id"],
        "products": ["id", "title", Column("rating", "DOUBLE", ColumnRole.CALCULATED, "avg(reviews.score)")],
        "suppliers": ["id"],
    },
    [
        ("orders.customer_id", "customers.id"),
        ("lines.order_id", "orders.id"),
        ("lines.product_id", "products.id"),
    ],
)
PREPARED = PreparedModel(SHOP, {})


def _joins(context: SchemaContext) -> list[str]:
    return list(context.join_lines)


def _tokens(context: SchemaContext) -> int:
    """Everything that prompts show of it, at four characters a token."""
    return (len("\n".join([context.text, *_joins(context), *context.left_out])) + 3) // 4


def test_a_model_that_fits_goes_in_whole_with_the_best_tables_named_first() -> None:
    context = whole_model(PREPARED, ["lines", "orders", "customers", "products", "suppliers"])
    assert set(context.tables) == set(SHOP.tables)
    assert context.tables[0] == "lines"
    assert all(len(context.columns[table.name]) == len(table.columns) for table in SHOP)
    assert context.is_whole
    assert context.left_out == ()
    assert context.has_calculated_fields
    assert not context.has_metrics
    assert "orders.customer_id = customers.id" in _joins(context)
    assert context.tokens == _tokens(context)
    assert context.further_join_lines == ()  # all of them stand in REFERENCES


@pytest.mark.parametrize("budget", [150, 250, 400, 800])
def test_the_budget_is_kept_and_what_is_needed_is_in(budget: int) -> None:
    wishes = ColumnWishes(frozenset({ColumnRef("customers", "detail_7")}), {ColumnRef("orders", "note_31"): 0.9})
    context = part_of_model(PREPARED, ["orders", "customers"], lambda: wishes, budget)
    assert context.tables[0] == "orders"
    assert context.tokens == _tokens(context) <= budget
    assert {"id", "state"} <= set(context.columns["orders"])
    if "customers" in context.tables:
        assert "customer_id" in context.columns["orders"]
        assert {"id", "detail_7"} <= set(context.columns["customers"])


def test_columns_near_the_question_come_before_others() -> None:
    wishes = ColumnWishes(frozenset(), {ColumnRef("orders", "note_31"): 0.9, ColumnRef("orders", "note_2"): 0.1})
    context = part_of_model(PREPARED, ["orders"], lambda: wishes, 120)
    assert "note_31" in context.columns["orders"]
    assert len(context.columns["orders"]) < 43
    assert "note_39" not in context.text.split("Columns left out")[0]
    missing = 43 - len(context.columns["orders"])
    assert context.text.endswith(f");\n-- Columns left out here: {missing}")


def test_all_essential_columns_come_before_those_near_the_question() -> None:
    essential = [Column(f"fact_{n}", "VARCHAR", essential=True) for n in range(8)]
    model = semantic_model({"orders": ["id", *(f"note_{n}" for n in range(40)), *essential]})
    wishes = ColumnWishes(frozenset(), {ColumnRef("orders", f"note_{n}"): 1.0 for n in range(40)})
    context = part_of_model(PreparedModel(model, {}), ["orders"], lambda: wishes, 100)
    assert {"id", *(column.name for column in essential)} <= set(context.columns["orders"])
    assert len(context.columns["orders"]) < 20


def test_tables_that_do_not_fit_get_a_line_and_those_that_have_no_room_even_for_that_are_named() -> None:
    narrow = part_of_model(PREPARED, ["orders", "lines", "products"], no_wishes, 60)
    assert narrow.tables == ("orders",)
    assert not narrow.listed
    assert narrow.left_out == ("Left out for lack of space: lines, products.",)
    narrow = part_of_model(PREPARED, ["orders", "customers", "lines", "products"], no_wishes, 108)
    assert narrow.tables == ("orders",)
    assert dict(narrow.listed) == {"lines": ("id", "order_id", "product_id"), "products": ("id", "title", "rating")}
    assert narrow.text.endswith(
        "-- More tables, each as name(columns):\nlines(id, order_id, product_id)\nproducts(id, title, rating)"
    )
    assert narrow.left_out == ()
    assert narrow.tokens == _tokens(narrow) <= 108


def test_further_tables_are_lines_with_their_joins_and_all_tables_are_there_as_lines_alone() -> None:
    context = part_of_model(PREPARED, ["customers"], no_wishes, 2_000, ["orders", "lines", "suppliers"])
    assert context.tables == ("customers",)
    assert list(context.listed) == ["orders", "lines", "suppliers"]
    assert _joins(context) == ["orders.customer_id = customers.id", "lines.order_id = orders.id"]
    # Of a wide table the line keeps the key and what is essential.
    assert context.listed["orders"] == ("id", "customer_id", *(f"note_{n}" for n in range(27)), "state")
    assert [line.partition("(")[0] for line in context.lines] == ["customers", "orders", "lines", "suppliers"]
    assert context.lines[1].endswith("note_26, state, … 13 more)")
    assert context.tokens == _tokens(context)


def test_a_whole_model_has_its_lines_in_an_order_that_no_question_changes() -> None:
    one = whole_model(PREPARED, ["lines", "orders", "customers", "products", "suppliers"])
    other = whole_model(PREPARED, ["suppliers", "products", "lines", "orders", "customers"])
    assert one.lines == other.lines
    assert one.lines[2] == "lines(id, order_id, product_id)"
    assert (one.text, one.join_lines) == (other.text, other.join_lines)


def test_each_foreign_key_stands_once_and_leads_only_to_tables_that_are_shown() -> None:
    context = part_of_model(PREPARED, ["lines", "orders"], no_wishes, 300)
    assert _joins(context) == ["lines.order_id = orders.id"]
    assert "FOREIGN KEY" not in context.text


def test_views_of_a_whole_model_do_not_repeat_the_values_of_its_tables() -> None:
    columns = (PhysicalColumn("Name", "TEXT"), PhysicalColumn("Size", "TEXT"))
    schema = PhysicalSchema(
        (PhysicalTable("Cheeses", None, columns), PhysicalTable("Soft", None, columns, is_view=True))
    )
    model = authorised_view(manifest_from_schema(schema, data_source="sqlite"), "h")
    values = {
        ColumnRef("Cheeses", "Name"): ("Brie", "Gouda"),
        ColumnRef("Cheeses", "Size"): ("big",),
        ColumnRef("Soft", "Name"): ("Brie",),
        ColumnRef("Soft", "Size"): ("big", "small"),
    }
    prepared = PreparedModel(model, values)
    assert whole_model(prepared, []).text.split("\n\n") == [
        "CREATE TABLE Cheeses ( -- rows named by Name\n  Name TEXT, -- values 'Brie', 'Gouda'\n"
        "  Size TEXT -- values 'big'\n);",
        "CREATE VIEW Soft ( -- rows named by Name\n  Name TEXT,\n  Size TEXT -- values 'big', 'small'\n);",
    ]
    # On its own the view says what it holds.
    assert "Name TEXT, -- values 'Brie'" in part_of_model(prepared, ["Soft"], no_wishes, 2_000).text


# -- How many tokens of schema go into a prompt, by the setting and by what language models read at once.


@pytest.mark.parametrize(
    ("configured", "windows", "whole", "part"),
    [
        ("auto", [], 4_000, 4_000),
        ("auto", [Window(2_000)], 500, 500),
        ("auto", [Window(8_192, is_lean=True)], 4_824, 2_048),
        ("auto", [Window(12_288, is_lean=True)], 7_487, 3_072),
        ("auto", [Window(12_288)], 6_487, 3_072),
        ("auto", [Window(16_384)], 9_645, 4_096),
        ("auto", [Window(1_000_000)], 24_000, 24_000),
        ("auto", [Window(128_000), Window(16_384)], 9_645, 4_096),
        ("auto", [Window(128_000, is_known=False)], 4_000, 4_000),
        ("auto", [Window(128_000, is_known=False), Window(8_192, is_lean=True)], 4_000, 2_048),
        (6_000, [], 6_000, 6_000),
        (6_000, [Window(128_000, is_known=False)], 6_000, 6_000),
        (6_000, [Window(8_000)], 4_000, 4_000),
    ],
)
def test_auto_is_what_nothing_else_needs_and_a_number_at_most_half_of_the_window(
    configured: int | Literal["auto"], windows: Sequence[Window], whole: int, part: int
) -> None:
    found = schema_budget(configured, windows)
    assert (found.whole, found.part) == (whole, part)


def test_a_schema_that_has_to_be_smaller_is_so_in_both_forms() -> None:
    assert SchemaBudget(3_200, 2_000, 1_000).at_most(2_500) == SchemaBudget(2_500, 2_000, 1_000)
    assert SchemaBudget(3_200, 2_000, 1_000).at_most(900) == SchemaBudget(900, 900, 900)


def test_what_is_saved_gets_a_quarter_of_the_window_and_less_beside_a_large_schema() -> None:
    budget = schema_budget("auto", [Window(12_288, is_lean=True)])
    assert [budget.for_saved(shown) for shown in (0, 5_000, 7_487)] == [3_072, 3_072, 1_536]


# -- The budget holds whatever a model looks like: wide, wordy, tangled, or all of it.


WORDS = st.sampled_from(["", "short", "A sentence about it.", "long and winding " * 40, "*/ \n-- DROP", "é" * 300])
LISTS = st.sampled_from([(), ("one",), tuple(f"value {n}" for n in range(300)), ("x" * 2_000, "y")])


@st.composite
def columns(draw: Any, count: int) -> tuple[Column, ...]:
    made = []
    for number in range(count):
        properties: dict[str, Any] = {}
        if draw(st.integers(0, 9)) == 0:
            paths = {f"path.{n}": {"type": "VARCHAR", "description": "of it" * 9} for n in range(200)}
            properties = {"json_type": "JSON", "json_fields": paths, "nested_columns": list(paths)}
        made.append(
            Column(
                f"c{number}",
                draw(st.sampled_from(["INT", "VARCHAR", "STRUCT(" + "a INT, " * 300 + "b INT)"])),
                role=draw(st.sampled_from(list(ColumnRole))),
                expression=draw(WORDS),
                description=draw(WORDS),
                synonyms=draw(LISTS),
                values=draw(LISTS),
                essential=draw(st.integers(0, 9)) == 0,
                properties=properties,
            )
        )
    return tuple(made)


@st.composite
def models(draw: Any) -> SemanticModel:
    tables = {}
    for number in range(draw(st.integers(1, 6))):
        name = f"table_{number}"
        width = draw(st.sampled_from([1, 3, 12, 40]))
        tables[name] = Table(
            name,
            draw(st.sampled_from(list(TableKind))),
            draw(columns(width)),
            primary_key=draw(st.sampled_from([(), ("c0",), tuple(f"c{n}" for n in range(width))])),
            description=draw(WORDS),
            synonyms=draw(LISTS),
            statement=draw(st.sampled_from([None, "SELECT 1", "SELECT " + "a, " * 2_000 + "b FROM t"])),
            properties={"join_hints": list(draw(LISTS))},
        )
    ends = st.sampled_from(sorted(tables))
    links = [
        Relationship(f"link_{n}", draw(ends), draw(ends), draw(st.sampled_from(list(Cardinality))), (("c0", "c0"),))
        for n in range(draw(st.integers(0, 8)))
    ]
    return SemanticModel("h", "DUCKDB", tables, tuple(links))


def tokens(context: SchemaContext) -> int:
    """Everything that prompts show of it, at four characters a token."""
    return (len("\n".join([context.text, *context.join_lines, *context.left_out])) + 3) // 4


@settings(max_examples=examples(60))
@given(models(), st.integers(20, 3_000), st.data())
def test_what_is_shown_never_takes_more_than_the_budget(model: SemanticModel, budget: int, data: st.DataObject) -> None:
    refs = [ColumnRef(table.name, column.name) for table in model for column in table.columns]
    named = frozenset(data.draw(st.lists(st.sampled_from(refs), max_size=8)))
    wishes = ColumnWishes(named, {ref: float(number % 7) for number, ref in enumerate(refs)})
    prepared = PreparedModel(model, {ref: data.draw(LISTS) for ref in refs[:20]})
    names = list(model.tables)
    cut = data.draw(st.integers(1, len(names)))
    full, further = names[:cut], names[cut:]
    context = part_of_model(prepared, full, lambda: wishes, budget, further)
    assert context.tokens == tokens(context)
    best = full[0]
    assert context.tables[0] == best
    if context.tokens > budget:  # no room even for one table: its name, three columns, and nothing said of them
        assert context.tables == (best,)
        assert len(context.columns[best]) <= 3
        assert " -- " not in context.text
        assert context.tokens < 250
    assert not context.listed.keys() & context.columns.keys()
    assert context.listed.keys() <= set(names)
    for table, shown in context.columns.items():
        assert set(shown) <= {column.name for column in model.tables[table].columns}
        left_out = len(model.tables[table].columns) - len(shown)
        assert left_out == 0 or "-- Columns left out here:" in context.text
