"""Embedders of Haystack's ecosystem, over real HTTP: `ollama-haystack`'s for documents and for texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from askwell import parts
from askwell.config import Config, load_config
from askwell.errors import ConfigurationError, EmbedderUnavailable
from tests.fakes.ollama_server import FakeOllama, vector
from tests.support.tables import case_rows

pytest.importorskip(
    "haystack_integrations.components.embedders.ollama", reason="ollama-haystack is not installed, so it is not tested"
)
OLLAMA = "haystack_integrations.components.embedders.ollama"


def config_of(folder: Path, **section: Any) -> Config:
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({"embedder": {"default": section}}))
    return load_config(file, {})


@pytest.mark.parametrize("name", ["OllamaDocumentEmbedder", "OllamaTextEmbedder"])
async def test_each_text_has_its_vector_of_length_1(name: str, tmp_path: Path) -> None:
    texts = ["orders", "", "customers", "orders"]
    async with FakeOllama() as server:
        init = {"model": "nomic", "url": server.url}
        embedder = await parts.embedder(config_of(tmp_path, component=f"{OLLAMA}.{name}", init=init, dimensions=8))
        vectors = await embedder.embed(texts)
        await embedder.close()
    assert embedder.identity.startswith(f"nomic@{OLLAMA}.{name}-")
    wanted = np.array([vector(text or " ") for text in texts], np.float32)
    np.testing.assert_allclose(vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), rtol=1e-5)


async def test_what_goes_wrong_is_named(tmp_path: Path) -> None:
    chosen = {"component": f"{OLLAMA}.OllamaTextEmbedder"}
    async with FakeOllama() as server:
        init = {"model": "nomic", "url": server.url}
        other = await parts.embedder(config_of(tmp_path, **chosen, init=init, dimensions=9))
        with pytest.raises(EmbedderUnavailable, match="8 dimensions"):
            await other.embed(["orders"])
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        await other.embed(["orders"])
    await other.close()


@pytest.mark.parametrize(
    ("section", "said"), case_rows(__file__, "what_cannot_be_used_is_refused_at_start", "section", "said", lists=True)
)
async def test_what_cannot_be_used_is_refused_at_start(section: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        await parts.embedder(config_of(tmp_path, **section))
    assert said in refused.value.message
