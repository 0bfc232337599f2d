"""A document store of Haystack's ecosystem keeps the index, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from askwell import parts
from askwell.config import Config, load_config
from askwell.errors import ConfigurationError, Unavailable
from askwell.providers.document_store.base import DocumentStore, Kind
from tests.fakes.qdrant_server import FakeQdrantServer
from tests.providers.document_store.test_contract import ALL, COMPONENTS, FIELDS, HERE, VECTORS, scores, unit
from tests.support.tables import case_rows

pytest.importorskip(
    "haystack_integrations.document_stores.qdrant", reason="qdrant-haystack is not installed, so it is not tested"
)


def config_of(folder: Path, section: dict[str, Any]) -> Config:
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({"document_store": section}))
    return load_config(file, {"QDRANT_KEY": "the-secret-key"})


def section_of(server: FakeQdrantServer, **more: Any) -> dict[str, Any]:
    indexes = [{"field_name": field, "field_schema": "keyword"} for field in FIELDS]
    init = {"url": server.location, "embedding_dim": 3, "payload_fields_to_index": indexes, **more}
    return {"component": COMPONENTS["qdrant"], "init": init}


@pytest.fixture
async def server() -> AsyncIterator[FakeQdrantServer]:
    async with FakeQdrantServer(api_key="the-secret-key") as made:
        yield made


@pytest.fixture
def config(server: FakeQdrantServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("QDRANT_KEY", "the-secret-key")
    return config_of(tmp_path, section_of(server, api_key={"type": "env_var", "env_vars": ["QDRANT_KEY"]}))


@pytest.fixture
def store(config: Config) -> DocumentStore:
    return parts.document_store(config)


async def test_an_index_that_is_there_is_not_built_again(
    store: DocumentStore, config: Config, server: FakeQdrantServer
) -> None:
    await store.replace(HERE, ALL, VECTORS)
    await store.close()
    assert server.requests["PUT /collections/{name}/points"] >= 2
    again = parts.document_store(config)
    assert await again.holds(HERE)
    found = scores(await again.search(HERE, Kind.TABLE, "order status", unit(1, 0, 0)))
    assert {text: cosine for text, (_, cosine) in found.items()} == pytest.approx({ALL[0].text: 1, ALL[1].text: 0})
    every = [(await again.search(HERE, kind, "orders", None)).documents for kind in Kind]
    assert [document for documents in every for document in documents] == ALL
    await again.delete(HERE.project_id)
    assert not await again.holds(HERE)
    assert server.payloads("Document") == []
    await again.close()


async def test_an_index_that_was_not_finished_is_not_there(store: DocumentStore, server: FakeQdrantServer) -> None:
    await store.check()
    server.fail_after = 2
    with pytest.raises(Unavailable) as failed:
        await store.replace(HERE, ALL, VECTORS)
    assert "QdrantDocumentStore" in failed.value.message
    server.fail_after = None
    assert not await store.holds(HERE)
    assert len((await store.search(HERE, Kind.TABLE, "orders", None)).documents) == 0
    await store.close()


async def test_a_server_that_is_away_is_named_as_that(store: DocumentStore, server: FakeQdrantServer) -> None:
    await server.stop()
    with pytest.raises(Unavailable, match="cannot be reached"):
        await store.check()
    await store.close()


@pytest.mark.parametrize(
    ("section", "said"), case_rows(__file__, "what_cannot_be_used_is_refused_at_start", "section", "said", lists=True)
)
def test_what_cannot_be_used_is_refused_at_start(section: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parts.document_store(config_of(tmp_path, section))
    assert said in refused.value.message + refused.value.hint
