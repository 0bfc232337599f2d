"""How many of the tables and columns that questions need retrieval finds (`askwell eval retrieval`): the service's own
indexing and retrieval, as they are configured, over one model of many databases."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell import parts
from askwell.config import Config, Settings
from askwell.evaluation.catalogue import Catalogue, LinkedQuestion
from askwell.knowledge.record import Record
from askwell.pipelines.indexing import Indexing
from askwell.pipelines.retrieval import Retrieval
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.providers.document_store.base import DocumentStore
from askwell.providers.embedder.base import Embedder, Vectors
from askwell.providers.engine.base import Engine
from askwell.providers.engine.sqlite_engine import SQLiteEngine

_PROJECT = "catalogue"
_PROGRESS_EVERY = 500


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one question: the first tables, best first, how many of its gold columns are in the prompt's schema
    (`shown`) of all of them (`columns`), and of those whose table was retrieved (`shown_of_found`, `columns_of_found`).
    `ms` is the whole retrieval, `embedding_ms` the embedder's part of it."""

    question: LinkedQuestion
    tables: tuple[str, ...]
    columns: int
    shown: int
    columns_of_found: int
    tokens: int
    ms: float
    embedding_ms: float

    def recall(self, size: int) -> float:
        """The share of its gold tables among the first tables."""
        return len(self.question.tables & set(self.tables[:size])) / len(self.question.tables)


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Figures of one run; `index_s` are the seconds that the first indexing took, embedding included."""

    found: tuple[Found, ...]
    tables: int
    index_s: float

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready. Shares are from 0 to 1."""
        found = self.found
        return {
            "questions": len(found),
            "tables": self.tables,
            "recall_at_5": _mean([one.recall(5) for one in found]),
            "recall_at_10": _mean([one.recall(10) for one in found]),
            "all_at_10": _mean([float(one.recall(10) == 1) for one in found]),
            "column_recall": _share(sum(one.shown for one in found), sum(one.columns_of_found for one in found)),
            "column_recall_overall": _share(sum(one.shown for one in found), sum(one.columns for one in found)),
            "prompt_tokens_p50": _median([one.tokens for one in found]),
            "p50_ms": round(_median([one.ms for one in found]), 3),
            "p50_ms_without_embedding": round(_median([one.ms - one.embedding_ms for one in found]), 3),
            "index_s": round(self.index_s, 3),
        }

    def as_table(self) -> str:
        """Lines for people."""
        figures = self.as_json()
        return "\n".join(
            [
                f"questions        {figures['questions']}, against {figures['tables']} tables",
                f"tables found     {figures['recall_at_5']:.1%} in the first 5, {figures['recall_at_10']:.1%} in 10",
                f"all of them      {figures['all_at_10']:.1%} of the questions have all their tables in the first 10",
                f"columns shown    {figures['column_recall']:.1%} of those of tables that were found, "
                f"{figures['column_recall_overall']:.1%} of all",
                f"schema tokens    p50 {figures['prompt_tokens_p50']:.0f}",
                f"time a question  p50 {figures['p50_ms']:.1f} ms, {figures['p50_ms_without_embedding']:.1f} ms "
                "without its embedding",
                f"indexing         {figures['index_s']:.1f} s",
            ]
        )


def run_retrieval(
    catalogue: Catalogue, questions: Sequence[LinkedQuestion], config: Config, *, progress: Callable[[str], None]
) -> RetrievalReport:
    """Index the catalogue and retrieve for each question, one at a time, with the embedder and the settings of
    `config`. The index is in memory, and the record is thrown away. Raises what the embedder raises."""
    return asyncio.run(_run(catalogue, questions, config, progress))


async def _run(
    catalogue: Catalogue, questions: Sequence[LinkedQuestion], config: Config, progress: Callable[[str], None]
) -> RetrievalReport:
    async with _opened(config) as here:
        project = _Project(_PROJECT, PreparedModel(catalogue.model, {}), here.engine)
        tables = len(catalogue.model.tables)
        progress(f"indexing {tables} tables ...")
        started = time.perf_counter()
        await here.indexing.model_section(_PROJECT, catalogue.model)
        index_s = time.perf_counter() - started
        found = [
            one async for one in _found(here.retrieval(config.settings), project, questions, here.embedder, progress)
        ]
    return RetrievalReport(tuple(found), tables, index_s)


async def _found(
    retrieval: Retrieval,
    project: _Project,
    questions: Sequence[LinkedQuestion],
    embedder: _TimedEmbedder,
    progress: Callable[[str], None],
) -> AsyncIterator[Found]:
    await retrieval.run(project, "How many rows are there?")  # the graph is built, and the embedder loaded
    for number, question in enumerate(questions, 1):
        embedder.seconds = 0.0
        started = time.perf_counter()
        context = await retrieval.run(project, question.question)
        seconds = time.perf_counter() - started
        yield _judged(question, context, seconds * 1000, embedder.seconds * 1000)
        if number % _PROGRESS_EVERY == 0:
            progress(f"{number} of {len(questions)} questions")


def _judged(question: LinkedQuestion, context: RetrievedContext, ms: float, embedding_ms: float) -> Found:
    shown = context.schema.columns
    return Found(
        question=question,
        tables=tuple(table.name for table in context.tables[:10]),
        columns=len(question.columns),
        shown=sum(ref.column in shown.get(ref.table, ()) for ref in question.columns),
        columns_of_found=sum(ref.table in shown for ref in question.columns),
        tokens=context.schema.tokens,
        ms=ms,
        embedding_ms=embedding_ms,
    )


@dataclass(frozen=True, slots=True)
class _Project:
    """Implements `AskedProject`."""

    project_id: str
    prepared: PreparedModel
    engine: Engine


class _TimedEmbedder:
    """Implements `Embedder`; `seconds` is what its work has taken since somebody set it back."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.seconds = 0.0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        started = time.perf_counter()
        try:
            return await self._embedder.embed(texts)
        finally:
            self.seconds += time.perf_counter() - started

    async def close(self) -> None:
        await self._embedder.close()


@dataclass(frozen=True, slots=True)
class _Parts:
    """What retrieval is made of, over a record of its own."""

    embedder: _TimedEmbedder
    store: DocumentStore
    record: Record
    indexing: Indexing
    engine: Engine

    def retrieval(self, settings: Settings) -> Retrieval:
        return Retrieval(self.store, self.embedder, self.indexing, self.record.saved, settings)


@contextlib.asynccontextmanager
async def _opened(config: Config) -> AsyncIterator[_Parts]:
    async with contextlib.AsyncExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="askwell-eval-")))
        record = await Record.open("sqlite", folder)
        closing.push_async_callback(record.close)
        embedder = _TimedEmbedder(await parts.embedder(config))
        closing.push_async_callback(embedder.close)
        store = parts.document_store(config.apart(folder, {}))
        closing.push_async_callback(store.close)
        # Retrieval asks a database for its functions; this one has those and nothing else.
        with contextlib.closing(sqlite3.connect(folder / "empty.sqlite")) as connection:
            connection.execute("VACUUM")
        engine = SQLiteEngine(folder / "empty.sqlite")
        closing.push_async_callback(engine.close)
        batch_size = config.settings.column_indexing_batch_size
        indexing = Indexing(store, embedder, record.embeddings, column_indexing_batch_size=batch_size)
        closing.push_async_callback(indexing.close)
        yield _Parts(embedder, store, record, indexing, engine)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0
