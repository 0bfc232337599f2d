"""The whole service with its index in a Qdrant server: prepared, asked, restarted, and while that server is away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.importorskip("qdrant_client", reason="qdrant-client is not installed, so an index on a server is not tested")

import asyncio
from collections.abc import Sequence

from askwell.providers.embedder.base import Vectors
from askwell.services.housekeeping import Warming
from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.qdrant_server import FakeQdrantServer
from tests.services.conftest import Desk, open_desk
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder
from tests.support.service import Client, running_service, write_config

QUESTION = "How many orders are there?"


@pytest.fixture
async def server() -> AsyncIterator[FakeQdrantServer]:
    async with FakeQdrantServer() as started:
        yield started


@pytest.fixture
async def config(tmp_path: Path, server: FakeQdrantServer) -> AsyncIterator[Path]:
    """A model and an embedder on a server; rules are off, so that every question is searched for."""
    async with ChatServer({"sql_generation": [Answer(json={"sql": "SELECT count(*) FROM orders"})]}) as models:
        embedder = {"provider": "openai", "model": "e", "dimensions": 384, "api_base": models.api_base}
        yield write_config(
            tmp_path,
            api_base=models.api_base,
            settings={"rules_mode": "off"},
            embedder={"default": embedder},
            document_store={"provider": "qdrant", "location": server.location},
        )


async def readiness(client: Client) -> tuple[int, bool]:
    status, body = await client.call("GET", "/health/ready")
    return status, body["checks"]["document_store"]["ok"]


async def test_a_model_is_prepared_and_asked_and_the_next_start_finds_it(
    config: Path, server: FakeQdrantServer
) -> None:
    async with running_service(config) as client:
        assert (await client.prepare())["status"] == "finished"
        answer = await client.answer(QUESTION)
        assert answer["status"] == "finished", answer
        assert "orders" in answer["retrieved_tables"]
        assert await readiness(client) == (200, True)
    written = server.written
    assert len(server.payloads("askwell_documents_384")) > 10
    async with running_service(config) as client:
        again = await client.answer(QUESTION)
        assert (again["status"], again["retrieved_tables"]) == ("finished", answer["retrieved_tables"])
        assert server.written == written
        await client.call("DELETE", "/v1/semantics")
        assert server.payloads("askwell_documents_384") == server.payloads("askwell_editions") == []


@pytest.mark.deep
async def test_an_index_that_was_lost_is_built_again_by_the_next_question(
    config: Path, server: FakeQdrantServer
) -> None:
    async with running_service(config) as client:
        await client.prepare()
        server.engine.delete_collection("askwell_documents_384")
        server.engine.delete_collection("askwell_editions")
        assert (await client.answer(QUESTION))["status"] == "finished"


async def test_the_service_starts_without_its_index_and_works_once_that_is_there(
    config: Path, server: FakeQdrantServer
) -> None:
    async with running_service(config) as client:
        await client.prepare()
    await server.stop()
    async with running_service(config) as client:
        assert await readiness(client) == (503, False)
        failed = await client.answer(QUESTION)
        assert failed["status"] == "failed"
        assert "document store (Qdrant) cannot be reached" in failed["error"]["message"]
        assert "document_store.location" in failed["error"]["hint"]
        refused = await client.prepare(mdl_hash="m2")
        assert refused["status"] == "failed"
        assert "document_store.location" in refused["error"]["hint"]
        await server.start()
        assert await readiness(client) == (200, True)
        assert (await client.answer(QUESTION))["status"] == "finished"
        assert (await client.prepare(mdl_hash="m3"))["status"] == "finished"


# -- After a start the current models are ready before anybody asks.


async def until_embedded(embedder: CountingEmbedder, many: int) -> None:
    async with asyncio.timeout(10):
        while len(embedder.texts) < many:
            await asyncio.sleep(0.005)


async def until_indexed(desk: Desk, project_id: str = "default") -> None:
    project = await desk.model(project_id=project_id)
    await desk.indexing.model_section(project_id, project.model)


async def test_an_index_for_another_embedder_is_built_before_the_first_question(tmp_path: Path) -> None:
    old = CountingEmbedder("old")
    async with open_desk(tmp_path, old) as desk:
        for project_id in ("default", "other"):
            await desk.prepare(tiny_shop.manifest(), "m1", project_id)
    texts = set(old.texts)
    new = CountingEmbedder("new", dimension=32)
    async with open_desk(tmp_path, new) as desk:
        warming = Warming(desk.record, desk.projects, desk.retrieval)
        warming.start()
        await until_embedded(new, len(texts))
        for project_id in ("default", "other"):
            await until_indexed(desk, project_id)
        assert set(new.texts) == texts
        new.texts.clear()
        project = await desk.model()
        assert (await desk.retrieval.run(project, QUESTION)).tables
        assert new.texts == [QUESTION]
        await warming.stop()


class FailsOnce(CountingEmbedder):
    """Is out of reach for the first call."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.broken = not self.texts and not self.broken
        return await super().embed(texts)


async def test_a_model_that_cannot_be_made_ready_leaves_the_others(tmp_path: Path) -> None:
    old = CountingEmbedder("old")
    async with open_desk(tmp_path, old) as desk:
        for project_id in ("first", "second"):
            await desk.prepare(tiny_shop.manifest(), "m1", project_id)
    new = FailsOnce("new")
    async with open_desk(tmp_path, new) as desk:
        warming = Warming(desk.record, desk.projects, desk.retrieval)
        warming.start()
        await until_embedded(new, len(set(old.texts)))  # nobody has asked
        project = await desk.model(project_id="first")
        assert (await desk.retrieval.run(project, QUESTION)).tables
        await warming.stop()


class Endless(CountingEmbedder):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__("new")
        self.asked = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.set()
        await asyncio.Event().wait()
        return await super().embed(texts)


async def test_it_can_be_stopped_in_the_middle_and_twice(tmp_path: Path) -> None:
    async with open_desk(tmp_path, CountingEmbedder("old")) as desk:
        await desk.prepare(tiny_shop.manifest())
    embedder = Endless()
    async with open_desk(tmp_path, embedder) as desk:
        warming = Warming(desk.record, desk.projects, desk.retrieval)
        warming.start()
        async with asyncio.timeout(10):
            await embedder.asked.wait()
            await warming.stop()
            await warming.stop()
        assert "warming" not in {task.get_name() for task in asyncio.all_tasks()}
