"""Any document store of Haystack's ecosystem as the place where the index is kept.

Its protocol has no search with scores: what is kept there is read section by section, and searched in memory, with the
same scores as by the default store. What a store is for then is that an index need not be built anew at each start.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from haystack import Document as Stored
from haystack.document_stores.types import DuplicatePolicy

from askwell.errors import Unavailable
from askwell.providers.document_store.base import KEPT_EDITIONS, Document, Hits, Kind, Section, kept_editions
from askwell.providers.document_store.memory import MemoryDocumentStore
from askwell.providers.embedder.base import Vectors
from askwell.providers.failures import in_words
from askwell.providers.haystack_components import Component, failure_name

_T = TypeVar("_T")
# Documents in one call, each within the time limit.
_BATCH = 500
# The kind of the document that is written last: where it is, its edition is whole.
_WHOLE = "whole"


class ComponentDocumentStore:
    """Implements `DocumentStore`. `timeout` is in seconds for one call of the component, which all run on one thread:
    clients of databases seldom stand several."""

    def __init__(self, component: Component, timeout: float, kept_models: int = KEPT_EDITIONS) -> None:
        self._component = component
        self._store = component.instance
        self._timeout = timeout
        self._kept_models = kept_models
        self._memory = MemoryDocumentStore(kept_models=kept_models)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="document-store")
        self._loading = asyncio.Lock()

    async def replace(self, section: Section, documents: Sequence[Document], vectors: Vectors) -> None:
        """See `DocumentStore.replace`."""
        if len(documents) != len(vectors):
            raise ValueError(f"{len(documents)} documents came with {len(vectors)} vectors")
        before = await self._found(section)
        await self._delete([one.id for one in before if one.meta["kind"] == _WHOLE])
        made = await asyncio.to_thread(_stored, section, documents, vectors)
        await self._each(self._store.write_documents, made, DuplicatePolicy.OVERWRITE)
        await self._delete(sorted({one.id for one in before} - {one.id for one in made}))
        whole = _whole(section, len(made), vectors.shape[1])
        await self._call(self._store.write_documents, [whole], DuplicatePolicy.OVERWRITE)
        await self._memory.replace(section, documents, vectors)
        await self._forget_old(section)

    async def holds(self, section: Section) -> bool:
        """See `DocumentStore.holds`."""
        return await self._memory.holds(section) or bool(await self._found(section, kind=_WHOLE))

    async def search(self, section: Section, kind: Kind, words: str, vector: Vectors | None) -> Hits:
        """See `DocumentStore.search`. The first of a section reads it as a whole."""
        if not await self._memory.holds(section):
            async with self._loading:
                if not await self._memory.holds(section):
                    await self._load(section)
        return await self._memory.search(section, kind, words, vector)

    async def delete(self, project_id: str) -> None:
        """See `DocumentStore.delete`."""
        await self._memory.delete(project_id)
        found = await self._call(self._store.filter_documents, _filters(project=project_id))
        await self._delete([one.id for one in found if one.meta["project"] == project_id])

    async def check(self) -> None:
        """See `DocumentStore.check`."""
        await self._call(self._store.filter_documents, _filters(project="", kind=_WHOLE))

    async def close(self) -> None:
        """See `DocumentStore.close`."""
        await self._memory.close()
        self._thread.shutdown(wait=False)
        await self._component.close()

    async def _load(self, section: Section) -> None:
        found = await self._found(section)
        first, *rows = sorted(found, key=lambda one: one.meta["row"]) or (None,)
        if first is None or first.meta["kind"] != _WHOLE or len(rows) != first.meta["count"]:
            return
        dimension = first.meta["dimension"]
        if dimension and any(one.embedding is None or len(one.embedding) != dimension for one in rows):
            raise self._failure("component_vectors")
        await self._memory.replace(section, *await asyncio.to_thread(_read, rows, dimension))

    async def _forget_old(self, section: Section) -> None:
        filters = _filters(project=section.project_id, shelf=section.shelf, kind=_WHOLE)
        editions = await self._call(self._store.filter_documents, filters)
        editions.sort(key=lambda one: one.meta["written"], reverse=True)
        for old in editions[kept_editions(section, self._kept_models) :]:
            await self._delete([one.id for one in await self._found(replace(section, edition=old.meta["edition"]))])

    async def _found(self, section: Section, **more: str) -> list[Stored]:
        named = _meta(section)
        found = await self._call(self._store.filter_documents, _filters(**named, **more))
        # Some stores compare without case.
        return [one for one in found if named.items() <= one.meta.items()]

    async def _delete(self, ids: list[str]) -> None:
        await self._each(self._store.delete_documents, ids)

    async def _each(self, method: Callable[..., Any], items: list[Any], *more: Any) -> None:
        for start in range(0, len(items), _BATCH):
            await self._call(method, items[start : start + _BATCH], *more)

    async def _call(self, method: Callable[..., _T], *given: Any) -> _T:
        try:
            async with asyncio.timeout(self._timeout):
                return await asyncio.get_running_loop().run_in_executor(self._thread, method, *given)
        except Exception as error:  # noqa: BLE001 - whatever a component raises, people are told in words
            failed = failure_name(error)
        raise self._failure(failed)

    def _failure(self, what: str) -> Unavailable:
        return Unavailable(*in_words(__package__, what, component=self._component.path, seconds=self._timeout))


def _filters(**meta: str) -> dict[str, Any]:
    conditions = [{"field": f"meta.{name}", "operator": "==", "value": value} for name, value in meta.items()]
    return {"operator": "AND", "conditions": conditions}


def _meta(section: Section) -> dict[str, Any]:
    return {"project": section.project_id, "shelf": section.shelf, "edition": section.edition}


def _id(section: Section, row: int) -> str:
    said = "\0".join((section.project_id, section.shelf, section.edition, str(row)))
    return hashlib.sha256(said.encode()).hexdigest()


def _stored(section: Section, documents: Sequence[Document], vectors: Vectors) -> list[Stored]:
    made = []
    for row, one in enumerate(documents):
        meta = {"kind": one.kind.value, "owner": one.owner, "name": one.name, "row": row}
        vector = vectors[row].tolist() or None
        made.append(Stored(_id(section, row), one.text, meta=_meta(section) | meta, embedding=vector))
    return made


def _read(rows: Sequence[Stored], dimension: int) -> tuple[list[Document], Vectors]:
    documents = [
        Document(Kind(m["kind"]), m["owner"], one.content or "", m["name"]) for one in rows for m in [one.meta]
    ]
    vectors = np.array([one.embedding if dimension else [] for one in rows], np.float32)
    return documents, vectors.reshape(len(rows), dimension)


def _whole(section: Section, count: int, dimension: int) -> Stored:
    meta = {"kind": _WHOLE, "row": -1, "count": count, "dimension": dimension, "written": time.time()}
    vector = [1.0, *[0.0] * (dimension - 1)] if dimension else None  # some stores take none without
    return Stored(_id(section, -1), section.edition, meta=_meta(section) | meta, embedding=vector)
