"""Vectors by a text embedder or a document embedder of Haystack's ecosystem."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from haystack import Document

from askwell.errors import EmbedderUnavailable
from askwell.providers.embedder.base import Embedder, Vectors
from askwell.providers.failures import in_words
from askwell.providers.haystack_components import Component, create_component, failure_name

# Texts in one call of a document embedder, which has its own batches within.
_BATCH = 512


class ComponentEmbedder:
    """`dimension` is what the component gives, `timeout` in seconds for one of its calls."""

    def __init__(self, component: Component, dimension: int, identity: str, timeout: float) -> None:
        self.dimension = dimension
        self.identity = identity
        self._component = component
        self._timeout = timeout
        self._takes_documents = "documents" in component.takes

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        matrix = np.zeros((len(texts), self.dimension), np.float32)
        size = _BATCH if self._takes_documents else 1
        for start in range(0, len(texts), size):
            batch = [text or " " for text in texts[start : start + size]]
            rows = await self._rows(batch)
            if len(rows) != len(batch) or not all(rows):
                raise self._failure("other_number", found=sum(map(bool, rows)), expected=len(batch))
            if width := next((len(row) for row in rows if len(row) != self.dimension), 0):
                raise self._failure("other_width", width=width, dimension=self.dimension)
            matrix[start : start + len(batch)] = rows
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        matrix /= lengths
        return matrix

    async def close(self) -> None:
        await self._component.close()

    async def _rows(self, texts: list[str]) -> list[list[float]]:
        try:
            async with asyncio.timeout(self._timeout):
                if not self._takes_documents:
                    return [list((await self._component.run(text=texts[0]))["embedding"])]
                documents = [Document(id=str(place), content=text) for place, text in enumerate(texts)]
                found = (await self._component.run(documents=documents))["documents"]
                by_id = {document.id: document.embedding for document in found}
                return [list(by_id.get(document.id) or ()) for document in documents]
        except Exception as error:  # noqa: BLE001 - whatever a component raises, people are told in words
            failed = failure_name(error)
        raise self._failure(failed, component=self._component.path)

    def _failure(self, what: str, **values: object) -> EmbedderUnavailable:
        return EmbedderUnavailable(*in_words(__package__, what, model=self.identity, **values))


def component_embedder(path: str, init: Mapping[str, Any], model: str, dimension: int, timeout: float) -> Embedder:
    """The embedder whose class is at `path`, made with `init`. Raises `ConfigurationError`."""
    # Prefixes and the like change what vectors mean.
    made_with = hashlib.sha256(json.dumps(init, sort_keys=True, default=str).encode()).hexdigest()[:8]
    identity = f"{model}@{path}-{made_with}/{dimension}"
    return ComponentEmbedder(create_component("embedder", path, init), dimension, identity, timeout)
