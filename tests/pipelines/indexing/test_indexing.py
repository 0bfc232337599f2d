"""From the record to the index: what is in a section, and that nothing is embedded twice."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from askwell.errors import EmbedderUnavailable, NotFound
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, SavedKnowledge, SqlPair
from askwell.mdl.semantic_model import Column
from askwell.pipelines.indexing.indexing import Indexing
from askwell.providers.document_store.base import Kind, Section
from askwell.providers.document_store.memory import MemoryDocumentStore
from tests.support.counting_embedder import CountingEmbedder
from tests.support.models import semantic_model

SHOP = semantic_model(
    {
        "orders": ["id", "customer_id", Column("status", "VARCHAR", values=("open", "paid"), description="Its state")],
        "shopCustomers": ["id", Column("country", "VARCHAR", display_name="Land", synonyms=("nation",))],
    },
    [("orders.customer_id", "shopCustomers.id")],
    orders={"description": "One row for each order.", "synonyms": ("purchases",)},
    shopCustomers={"question": "Who buys?"},
)


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    opened = await Record.open("sqlite", tmp_path)
    yield opened
    await opened.close()


async def texts(store: MemoryDocumentStore, section: Section, kind: Kind) -> list[str]:
    return [document.text for document in (await store.search(section, kind, "", None)).documents]


async def test_documents_say_what_things_are_called_and_what_they_belong_to(record: Record) -> None:
    store = MemoryDocumentStore()
    section = await Indexing(store, CountingEmbedder(), record.embeddings).model_section("p", SHOP)
    assert await texts(store, section, Kind.TABLE) == [
        "orders, purchases. One row for each order. Has id, customer id, status. Belongs with shop customers.",
        "shop customers. Answers: Who buys?. Has id, country, land, nation. Belongs with orders.",
    ]
    assert "status of orders. Its state. One of open, paid." in await texts(store, section, Kind.COLUMN)
    assert "country, land, nation of shop customers." in await texts(store, section, Kind.COLUMN)
    assert await texts(store, section, Kind.QUESTION) == ["Who buys?"]


async def test_abbreviations_are_written_out_and_words_that_are_run_together_are_split(record: Record) -> None:
    store = MemoryDocumentStore()
    tax = Column("vtx", "DOUBLE", properties={"abbreviation_of": "value added tax"})
    model = semantic_model({"customer": ["customerid", "ship_addr", "shipdate", tax], "ship": ["date"]})
    section = await Indexing(store, CountingEmbedder(), record.embeddings).model_section("p", model)
    assert await texts(store, section, Kind.COLUMN) == [
        "customerid, customer id of customer.",
        "ship addr, ship address of customer.",
        "shipdate, ship date of customer.",
        "vtx, value added tax of customer.",
        "date of ship.",
    ]


async def test_a_table_is_called_what_it_is_called_in_its_schema(record: Record) -> None:
    store = MemoryDocumentStore()
    model = semantic_model(
        {"sales_orders": ["id"], "salesmen": ["id"]},
        sales_orders={"schema": "sales"},
        salesmen={"schema": "sales"},
    )
    section = await Indexing(store, CountingEmbedder(), record.embeddings).model_section("p", model)
    assert await texts(store, section, Kind.TABLE) == ["orders. Has id.", "salesmen. Has id."]
    assert await texts(store, section, Kind.COLUMN) == ["id of orders.", "id of salesmen."]


async def test_a_wide_table_has_several_documents_of_one_owner(record: Record) -> None:
    wide = semantic_model({"wide": [f"c{n}" for n in range(120)]})
    store = MemoryDocumentStore()
    indexing = Indexing(store, CountingEmbedder(), record.embeddings, column_indexing_batch_size=50)
    section = await indexing.model_section("p", wide)
    hits = await store.search(section, Kind.TABLE, "c119", None)
    assert len(hits.documents) == 3
    assert hits.owners == ("wide",)
    assert len(await texts(store, section, Kind.COLUMN)) == 120


async def test_knowledge_is_found_by_its_questions(record: Record) -> None:
    store = MemoryDocumentStore()
    saved = SavedKnowledge(
        "p",
        {"1": SqlPair("1", "How many orders?", "SELECT 1")},
        {
            "a": Instruction("a", "Net of tax.", ("What is revenue?", "Sales?")),
            "b": Instruction("b", "Use euros."),
            "c": Instruction("c", "Always.", is_default=True),
        },
    )
    section = await Indexing(store, CountingEmbedder(), record.embeddings).knowledge_section(saved)
    assert await texts(store, section, Kind.SQL_PAIR) == ["How many orders?"]
    assert await texts(store, section, Kind.INSTRUCTION) == ["What is revenue?", "Sales?", "Use euros."]


async def test_what_is_there_is_not_built_again(record: Record) -> None:
    embedder = CountingEmbedder()
    indexing = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    first = await indexing.model_section("p", SHOP)
    asked = len(embedder.texts)
    assert asked == len(set(embedder.texts)) > 0
    assert await indexing.model_section("p", SHOP) == first
    assert len(embedder.texts) == asked


async def test_a_lost_index_is_built_without_embedding_anything_again(record: Record) -> None:
    embedder = CountingEmbedder()
    await Indexing(MemoryDocumentStore(), embedder, record.embeddings).model_section("p", SHOP)
    embedder.texts.clear()
    store = MemoryDocumentStore()
    section = await Indexing(store, embedder, record.embeddings).model_section("p", SHOP)
    assert embedder.texts == []
    vector = (await CountingEmbedder().embed(["orders, purchases"]))[0]
    assert (await store.search(section, Kind.TABLE, "", vector)).cosines[0] > 0.4


async def test_another_project_and_a_changed_model_embed_only_what_is_new(record: Record) -> None:
    embedder = CountingEmbedder()
    indexing = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    await indexing.model_section("p", SHOP)
    embedder.texts.clear()
    await indexing.model_section("q", SHOP)
    assert embedder.texts == []
    more = semantic_model({"orders": ["id"], "invoices": ["id"]}, content_hash="other")
    await indexing.model_section("p", more)
    assert sorted(embedder.texts) == ["id of invoices.", "invoices. Has id.", "orders. Has id."]


async def test_one_changed_column_embeds_itself_and_its_table_alone_and_a_removed_table_is_gone(record: Record) -> None:
    tables = {f"t{n}": ["id", f"code{n}", f"note{n}"] for n in range(30)}
    store, embedder = MemoryDocumentStore(), CountingEmbedder()
    indexing = Indexing(store, embedder, record.embeddings)
    await indexing.model_section("p", semantic_model(tables))
    assert len(embedder.texts) == 30 * 4
    embedder.texts.clear()
    renamed = tables | {"t7": ["id", "code7", "remark7"]}
    section = await indexing.model_section("p", semantic_model(renamed, content_hash="renamed"))
    assert sorted(embedder.texts) == sorted(
        [text for kind in (Kind.TABLE, Kind.COLUMN) for text in await texts(store, section, kind) if "remark" in text]
    )
    assert len(embedder.texts) == 2
    embedder.texts.clear()
    del renamed["t7"]
    section = await indexing.model_section("p", semantic_model(renamed, content_hash="removed"))
    assert embedder.texts == []
    for kind in (Kind.TABLE, Kind.COLUMN):
        assert "t7" not in (await store.search(section, kind, "code7", None)).owners


async def test_damaged_vectors_alone_are_embedded_again(record: Record, tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    await Indexing(MemoryDocumentStore(), embedder, record.embeddings).model_section("p", SHOP)
    known = len(embedder.texts)
    embedder.texts.clear()
    with sqlite3.connect(tmp_path / "record.sqlite") as connection:
        keys = [key for (key,) in connection.execute("SELECT text_hash FROM embeddings ORDER BY text_hash LIMIT 3")]
        for key, blob in zip(keys, (b"", b"\x00" * 3, np.full(64, np.nan, "<f4").tobytes()), strict=True):
            connection.execute("UPDATE embeddings SET vector = ? WHERE text_hash = ?", (blob, key))
    store = MemoryDocumentStore()
    section = await Indexing(store, embedder, record.embeddings).model_section("p", SHOP)
    assert len(embedder.texts) == 3 < known
    vector = (await CountingEmbedder().embed(["orders"]))[0]
    for kind in (Kind.TABLE, Kind.COLUMN):
        assert np.isfinite((await store.search(section, kind, "orders", vector)).cosines).all()
    embedder.texts.clear()
    await Indexing(MemoryDocumentStore(), embedder, record.embeddings).model_section("p", SHOP)
    assert embedder.texts == []


async def test_vectors_of_a_model_that_is_gone_are_dropped_and_those_of_others_stay(record: Record) -> None:
    embedder = CountingEmbedder()
    indexing = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    await indexing.model_section("p", SHOP)
    await indexing.model_section("q", semantic_model({"orders": ["id"], "invoices": ["id"]}, content_hash="other"))
    await indexing.forget("p")
    assert await record.embeddings.drop_unused() > 0
    embedder.texts.clear()
    again = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    await again.model_section("q", semantic_model({"orders": ["id"], "invoices": ["id"]}, content_hash="other"))
    assert embedder.texts == []
    await again.model_section("p", SHOP)
    assert embedder.texts


async def test_another_embedder_builds_the_index_anew_and_loses_nothing(record: Record) -> None:
    store = MemoryDocumentStore()
    old = CountingEmbedder("old")
    section = await Indexing(store, old, record.embeddings).model_section("p", SHOP)
    before = await texts(store, section, Kind.COLUMN)
    new = CountingEmbedder("new", dimension=32)
    changed = await Indexing(store, new, record.embeddings).model_section("p", SHOP)
    assert changed != section
    assert sorted(new.texts) == sorted(old.texts)
    assert await texts(store, changed, Kind.COLUMN) == before
    old.texts.clear()
    await Indexing(MemoryDocumentStore(), old, record.embeddings).model_section("p", SHOP)
    assert old.texts == []


async def test_of_many_who_need_a_section_at_once_one_builds_it(record: Record) -> None:
    embedder = CountingEmbedder(delay=0.01)
    indexing = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    sections = await asyncio.gather(*(indexing.model_section("p", SHOP) for _ in range(20)))
    assert len(set(sections)) == 1
    assert len(embedder.texts) == len(set(embedder.texts))


async def test_progress_goes_from_nothing_to_all(record: Record) -> None:
    seen: list[tuple[int, int]] = []
    big = semantic_model({f"t{n}": [f"c{n}_{k}" for k in range(10)] for n in range(20)})
    indexing = Indexing(MemoryDocumentStore(), CountingEmbedder(), record.embeddings)
    await indexing.model_section("p", big, lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 220)
    assert seen[-1] == (220, 220)
    assert len(seen) > 3
    assert seen == sorted(seen)


async def test_a_broken_embedder_is_told_and_what_was_embedded_before_is_kept(record: Record) -> None:
    embedder = CountingEmbedder()
    indexing = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    big = semantic_model({f"t{n}": [f"c{n}_{k}" for k in range(10)] for n in range(20)})

    def break_after_a_while(done: int, total: int) -> None:
        embedder.broken = done > 0

    with pytest.raises(EmbedderUnavailable):
        await indexing.model_section("p", big, break_after_a_while)
    embedder.broken = False
    await indexing.model_section("p", big)
    assert len(embedder.texts) == len(set(embedder.texts)) == 220


async def test_words_only_needs_no_vectors(record: Record) -> None:
    from askwell.providers.embedder.base import NoEmbedder

    store = MemoryDocumentStore()
    section = await Indexing(store, NoEmbedder(), record.embeddings).model_section("p", SHOP)
    assert (await store.search(section, Kind.TABLE, "purchases", None)).words[0] > 0


async def test_removing_a_project_stops_what_is_built_for_it_and_says_so(record: Record) -> None:
    indexing = Indexing(MemoryDocumentStore(), CountingEmbedder(delay=5), record.embeddings)
    waiting = asyncio.create_task(indexing.model_section("p", SHOP))
    other = asyncio.create_task(indexing.model_section("q", SHOP))
    await asyncio.sleep(0.05)
    await indexing.forget("p")
    with pytest.raises(NotFound):
        await waiting
    assert not other.done()
    await indexing.close()
    await asyncio.gather(other, return_exceptions=True)


async def test_one_who_gives_up_waiting_does_not_spoil_it_for_the_others(record: Record) -> None:
    embedder = CountingEmbedder(delay=0.02)
    indexing = Indexing(MemoryDocumentStore(), embedder, record.embeddings)
    impatient = asyncio.create_task(indexing.model_section("p", SHOP))
    patient = asyncio.create_task(indexing.model_section("p", SHOP))
    await asyncio.sleep(0.005)
    impatient.cancel()
    assert (await patient).project_id == "p"
    assert impatient.cancelled()
