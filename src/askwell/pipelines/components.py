"""Haystack components that searching pipelines are made of: embedder, retriever, ranker and scope gate.

Importing this imports Haystack, and making a component takes it a millisecond: pipelines make theirs with their graph.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence

from haystack import component

from askwell.config import RankingConfig
from askwell.errors import AskwellError
from askwell.pipelines.retrieval.context import Scope, ScoredTable, ValueMatch
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.ranking import TableSignals, rank_tables
from askwell.pipelines.retrieval.saved import Thresholds
from askwell.pipelines.retrieval.scope import judge_scope
from askwell.providers.document_store.base import DocumentStore, Hits, Kind, Section
from askwell.providers.embedder.base import Embedder, Vectors

logger = logging.getLogger(__name__)


@component
class QuestionEmbedder:
    """Gives a question's vector; None where there is no embedder, or none that answers within `seconds`: then words
    alone decide."""

    def __init__(self, embedder: Embedder, seconds: float) -> None:
        self._embedder = embedder
        self._seconds = seconds

    @component.output_types(embedding=Vectors | None)
    def run(self, text: str) -> dict[str, Vectors | None]:
        """See `run_async`; outside of an event loop."""
        return asyncio.run(self.run_async(text))

    @component.output_types(embedding=Vectors | None)
    async def run_async(self, text: str) -> dict[str, Vectors | None]:
        """`{"embedding": vector}`."""
        if self._embedder.dimension == 0:
            return {"embedding": None}
        try:
            async with asyncio.timeout(self._seconds):
                return {"embedding": (await self._embedder.embed([text]))[0]}
        except (AskwellError, TimeoutError) as error:
            why = error.code if isinstance(error, AskwellError) else f"no answer in {self._seconds:g} seconds"
            logger.warning("searching by words only: the embedder is unavailable", extra={"error": why})
            return {"embedding": None}


@component
class CandidateRetriever:
    """Finds the candidates of a kind in a section of a document store, by words and by a vector."""

    def __init__(self, document_store: DocumentStore) -> None:
        self._store = document_store

    @component.output_types(hits=Hits)
    def run(self, section: Section, kind: Kind, query: str, query_embedding: Vectors | None = None) -> dict[str, Hits]:
        """See `run_async`; outside of an event loop."""
        return asyncio.run(self.run_async(section, kind, query, query_embedding))

    @component.output_types(hits=Hits)
    async def run_async(
        self, section: Section, kind: Kind, query: str, query_embedding: Vectors | None = None
    ) -> dict[str, Hits]:
        """`{"hits": hits}`. Raises `Unavailable`."""
        return {"hits": await self._store.search(section, kind, query, query_embedding)}


@component
class TableRanker:
    """Ranks tables by their signals, as the settings weigh these."""

    def __init__(self, ranking: RankingConfig) -> None:
        self._ranking = ranking

    @component.output_types(tables=tuple[ScoredTable, ...])
    def run(self, signals: TableSignals, seeds: Mapping[str, float]) -> dict[str, tuple[ScoredTable, ...]]:
        """`{"tables": tables}`, the best first. A seed is added to the score of its table."""
        return {"tables": rank_tables(signals, seeds, self._ranking)}


@component
class ScopeGate:
    """Says whether a question is about anything in a model, by what an embedder's similarities mean."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds

    @component.output_types(scope=Scope)
    def run(
        self, question: str, tables: Hits, columns: Hits, values: Sequence[ValueMatch], prepared: PreparedModel
    ) -> dict[str, Scope]:
        """`{"scope": scope}`."""
        return {"scope": judge_scope(question, tables, columns, values, prepared, self._thresholds)}
