"""An embedder as Haystack components, for Haystack pipelines: one for a text, one for documents.

Importing this imports Haystack (half a second), which nothing else about embedders needs.
"""

from __future__ import annotations

from dataclasses import replace

from haystack import Document, component

from askwell.providers.embedder.base import Embedder


@component
class TextEmbedder:
    """Gives a question's vector as the list of numbers that Haystack's retrievers take."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        """Refused: embedding waits for a thread or a server, and there is an event loop to keep free."""
        raise NotImplementedError("this component runs in asynchronous pipelines only")

    @component.output_types(embedding=list[float])
    async def run_async(self, text: str) -> dict[str, list[float]]:
        """`embedding`: the vector. Raises `EmbedderUnavailable`."""
        return {"embedding": (await self._embedder.embed([text]))[0].tolist()}


@component
class DocumentEmbedder:
    """Gives documents with their vectors; the ones that came in stay as they are."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Refused, as `TextEmbedder.run` is."""
        raise NotImplementedError("this component runs in asynchronous pipelines only")

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        """`documents`: the same with embeddings, in the same order. Raises `EmbedderUnavailable`."""
        vectors = await self._embedder.embed([document.content or "" for document in documents])
        pairs = zip(documents, vectors.tolist(), strict=True)
        return {"documents": [replace(document, embedding=vector) for document, vector in pairs]}
