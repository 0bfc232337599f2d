"""An index on a server: used as it is found, and built from the record where it is missing or does not suit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.importorskip("qdrant_client", reason="qdrant-client is not installed, so an index on a server is not tested")

from askwell.config import DocumentStoreConfig
from askwell.knowledge.record import Record
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.indexing.indexing import Indexing
from askwell.providers.document_store.base import Kind, Section
from askwell.providers.document_store.factory import create_document_store
from askwell.providers.embedder.base import Embedder
from tests.fakes.qdrant_server import FakeQdrantServer
from tests.support.counting_embedder import CountingEmbedder
from tests.support.models import semantic_model

SHOP = semantic_model({"orders": ["id", "status"], "customers": ["id", "country"]})


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    opened = await Record.open("sqlite", tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
async def server() -> AsyncIterator[FakeQdrantServer]:
    async with FakeQdrantServer() as started:
        yield started


async def started_service(
    server: FakeQdrantServer, record: Record, embedder: Embedder, model: SemanticModel = SHOP
) -> Section:
    """What a service does about a project's model when it is asked first, and what it then finds."""
    store = create_document_store(DocumentStoreConfig(provider="qdrant", location=server.location))
    section = await Indexing(store, embedder, record.embeddings).model_section("p", model)
    [vector] = await embedder.embed(["status of orders"])
    hits = await store.search(section, Kind.COLUMN, "status", vector)
    best = hits.documents[int(hits.cosines.argmax())]
    assert (best.owner, best.name) == ("orders", "status")
    await store.close()
    return section


async def test_an_index_that_is_there_is_neither_embedded_nor_written_again(
    server: FakeQdrantServer, record: Record
) -> None:
    await started_service(server, record, CountingEmbedder())
    written, embedder = server.written, CountingEmbedder()
    await started_service(server, record, embedder)
    assert embedder.texts == ["status of orders"]  # the question
    assert server.written == written


async def test_a_lost_index_is_built_anew_without_embedding(server: FakeQdrantServer, record: Record) -> None:
    await started_service(server, record, CountingEmbedder())
    for collection in ("askwell_documents_64", "askwell_editions"):
        server.engine.delete_collection(collection)
        embedder = CountingEmbedder()
        await started_service(server, record, embedder)
        assert embedder.texts == ["status of orders"]


async def test_an_index_of_which_half_was_lost_is_built_anew_without_embedding(
    server: FakeQdrantServer, record: Record
) -> None:
    await started_service(server, record, CountingEmbedder())
    points, _ = server.engine.scroll("askwell_documents_64", limit=1_000)
    server.engine.delete("askwell_documents_64", [point.id for point in points[::2]])
    embedder = CountingEmbedder()
    await started_service(server, record, embedder)
    assert embedder.texts == ["status of orders"]
    assert len(server.payloads("askwell_documents_64")) == len(points)


async def test_another_embedder_builds_an_index_of_its_own_dimension(server: FakeQdrantServer, record: Record) -> None:
    old = await started_service(server, record, CountingEmbedder())
    new = await started_service(server, record, CountingEmbedder("new", dimension=32))
    assert old.edition != new.edition
    assert len(server.payloads("askwell_documents_32")) == len(server.payloads("askwell_documents_64")) > 0


async def test_removing_a_project_that_is_being_written_leaves_nothing(
    server: FakeQdrantServer, record: Record
) -> None:
    store = create_document_store(DocumentStoreConfig(provider="qdrant", location=server.location))
    await started_service(server, record, CountingEmbedder())
    indexing = Indexing(store, CountingEmbedder(), record.embeddings)
    server.hold = "count"  # its documents are written, and its card is not
    changed = semantic_model({"orders": ["id", "status", "amount"]}, content_hash="changed")
    building = asyncio.create_task(indexing.model_section("p", changed))
    async with asyncio.timeout(5):
        while len(server.payloads("askwell_documents_64")) < 10:
            await asyncio.sleep(0.005)
    await indexing.forget("p")
    assert server.payloads("askwell_documents_64") == server.payloads("askwell_editions") == []
    await asyncio.gather(building, return_exceptions=True)
    await store.close()
