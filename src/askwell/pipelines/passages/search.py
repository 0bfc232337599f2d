"""The interface of the search for passages."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from askwell.knowledge.documents import DocumentShelf, Passage
from askwell.pipelines.dag import IMPORTING, Dag
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.passages.reranking import Ranking

# What is enough: it keeps out what is about other worlds, and loses few that are answered (docs/passages.md).
MIN_SCORE = 0.25
_EMBEDDING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with the title of its document; `score` is how probable it is that it answers the question."""

    passage: Passage
    title: str
    score: float


class PassageSearch:
    """Searches what people wrote for a project. An index that is missing is built first."""

    def __init__(self, indexing: Indexing, shelf: DocumentShelf, *, adapters: tuple[Any, ...] = ()) -> None:
        self._indexing = indexing
        self._shelf = shelf
        self._dag: Dag[Ranking] = Dag(
            "askwell.pipelines.passages.nodes", result="ranking", name="passages", adapters=adapters
        )
        self._tools: dict[str, Any] | None = None

    async def run(
        self,
        project_id: str,
        question: str,
        *,
        top_k: int = 5,
        min_score: float = MIN_SCORE,
        tags: Collection[str] = (),
    ) -> list[FoundPassage]:
        """At most `top_k` passages of at least `min_score`, the most probable first; where there are `tags`, of
        documents that have one of them. Raises `Unavailable` and `RecordUnavailable`."""
        library = await self._shelf.of(project_id)
        if not any(one.chunks for one in library.documents.values()):
            return []
        wanted_tags = set(tags)
        tagged = (
            {one.id for one in library.documents.values() if not wanted_tags.isdisjoint(one.tags)} if tags else None
        )
        ranking = await self.ranked(project_id, question, tagged)
        wanted = [one for one in ranking.passages if one.score >= min_score][:top_k]
        passages = await self._shelf.find(project_id, [one.owner for one in wanted])
        return [
            FoundPassage(passage, library.documents[passage.document_id].title, one.score)
            for one in wanted
            if (passage := passages.get(one.owner)) is not None and passage.document_id in library.documents
        ]

    async def warm(self, project_id: str) -> None:
        """Do now what the first search of a project does first. Raises as `run` does."""
        if any(one.chunks for one in (await self._shelf.of(project_id)).documents.values()):
            await self._indexing.passage_section(project_id, self._shelf)

    async def ranked(self, project_id: str, question: str, documents: Collection[str] | None = None) -> Ranking:
        """The passages that may answer a question, where there are `documents` of those. Raises as `run` does."""
        section = await self._indexing.passage_section(project_id, self._shelf)
        if self._tools is None:
            self._tools = await asyncio.to_thread(self._made)
        return await self._dag.run(
            section=section,
            question=question,
            documents=documents,
            **self._tools,
        )

    def _made(self) -> dict[str, Any]:
        """What every search works with. Haystack takes a third of a second to import."""
        with IMPORTING:
            from askwell.pipelines.components import CandidateRetriever, QuestionEmbedder
        embedder = self._indexing.embedder
        return {
            "embedder": embedder,
            "embedding_seconds": _EMBEDDING_SECONDS,
            "question_embedder": QuestionEmbedder(embedder, _EMBEDDING_SECONDS),
            "retriever": CandidateRetriever(self._indexing.store),
        }
