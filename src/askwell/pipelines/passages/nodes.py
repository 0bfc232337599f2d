"""Nodes: from a question to the passages that may answer it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection

from askwell.errors import AskwellError
from askwell.pipelines.components import CandidateRetriever, QuestionEmbedder
from askwell.pipelines.passages.reranking import (
    Evidence,
    RankedPassage,
    Ranking,
    Signals,
    evidence_of,
    reranked,
    signals_of,
    within_bounds,
)
from askwell.providers.document_store.base import NO_HITS, Hits, Kind, Section
from askwell.providers.embedder.base import Embedder, TokenEmbedder, Vectors

logger = logging.getLogger(__name__)


async def question_vector(question: str, question_embedder: QuestionEmbedder) -> Vectors | None:
    """The question's vector; None where words alone are searched."""
    return (await question_embedder.run_async(question))["embedding"]


async def parts(
    section: Section, retriever: CandidateRetriever, question: str, question_vector: Vectors | None
) -> Hits:
    """The candidates by words and by vectors."""
    return (await retriever.run_async(section, Kind.PASSAGE, question, question_vector))["hits"]


async def sentences(
    section: Section, retriever: CandidateRetriever, question: str, question_vector: Vectors | None
) -> Hits:
    """Their sentences by vectors; none where there is no vector."""
    if question_vector is None:
        return NO_HITS
    return (await retriever.run_async(section, Kind.SENTENCE, question, question_vector))["hits"]


async def candidates(
    question: str, parts: Hits, sentences: Hits, documents: Collection[str] | None
) -> tuple[Signals, ...]:
    """What speaks for each of them, the most probable first; those of equal scores by BM25."""
    found = await asyncio.to_thread(lambda: list(signals_of(question, parts, sentences, documents)))
    return tuple(sorted(found, key=lambda one: (-one.score, -one.words)))


async def evidence(
    question: str,
    candidates: tuple[Signals, ...],
    question_vector: Vectors | None,
    embedder: Embedder,
    embedding_seconds: float,
) -> Evidence | None:
    """What the tokens of the best ones say; None where the embedder gives none, or not in time."""
    if question_vector is None or not candidates or not isinstance(embedder, TokenEmbedder):
        return None
    best = within_bounds(candidates)
    try:
        async with asyncio.timeout(embedding_seconds):
            asked, *texts = await embedder.embed_tokens([question, *(one.text for one in best)])
    except (AskwellError, TimeoutError) as error:
        logger.warning("passages were not reranked", extra={"error": type(error).__name__})
        return None
    return await asyncio.to_thread(evidence_of, best, asked, texts)


def ranking(candidates: tuple[Signals, ...], evidence: Evidence | None) -> Ranking:
    """The best ones reranked, and the others behind them."""
    if evidence is None:
        return Ranking(tuple(RankedPassage(one.owner, one.score) for one in candidates), candidates, None)
    best = reranked(evidence)
    rest = (RankedPassage(one.owner, min(one.score, best[-1].score)) for one in candidates[len(best) :])
    return Ranking((*best, *rest), candidates, evidence)
