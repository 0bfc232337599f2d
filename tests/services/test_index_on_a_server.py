"""The whole service with its index in a Qdrant server: prepared, asked, restarted, and while that server is away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.importorskip("qdrant_client", reason="qdrant-client is not installed, so an index on a server is not tested")

from tests.fakes.openai_server import Answer, ChatServer
from tests.fakes.qdrant_server import FakeQdrantServer
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
