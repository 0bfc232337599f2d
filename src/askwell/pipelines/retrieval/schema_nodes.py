"""Nodes of the retrieval graph: from the best tables, and what is saved, to the schema that prompts show."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from askwell.config import Settings
from askwell.mdl.names import words
from askwell.mdl.semantic_model import Column, ColumnRef, SemanticModel
from askwell.pipelines.retrieval.context import NO_OUTLINE, Hints, SampleSql, SchemaContext, ScoredTable, ValueMatch
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.schema_context import ColumnWishes, part_of_model, whole_model
from askwell.providers.document_store.base import Hits, Scores
from askwell.providers.document_store.words import terms

_TABLE_WEIGHT = 0.5
_NAME_WEIGHT = 0.3
_NAMES = frozenset({"name", "title"})


def _column_similarity(
    question: str, hits: Hits, model: SemanticModel, tables: Sequence[str], ranked: Sequence[ScoredTable]
) -> Mapping[ColumnRef, float]:
    """How near the columns of some tables are to a question, as far as `hits` knows them, so that a budget that has no
    room for all goes to the right ones.

    It is `bm25 + cosine + share of its name's words that the question has + 0.5 * its table's score`, each scaled to
    0..1 over these columns, and a little more for columns that hold names: people name things by them without saying
    so. Of the 600 columns of ten tables (Spider's training set, filled up with columns of other databases), the first
    150 held 93.9% of those that questions need, both on databases that were looked at for it and on others; by cosine
    alone 91.8%, by BM25 alone 90.1%."""
    names = set(tables)
    chosen = np.fromiter((owner in names for owner in hits.owners), bool, len(hits.owners))
    rows = np.flatnonzero(chosen[hits.owner_rows])
    if not rows.size:
        return {}
    documents = [hits.documents[row] for row in rows.tolist()]
    table_scores = {table.name: table.score for table in ranked if table.name in names}
    of_table = np.array([table_scores.get(document.owner, 0.0) for document in documents], np.float32)
    asked = frozenset(terms(question))
    columns = {name: {column.name: column for column in model.tables[name].columns} for name in names}
    own = np.array([_by_name(columns[one.owner].get(one.name), asked) for one in documents], np.float32)
    scores = _scaled(hits.words[rows]) + _scaled(hits.cosines[rows]) + _TABLE_WEIGHT * _scaled(of_table) + own
    return {
        ColumnRef(document.owner, document.name): score
        for document, score in zip(documents, scores.tolist(), strict=True)
    }


def _by_name(column: Column | None, asked: frozenset[str]) -> float:
    if column is None:
        return 0.0
    own, holds_names = _called(column.name, column.display_name, column.synonyms)
    return (len(own & asked) / len(own) if own else 0.0) + _NAME_WEIGHT * holds_names


@lru_cache(maxsize=50_000)
def _called(name: str, display_name: str | None, synonyms: tuple[str, ...]) -> tuple[frozenset[str], bool]:
    """The terms of a column's names, and whether the column holds names."""
    called = " ".join([name, display_name or "", *synonyms])
    return frozenset(terms(called)), not _NAMES.isdisjoint(words(called))


def _scaled(scores: Scores) -> Scores:
    known = np.nan_to_num(scores)
    span = float(known.max() - known.min())
    scaled: Scores = (known - known.min()) / span if span > 0 else np.zeros_like(known)
    return scaled


# Of 326 questions to databases of eight tables and more (Spider's training set, no values), all tables were among the
# first seven for 89%, the first five for 75%, and those of the five that have 0.7 of the best one's score (3.7 in the
# mean) for 72%.
_LIKELY = 7
_MOST_NEAR = 5
_NEAR_BEST = 0.7


def wanted_tables(
    relevant_tables: tuple[str, ...],
    samples: tuple[SampleSql, ...],
    prepared: PreparedModel,
    chosen_tables: tuple[str, ...],
) -> tuple[str, ...]:
    """The chosen tables, where someone chose. Else those that the question is about: those that a saved statement
    reads whose question is the same or nearly, which are surely meant, then the best tables."""
    if chosen_tables:
        return chosen_tables
    marked = (prepared.columns_of_sql(sample.sql) or {} for sample in samples if sample.nearness)
    return tuple(dict.fromkeys((*(table for tables in marked for table in sorted(tables)), *relevant_tables)))


def joined_tables(wanted_tables: tuple[str, ...], prepared: PreparedModel) -> tuple[str, ...]:
    """The wanted tables, each followed by those on the shortest ways that connect it to the ones before."""
    return prepared.joins.with_bridges(wanted_tables)


def near_tables(
    wanted_tables: tuple[str, ...], ranked_tables: tuple[ScoredTable, ...], chosen_tables: tuple[str, ...]
) -> tuple[str, ...]:
    """Those of the wanted tables that the question is surely about, as far as ranks tell: joins are told among them."""
    scores = {table.name: table.score for table in ranked_tables}
    least = _NEAR_BEST * max(scores.values(), default=0.0)
    near = tuple(name for name in wanted_tables[:_MOST_NEAR] if scores.get(name, least) >= least)
    return wanted_tables if chosen_tables else near


async def schema_context(
    question: str,
    wanted_tables: tuple[str, ...],
    near_tables: tuple[str, ...],
    joined_tables: tuple[str, ...],
    ranked_tables: tuple[ScoredTable, ...],
    column_hits: Hits,
    value_matches: tuple[ValueMatch, ...],
    samples: tuple[SampleSql, ...],
    prepared: PreparedModel,
    token_budget: int,
    whole_budget: int,
    chosen_tables: tuple[str, ...],
) -> SchemaContext:
    """The whole model where it fits and nobody chose tables, else the wanted tables with the columns that matter, below
    an outline of the whole model as far as there is room for one, and the next best ones on one line each."""

    def wishes() -> ColumnWishes:
        return _wishes(question, joined_tables, ranked_tables, column_hits, value_matches, samples, prepared)

    likely = wanted_tables if chosen_tables else wanted_tables[:_LIKELY]
    hints = Hints(likely, prepared.joins.with_bridges(near_tables))

    def chosen() -> SchemaContext:
        if prepared.text.whole_tokens <= whole_budget and not chosen_tables:
            best_first = dict.fromkeys((*(table.name for table in ranked_tables), *prepared.model.tables))
            return _with_joins(whole_model(prepared, list(best_first), hints), near_tables, prepared)
        outline = NO_OUTLINE if chosen_tables else prepared.text.outline(whole_budget - token_budget)
        shown = set(joined_tables)
        further = () if chosen_tables else [table.name for table in ranked_tables if table.name not in shown]
        room, most = token_budget, token_budget + estimated_tokens(outline.text)
        while True:
            part = part_of_model(prepared, joined_tables, wishes, room, further, hints, outline)
            part = _with_joins(part, near_tables, prepared)
            if part.tokens <= most or len(part.tables) == 1:
                return part
            # What is said of joins is known only when the tables are; fewer of them may take more words.
            room -= part.tokens - most

    # Ten tables of hundreds of columns take some tenths of a second.
    return await asyncio.to_thread(chosen)


async def candidate_texts(
    question: str,
    ranked_tables: tuple[ScoredTable, ...],
    column_hits: Hits,
    value_matches: tuple[ValueMatch, ...],
    samples: tuple[SampleSql, ...],
    prepared: PreparedModel,
    settings: Settings,
    chosen_tables: tuple[str, ...],
) -> dict[str, str]:
    """The best tables, each with its text as far as it fits into one call, where a language model chooses among them
    and has not chosen yet."""
    if settings.table_selection != "three_phase" or chosen_tables:
        return {}
    tables = [table.name for table in ranked_tables[: settings.three_phase_candidates]]

    @cache
    def wishes() -> ColumnWishes:
        return _wishes(question, tables, ranked_tables, column_hits, value_matches, samples, prepared)

    def texts() -> dict[str, str]:
        most = settings.max_tokens_per_call
        return {name: part_of_model(prepared, [name], wishes, most).text for name in tables}

    return await asyncio.to_thread(texts)


def _wishes(
    question: str,
    tables: Sequence[str],
    ranked_tables: tuple[ScoredTable, ...],
    column_hits: Hits,
    value_matches: tuple[ValueMatch, ...],
    samples: tuple[SampleSql, ...],
    prepared: PreparedModel,
) -> ColumnWishes:
    named = {match.column for match in value_matches} | _columns_of(samples, prepared)
    return ColumnWishes(
        frozenset(named), _column_similarity(question, column_hits, prepared.model, tables, ranked_tables)
    )


def _with_joins(part: SchemaContext, near_tables: tuple[str, ...], prepared: PreparedModel) -> SchemaContext:
    bridged = not part.is_whole  # in a whole model no table was added for the sake of others
    joins = prepared.joins.joins(part.joins.edges, part.tables, near_tables, bridged=bridged)
    sentences = "\n".join(joins.sentences(part.dialect))
    return replace(part, joins=joins, tokens=part.tokens + estimated_tokens(sentences))


def _columns_of(samples: tuple[SampleSql, ...], prepared: PreparedModel) -> set[ColumnRef]:
    """The columns that saved statements read. One that reads all columns of a table says nothing of any."""
    found: set[ColumnRef] = set()
    for sample in samples:
        for table, columns in (prepared.columns_of_sql(sample.sql) or {}).items():
            if len(columns) < len(prepared.model.tables[table].columns):
                found.update(ColumnRef(table, column) for column in columns)
    return found
