"""A service whose model, embedder and index are components of Haystack's ecosystem, over real HTTP on all sides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.ollama_server import FakeOllama
from tests.fakes.qdrant_server import FakeQdrantServer
from tests.providers.document_store.test_contract import FIELDS
from tests.support import tiny_shop
from tests.support.service import running_service

for package in ("haystack_integrations.components.generators.ollama", "haystack_integrations.document_stores.qdrant"):
    pytest.importorskip(package, reason="ollama-haystack or qdrant-haystack is not installed, so they are not tested")

EXAMPLE = Path(__file__).parents[1] / "docs" / "configuration" / "haystack.yaml"
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"


def _reply(request: str) -> dict[str, str]:
    sql = json.dumps({"sql": RIGHT})
    return {"thinking": "SELECT 1?", "content": f"<think>SELECT 2?</think>{sql}" if "_generation" in request else "{}"}


async def test_the_example_answers_and_finds_its_index_again(tmp_path: Path) -> None:
    async with FakeOllama(choose=_reply) as ollama, FakeQdrantServer() as qdrant:
        indexes = [{"field_name": field, "field_schema": "keyword"} for field in FIELDS]
        store = {"url": qdrant.location, "index": "askwell", "embedding_dim": 8, "payload_fields_to_index": indexes}
        environ = {
            "ASKWELL_HOME": str(tmp_path / "home"),
            "ASKWELL_DATA_SOURCES__DEFAULT__ENGINE": "sqlite",
            "ASKWELL_DATA_SOURCES__DEFAULT__PATH": str(tiny_shop.make_database(tmp_path / "shop.sqlite")),
            "ASKWELL_LLM__DEFAULT__INIT": json.dumps({"model": "tiny:1b", "url": ollama.url}),
            "ASKWELL_EMBEDDER__DEFAULT__INIT": json.dumps({"model": "nomic", "url": ollama.url}),
            "ASKWELL_EMBEDDER__DEFAULT__DIMENSIONS": "8",
            "ASKWELL_DOCUMENT_STORE__INIT": json.dumps(store),
        }
        written = []
        for start in (1, 2):
            async with running_service(EXAMPLE, environ, lasting=True) as service:
                if start == 1:
                    assert (await service.prepare())["status"] == "finished"
                result = await service.end(await service.ask(QUESTION, execute=True))
            assert result["status"] == "finished", result
            assert (result["sql_source"], result["data"]["rows"]) == ("llm", [["Ada Lovelace"]])
            assert result["usage"]["prompt_tokens"] > 0
            written.append(qdrant.written)
    assert written[0] > 0
    assert {payload["meta"]["project"] for payload in qdrant.payloads("askwell")} == {"default"}
