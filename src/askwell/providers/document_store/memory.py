"""The default store: a matrix of vectors and a BM25 index for each project, in memory, built from the record."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askwell.providers.document_store.base import (
    KEPT_EDITIONS,
    NO_HITS,
    Document,
    Hits,
    Kind,
    Scores,
    Section,
    grouped_by_owner,
    kept_editions,
)
from askwell.providers.document_store.words import K1, B, terms
from askwell.providers.embedder.base import Vectors

# Projects kept in memory. One with 200 models of 20 columns takes about 12 MB.
KEPT_PROJECTS = 64


class MemoryDocumentStore:
    """Implements `DocumentStore`. An index never changes once it is built, so a search needs no lock: it goes on with
    what it found. The least recently searched projects are dropped; whoever finds them missing builds them again."""

    def __init__(self, *, kept_projects: int = KEPT_PROJECTS, kept_models: int = KEPT_EDITIONS) -> None:
        self._kept_projects = kept_projects
        self._kept_models = kept_models
        self._projects: OrderedDict[str, dict[str, OrderedDict[str, _Index]]] = OrderedDict()

    async def replace(self, section: Section, documents: Sequence[Document], vectors: Vectors) -> None:
        """See `DocumentStore.replace`."""
        index = await asyncio.to_thread(_build, documents, vectors)
        shelves = self._projects.setdefault(section.project_id, {})
        self._projects.move_to_end(section.project_id)
        editions = shelves.setdefault(section.shelf, OrderedDict())
        editions[section.edition] = index
        editions.move_to_end(section.edition)
        while len(editions) > kept_editions(section, self._kept_models):
            editions.popitem(last=False)
        while len(self._projects) > self._kept_projects:
            self._projects.popitem(last=False)

    async def holds(self, section: Section) -> bool:
        """See `DocumentStore.holds`."""
        return self._index(section) is not None

    async def search(self, section: Section, kind: Kind, words: str, vector: Vectors | None) -> Hits:
        """See `DocumentStore.search`. At most some milliseconds for 20,000 documents."""
        part = (self._index(section) or {}).get(kind)
        return NO_HITS if part is None else part.search(words, vector)

    async def delete(self, project_id: str) -> None:
        """See `DocumentStore.delete`."""
        self._projects.pop(project_id, None)

    async def check(self) -> None:
        """See `DocumentStore.check`: memory is always there."""

    async def close(self) -> None:
        """See `DocumentStore.close`."""
        self._projects.clear()

    def _index(self, section: Section) -> _Index | None:
        """The only way to documents: through the project that they belong to."""
        shelves = self._projects.get(section.project_id)
        if shelves is None:
            return None
        self._projects.move_to_end(section.project_id)
        return shelves.get(section.shelf, OrderedDict()).get(section.edition)


@dataclass(frozen=True)
class _Part:
    """The documents of one kind. `bm25` is None where none of them has a word."""

    documents: tuple[Document, ...]
    owners: tuple[str, ...]
    owner_rows: NDArray[np.intp]
    vectors: Vectors
    bm25: Any

    def search(self, words: str, vector: Vectors | None) -> Hits:
        return Hits(self.documents, self.owners, self.owner_rows, self._words(words), self._cosines(vector))

    def _words(self, words: str) -> Scores:
        wanted = self.bm25.get_tokens_ids(terms(words)) if self.bm25 is not None else ()
        if not len(wanted):
            return np.zeros(len(self.documents), np.float32)
        scores: Scores = self.bm25.get_scores_from_ids(wanted)
        return scores

    def _cosines(self, vector: Vectors | None) -> Scores:
        if vector is None or vector.shape[-1] != self.vectors.shape[1] or not self.vectors.shape[1]:
            return np.full(len(self.documents), np.nan, np.float32)
        # Row by row on this thread: `@` wakes BLAS's threads, which spin for ten times as long as the work takes.
        cosines: Scores = np.vecdot(self.vectors, vector)
        return cosines


_Index = dict[Kind, _Part]


def _build(documents: Sequence[Document], vectors: Vectors) -> _Index:
    if len(documents) != len(vectors):
        raise ValueError(f"{len(documents)} documents came with {len(vectors)} vectors")
    rows: dict[Kind, list[int]] = {}
    for row, document in enumerate(documents):
        rows.setdefault(document.kind, []).append(row)
    return {kind: _build_part([documents[row] for row in of_kind], vectors[of_kind]) for kind, of_kind in rows.items()}


def _build_part(documents: list[Document], vectors: Vectors) -> _Part:
    owners, owner_rows = grouped_by_owner(documents)
    return _Part(
        tuple(documents), owners, owner_rows, np.ascontiguousarray(vectors, np.float32), _build_bm25(documents)
    )


def _build_bm25(documents: list[Document]) -> Any:
    """The scores that `askwell.providers.document_store.words` describes, in a form that is quick to search."""
    from bm25s import BM25

    corpus = [terms(document.text) for document in documents]
    if not any(corpus):
        return None
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when it is imported
    bm25 = BM25(method="lucene", k1=K1, b=B)
    bm25.index(corpus, show_progress=False)
    return bm25
