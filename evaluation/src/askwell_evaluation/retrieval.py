"""How many of the tables and columns that questions need retrieval finds (`askwell eval retrieval`): the service's own
indexing and retrieval, as they are configured, over one model of many databases."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askwell.config import Config, Settings
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell_evaluation.catalogue import Catalogue, LinkedQuestion
from askwell_evaluation.fit_ranking import examples_of, fitted_without_fold, fold_of
from askwell_evaluation.offline_retrieval import OfflineParts, OfflineProject, TimedEmbedder, opened_parts
from askwell_evaluation.report import Report, ratio, say

_PROJECT = "catalogue"
_PROGRESS_EVERY = 500


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one question: the first tables, best first, those that the prompt shows in full or on a line
    (`in_prompt`), how many of its gold columns are in the prompt's schema (`shown`) of all of them (`columns`), and how
    many of these are of tables that the prompt shows (`columns_of_found`). `ms` is the whole retrieval, `embedding_ms`
    the embedder's part of it."""

    question: LinkedQuestion
    tables: tuple[str, ...]
    in_prompt: frozenset[str]
    columns: int
    shown: int
    columns_of_found: int
    tokens: int
    ms: float
    embedding_ms: float

    def recall(self, size: int) -> float:
        """The share of its gold tables among the first tables."""
        return len(self.question.tables & set(self.tables[:size])) / len(self.question.tables)

    @property
    def shown_recall(self) -> float:
        """The share of its gold tables that the prompt shows."""
        return len(self.question.tables & self.in_prompt) / len(self.question.tables)


def run_retrieval(
    catalogue: Catalogue,
    questions: Sequence[LinkedQuestion],
    config: Config,
    *,
    folds: int = 0,
) -> Report:
    """Index the catalogue and retrieve for each question, one at a time, with the embedder and the settings of
    `config`. With `folds`, tables are ranked by weights that are fitted here and now, to the questions of all databases
    but those in the question's fold. The index is in memory, and the record is thrown away. Raises what the embedder
    raises."""
    found, index_s = asyncio.run(retrieve(catalogue, questions, config, folds=folds))
    count = len(found)
    figures = {
        "questions": count,
        "tables": len(catalogue.model.tables),
        "recall_at_5": ratio(sum(one.recall(5) for one in found), count),
        "recall_at_10": ratio(sum(one.recall(10) for one in found), count),
        "all_at_10": ratio(sum(one.recall(10) == 1 for one in found), count),
        "shown_recall": ratio(sum(one.shown_recall for one in found), count),
        "all_shown": ratio(sum(one.shown_recall == 1 for one in found), count),
        "column_recall": ratio(sum(one.shown for one in found), sum(one.columns_of_found for one in found)),
        "column_recall_overall": ratio(sum(one.shown for one in found), sum(one.columns for one in found)),
        "prompt_tokens_p50": _median([one.tokens for one in found]),
        "p50_ms": round(_median([one.ms for one in found]), 3),
        "p50_ms_without_embedding": round(_median([one.ms - one.embedding_ms for one in found]), 3),
        "index_s": round(index_s, 3),
    }
    return Report(figures, _lines(figures))


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0


def _lines(figures: Mapping[str, Any]) -> list[str]:
    return [
        f"questions        {figures['questions']}, against {figures['tables']} tables",
        f"tables found     {figures['recall_at_5']:.1%} in the first 5, {figures['recall_at_10']:.1%} in 10",
        f"all of them      {figures['all_at_10']:.1%} of the questions have all their tables in the first 10",
        f"tables shown     {figures['shown_recall']:.1%} in the prompt, in full or on one line",
        f"all of them      {figures['all_shown']:.1%} of the questions have all their tables in the prompt",
        f"columns shown    {figures['column_recall']:.1%} of those of tables that are shown, "
        f"{figures['column_recall_overall']:.1%} of all",
        f"schema tokens    p50 {figures['prompt_tokens_p50']:.0f}",
        f"time a question  p50 {figures['p50_ms']:.1f} ms, {figures['p50_ms_without_embedding']:.1f} ms "
        "without its embedding",
        f"indexing         {figures['index_s']:.1f} s",
    ]


async def retrieve(
    catalogue: Catalogue, questions: Sequence[LinkedQuestion], config: Config, *, folds: int = 0
) -> tuple[list[Found], float]:
    """What came of each question, and the seconds that the first indexing took, embedding included."""
    async with opened_parts(config) as here:
        project = OfflineProject(_PROJECT, PreparedModel(catalogue.model, {}), here.engine)
        say(f"indexing {len(catalogue.model.tables)} tables ...")
        started = time.perf_counter()
        await here.indexing.model_section(_PROJECT, catalogue.model)
        index_s = time.perf_counter() - started
        found: list[Found] = []
        async for settings, asked in _settings(catalogue, questions, here, config.settings, folds):
            found += [one async for one in _found(here.retrieval(settings), project, asked, here.embedder)]
    return found, index_s


async def _settings(
    catalogue: Catalogue,
    questions: Sequence[LinkedQuestion],
    here: OfflineParts,
    settings: Settings,
    folds: int,
) -> AsyncIterator[tuple[Settings, list[LinkedQuestion]]]:
    """The questions of each fold, with settings that no database of it had a part in."""
    if not folds:
        yield settings, list(questions)
        return
    examples = await examples_of(catalogue, questions, here, folds=folds)
    for fold in range(folds):
        if asked := [one for one in questions if fold_of(one.db_id, folds) == fold]:
            ranking = await asyncio.to_thread(fitted_without_fold, examples, fold)
            yield settings.model_copy(update={"ranking": ranking}), asked


async def _found(
    retrieval: Retrieval,
    project: OfflineProject,
    questions: Sequence[LinkedQuestion],
    embedder: TimedEmbedder,
) -> AsyncIterator[Found]:
    await retrieval.run(project, "How many rows are there?")  # the graph is built, and the embedder loaded
    for number, question in enumerate(questions, 1):
        embedder.seconds = 0.0
        started = time.perf_counter()
        context = await retrieval.run(project, question.question)
        seconds = time.perf_counter() - started
        yield _judged(question, context, seconds * 1000, embedder.seconds * 1000)
        if number % _PROGRESS_EVERY == 0:
            say(f"{number} of {len(questions)} questions")


def _judged(question: LinkedQuestion, context: RetrievedContext, ms: float, embedding_ms: float) -> Found:
    shown = {**context.schema.listed, **context.schema.columns}
    return Found(
        question=question,
        tables=tuple(table.name for table in context.tables[:10]),
        in_prompt=frozenset(shown),
        columns=len(question.columns),
        shown=sum(ref.column in shown.get(ref.table, ()) for ref in question.columns),
        columns_of_found=sum(ref.table in shown for ref in question.columns),
        tokens=context.schema.tokens,
        ms=ms,
        embedding_ms=embedding_ms,
    )
