"""Keeping the index in step with the record: a section is built when it is missing, once, whoever needs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from askwell import __version__
from askwell.errors import AskwellError, NotFound
from askwell.heap import many_objects
from askwell.knowledge.documents import DocumentShelf, Library, Passage
from askwell.knowledge.embeddings import EmbeddingShelf
from askwell.knowledge.saved import SavedKnowledge
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.without_values import without_values
from askwell.messages import say
from askwell.pipelines.dag import Dag
from askwell.pipelines.indexing import shadow
from askwell.pipelines.indexing.documents import knowledge_documents, model_documents, passage_documents
from askwell.pipelines.indexing.shadow import OnProgress
from askwell.privacy.current import as_it_is, values_leave
from askwell.providers.document_store.base import Document, DocumentStore, Section
from askwell.providers.embedder.base import Embedder

logger = logging.getLogger(__name__)

# Nothing has to have come for so many seconds before documents are indexed that nobody has searched for yet.
_LULL = 1.0
# What traces call the pipeline that builds a section of each shelf.
_PIPELINES = {"model": "model_indexing", "knowledge": "knowledge_indexing", "documents": "passage_indexing"}


def _nobody_watches(done: int, total: int) -> None:
    pass


class Indexing:
    """Gives sections that are there to be searched. What it takes time over is embedding; texts that were embedded
    before, in any project or before a restart, cost nothing. Raises `EmbedderUnavailable`. The graph is built
    when the first section is.

    A search a section needs the `store` that it is in and the `embedder` of its vectors."""

    def __init__(
        self,
        store: DocumentStore,
        embedder: Embedder,
        embeddings: EmbeddingShelf,
        *,
        column_indexing_batch_size: int = 50,
        adapters: Sequence[Any] = (),
    ) -> None:
        self.store = store
        self.embedder = embedder
        self._embeddings = embeddings
        self._batch_size = column_indexing_batch_size
        self._dag: Dag[Section] = Dag(shadow, result=shadow.indexed_section, name="indexing", adapters=adapters)
        self._building: dict[Section, asyncio.Task[Section]] = {}
        self._following: dict[str, asyncio.Task[None]] = {}

    async def model_section(
        self, project_id: str, model: SemanticModel, on_progress: OnProgress = _nobody_watches
    ) -> Section:
        """The section of a project's model."""
        section = Section(project_id, "model", self._edition(f"{model.content_hash}:{self._batch_size}"))

        async def build() -> Section:
            # Names and descriptions may go to whatever embeds them; values stay.
            is_shown_whole = values_leave() or not getattr(self.embedder, "hides_values", False)
            shown = model if is_shown_whole else without_values(model)
            with many_objects(), as_it_is():
                return await self._indexed(section, partial(model_documents, shown, self._batch_size), on_progress)

        return await self._ensure(section, build)

    async def knowledge_section(self, saved: SavedKnowledge) -> Section:
        """The section of what is saved for a project."""
        section = Section(saved.project_id, "knowledge", self._edition(saved.digest))

        return await self._ensure(section, lambda: self._indexed(section, partial(knowledge_documents, saved)))

    async def passage_section(self, project_id: str, shelf: DocumentShelf) -> Section:
        """The section of what people wrote for a project, as it is when this returns: of two changes at once the one
        that ends last would else leave what the other one has removed."""
        while True:
            library = await shelf.of(project_id)
            section = await self._section_of(library, shelf)
            if (await shelf.of(project_id)).digest == library.digest:
                return section

    async def embed_passages(self, passages: Sequence[Passage], title: str) -> None:
        """Embed what stands in a document before it is in the record: whoever builds a section then finds its vectors,
        and nobody embeds the same meanwhile."""
        if not self.embedder.dimension:
            return
        titles = {one.document_id: title for one in passages}
        found = await asyncio.to_thread(passage_documents, passages, titles)
        texts = list(dict.fromkeys(one.text for one in found))
        known = await self._embeddings.find(self.embedder.identity, self.embedder.dimension, texts)
        await shadow.new_vectors(found, known, self.embedder, self._embeddings, _nobody_watches)

    def documents_came(self, project_id: str, shelf: DocumentShelf) -> None:
        """Have the section of the documents built, when no more of them come or by a search first. To build it
        for each would be to read all that came before each time."""
        if project_id not in self._following:
            task = asyncio.create_task(self._follow(project_id, shelf), name="index-documents-later")
            self._following[project_id] = task
            task.add_done_callback(lambda _: self._following.pop(project_id, None))

    async def forget(self, project_id: str) -> None:
        """Drop a project from the index. It is built again when it is searched and the record still has it."""
        following = self._following.get(project_id)
        if following is not None:
            await _cancel([following])
        stopped = [task for section, task in self._building.items() if section.project_id == project_id]
        await _cancel(stopped)  # first: what they would still write is not to come after the deletion
        await self.store.delete(project_id)
        await self._embeddings.forget_use(project_id)

    async def close(self) -> None:
        """Cancel what is being built. Safe to call twice."""
        await _cancel(list(self._following.values()))
        await _cancel(list(self._building.values()))

    async def _section_of(self, library: Library, shelf: DocumentShelf) -> Section:
        section = Section(library.project_id, "documents", self._edition(library.digest))
        return await self._ensure(section, partial(self._passages, section, library, shelf))

    async def _follow(self, project_id: str, shelf: DocumentShelf) -> None:
        """Build the section of the documents when no more come."""
        try:
            indexed = None
            while (library := await shelf.of(project_id)).digest != indexed:
                await asyncio.sleep(_LULL)
                if (await shelf.of(project_id)).digest == library.digest:
                    await self._section_of(library, shelf)
                    indexed = library.digest
        except AskwellError as error:  # a search is told
            logger.warning("documents were not indexed", extra={"error": type(error).__name__})

    async def _passages(self, section: Section, library: Library, shelf: DocumentShelf) -> Section:
        passages = await shelf.all_passages(section.project_id)
        titles = {one.id: one.title for one in library.documents.values()}
        return await self._indexed(section, partial(passage_documents, passages, titles))

    def _edition(self, content: str) -> str:
        """What is indexed of the same content may change with each version of Askwell, and a server keeps it longer."""
        return f"{content}:{self.embedder.identity}:{__version__}"

    async def _indexed(
        self, section: Section, source: Callable[[], list[Document]], on_progress: OnProgress = _nobody_watches
    ) -> Section:
        return await self._dag.run(
            pipeline=_PIPELINES[section.shelf],
            section=section,
            source=source,
            store=self.store,
            embedder=self.embedder,
            embeddings=self._embeddings,
            on_progress=on_progress,
        )

    async def _ensure(self, section: Section, build: Callable[[], Coroutine[Any, Any, Section]]) -> Section:
        if await self.store.holds(section):
            return section
        task = self._building.get(section)
        if task is None:
            task = self._building[section] = asyncio.create_task(build(), name=f"index-{section.shelf}")
            task.add_done_callback(lambda done: self._ended(section, done))
        try:
            # Shielded: whoever gives up waiting leaves it to the others who need it, and to the next question.
            await asyncio.shield(task)
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if task.cancelled() and not (waiting and waiting.cancelling()):
                raise NotFound(*say("retrieval.index_removed")) from None
            raise
        return section

    def _ended(self, section: Section, task: asyncio.Task[Section]) -> None:
        self._building.pop(section, None)
        if not task.cancelled():
            task.exception()  # seen here too, in case everybody has given up waiting


async def _cancel(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
