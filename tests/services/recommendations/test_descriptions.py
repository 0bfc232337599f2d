"""Descriptions of models: in chunks, as they come, and in the words of names where there is no language model."""

from __future__ import annotations

import asyncio

import pytest

from askwell.errors import ModelUnavailable, NotFound
from askwell.mdl.semantic_model import Column, ColumnRef, ColumnRole, SemanticModel
from askwell.pipelines.generation.recommending import WrittenDescriptions
from askwell.services.recommendations.descriptions import (
    DescriptionChunk,
    Descriptions,
    column_in_words,
    describe_models,
    table_in_words,
)
from tests.support.models import semantic_model
from tests.support.tables import case_rows

SHOP = semantic_model(
    {
        "Customers": [
            "customer_id",
            "customer_name",
            Column("is_active", "BOOLEAN"),
            Column("created_at", "TIMESTAMP"),
        ],
        "order_items": [
            "id",
            "customer_id",
            Column("reports_to", "INTEGER"),
            Column("ship_dt", "DATE"),
            Column("qty", "INTEGER", unit="pieces"),
            Column("status", "VARCHAR", values=("open", "paid")),
            Column("worth", "DOUBLE", role=ColumnRole.CALCULATED, expression="qty * 2"),
            Column("memo", "VARCHAR", description="What the clerk wrote."),
        ],
        "appointments": [
            "id",
            Column("duration_min", "INTEGER"),
            Column("time_min", "INTEGER"),
            Column("time_max", "INTEGER"),
            Column("price_min", "INTEGER"),
            Column("newsletter", "BOOLEAN"),
            Column("active", "BOOLEAN"),
            Column("archived", "BOOLEAN"),
            Column("starts_at", "TIMESTAMP"),
            Column("last_seen_at", "TIMESTAMP"),
            Column("login_at", "TIMESTAMP"),
        ],
    },
    [("order_items.customer_id", "Customers.customer_id"), ("order_items.reports_to", "Customers.customer_id")],
)


@pytest.mark.parametrize(
    ("column", "words"),
    case_rows(__file__, "a_column_is_described_by_its_name_type_and_keys", "column", "words"),
)
def test_a_column_is_described_by_its_name_type_and_keys(column: str, words: str) -> None:
    table_name, name = column.split(".")
    table = SHOP.tables[table_name]
    found = table.column(name)
    assert found is not None
    assert column_in_words(table, found, SHOP) == words


def test_a_table_is_described_by_its_key_and_its_relations() -> None:
    assert table_in_words(SHOP.tables["Customers"], SHOP) == (
        "One row for each customer, identified by customer_id. Referred to by order_items."
    )
    assert table_in_words(SHOP.tables["order_items"], SHOP) == (
        "One row for each order item, identified by id. Refers to Customers."
    )


async def test_without_a_language_model_everything_is_described_at_once() -> None:
    (only,) = [found async for found in describe_models(SHOP, ["customers", "order_items", "Customers"], {}, None)]
    assert [model.name for model in only.models] == ["Customers", "order_items"]
    assert all(model.description and all(one.description for one in model.columns) for model in only.models)
    assert only.warnings == ()


async def test_an_unknown_model_is_named_with_the_nearest() -> None:
    with pytest.raises(NotFound) as caught:
        await anext(describe_models(SHOP, ["Customers", "custmers"], {}, None))
    assert "custmers" in caught.value.message
    assert "Customers" in caught.value.hint


def _wide(columns: int) -> SemanticModel:
    return semantic_model({"wide": [f"c{n}" for n in range(columns)]})


def _written(chunk: DescriptionChunk, *, usable: bool = True) -> WrittenDescriptions:
    return WrittenDescriptions(f"{chunk.table}.", {name: f"{name}!" for name in chunk.columns}, usable)


async def test_wide_tables_are_written_in_chunks_of_fifty_four_at_once_and_told_as_they_come() -> None:
    running, most, sizes = 0, 0, []

    async def write(chunk: DescriptionChunk) -> WrittenDescriptions:
        nonlocal running, most
        running += 1
        most = max(most, running)
        sizes.append(len(chunk.columns))
        assert f"{chunk.columns[0]} VARCHAR" in chunk.ddl
        await asyncio.sleep(0.001)
        running -= 1
        return _written(chunk)

    grown = [found async for found in describe_models(_wide(333), ["wide"], {}, write)]
    assert (most, sorted(sizes)) == (4, [33, *[50] * 6])
    described = [sum(1 for one in found.models[0].columns if one.description) for found in grown]
    assert described == sorted(described)
    assert described[-1] == 333
    assert len(grown) == 7


async def test_a_chunk_that_fails_leaves_nothing_and_a_warning() -> None:
    async def write(chunk: DescriptionChunk) -> WrittenDescriptions:
        if chunk.columns[0] == "c0":
            raise ModelUnavailable("The server is away.")
        if chunk.columns[0] == "c50":
            return WrittenDescriptions("", {}, False)
        return WrittenDescriptions("Wide.", {"c100": "Here.", "c0": "Not asked for."}, True)

    last = [found async for found in describe_models(_wide(102), ["wide"], {}, write)][-1]
    described = {one.name: one.description for one in last.models[0].columns if one.description}
    assert described == {"c100": "Here."}
    assert sorted(last.warnings) == [
        "The 2 columns c100 to c101 of wide: the language model left out 1 of them.",
        "The 50 columns c0 to c49 of wide were not described: The server is away.",
        "The 50 columns c50 to c99 of wide were not described: the language model's reply could not be used.",
    ]


async def test_values_are_shown_of_columns_that_hold_no_secrets() -> None:
    private = Column("mood", "VARCHAR", sensitive=True)
    model = semantic_model({"people": ["id", "city", "api_key", private]})
    names = ("id", "city", "api_key", "mood")
    values = {ColumnRef("people", name): (f"{name} {'x' * 100}", "b", "c", "d", "e", "f") for name in names}
    seen: list[DescriptionChunk] = []

    async def write(chunk: DescriptionChunk) -> WrittenDescriptions:
        seen.append(chunk)
        return _written(chunk)

    assert [found async for found in describe_models(model, ["people"], values, write)]
    assert set(seen[0].values) == {"id", "city"}
    assert all(len(some) == 5 and max(map(len, some)) <= 60 for some in seen[0].values.values())


async def test_whoever_stops_listening_stops_the_writing() -> None:
    ended: list[str] = []

    async def write(chunk: DescriptionChunk) -> WrittenDescriptions:
        try:
            if chunk.columns[0] != "c0":
                await asyncio.sleep(60)
        finally:
            ended.append(chunk.columns[0])
        return _written(chunk)

    growing = describe_models(_wide(150), ["wide"], {}, write)
    first: Descriptions = await anext(growing)
    assert first.models[0].columns[0].description == "c0!"
    await growing.aclose()
    assert sorted(ended) == ["c0", "c100", "c50"]
