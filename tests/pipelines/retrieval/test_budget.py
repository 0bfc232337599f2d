"""The budget holds whatever a model looks like: wide, wordy, tangled, or all of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

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
from askwell.pipelines.retrieval.context import SchemaContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.schema_context import ColumnWishes, part_of_model
from tests.support.examples import examples

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
