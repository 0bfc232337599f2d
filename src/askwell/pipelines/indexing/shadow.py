"""Nodes: from documents to a section of the index that stands in for the record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np

from askwell.knowledge.embeddings import EmbeddingShelf, Vector
from askwell.providers.document_store.base import Document, DocumentStore, Section
from askwell.providers.embedder.base import Embedder, Vectors

# Texts embedded before their vectors are kept: what a crash in the middle costs.
_BATCH = 64

# Called with how many texts have been embedded, and of how many.
OnProgress = Callable[[int, int], None]


async def documents(source: Callable[[], list[Document]]) -> list[Document]:
    """The documents of a section; those of a thousand tables take more than a tenth of a second."""
    return await asyncio.to_thread(source)


async def known_vectors(
    documents: list[Document], section: Section, embedder: Embedder, embeddings: EmbeddingShelf
) -> dict[str, Vector]:
    """Vectors that this embedder gave before, for any project. From now on its texts are known to be in use."""
    if embedder.dimension == 0:
        return {}
    texts = list(dict.fromkeys(document.text for document in documents))
    await embeddings.note_use(section.project_id, section.shelf, section.edition, texts)
    return await embeddings.find(embedder.identity, embedder.dimension, texts)


async def new_vectors(
    documents: list[Document],
    known_vectors: dict[str, Vector],
    embedder: Embedder,
    embeddings: EmbeddingShelf,
    on_progress: OnProgress,
) -> dict[str, Vector]:
    """Vectors of the texts that nobody embedded before, kept as they come."""
    if embedder.dimension == 0:
        return {}
    texts = list(dict.fromkeys(document.text for document in documents if document.text not in known_vectors))
    found: dict[str, Vector] = {}
    on_progress(0, len(texts))
    kept: asyncio.Task[None] | None = None
    try:
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            vectors = dict(zip(batch, await embedder.embed(batch), strict=True))
            if kept is not None:
                await kept
            # On its way to the disk while the next ones are embedded.
            kept = asyncio.create_task(embeddings.keep(embedder.identity, vectors))
            found |= vectors
            on_progress(len(found), len(texts))
    finally:
        if kept is not None:
            await kept
    return found


async def vectors(
    documents: list[Document],
    known_vectors: dict[str, Vector],
    new_vectors: dict[str, Vector],
    embedder: Embedder,
) -> Vectors:
    """A row for each document."""
    if not documents or embedder.dimension == 0:
        return np.zeros((len(documents), embedder.dimension), np.float32)
    return await asyncio.to_thread(_rows, documents, known_vectors | new_vectors, embedder.dimension)


async def indexed_section(
    documents: list[Document], vectors: Vectors, section: Section, store: DocumentStore
) -> Section:
    """The section, swapped in whole."""
    await store.replace(section, documents, vectors)
    return section


def _rows(documents: list[Document], by_text: dict[str, Vector], dimension: int) -> Vectors:
    rows = np.empty((len(documents), dimension), np.float32)
    # One by one: stacking them all is one step, of several hundredths of a second, that nothing else runs during.
    for row, document in enumerate(documents):
        rows[row] = by_text[document.text]
    return rows
