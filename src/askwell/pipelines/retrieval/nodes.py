"""Nodes of the retrieval graph: from a question to the tables, and the knowledge, that it needs. What prompts show of
these tables is in `schema_nodes`.

The question is embedded once; every search needs nothing else, so all of them run side by side.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace

from askwell.config import Settings
from askwell.errors import AskwellError
from askwell.knowledge.keywords import tables_meant
from askwell.knowledge.saved import SavedKnowledge, SqlPair
from askwell.knowledge.saved import Scope as InstructionScope
from askwell.pipelines.components import CandidateRetriever, QuestionEmbedder, ScopeGate, TableRanker
from askwell.pipelines.retrieval.context import (
    InstructionText,
    RetrievedContext,
    SampleSql,
    SchemaContext,
    Scope,
    ScoredTable,
    Sections,
    ValueMatch,
)
from askwell.pipelines.retrieval.functions import functions_for
from askwell.pipelines.retrieval.lessons import bearing_on, tables_of
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.ranking import TableSignals, signals_of_tables
from askwell.pipelines.retrieval.saved import (
    Likeness,
    MeasuredLikeness,
    alike_samples,
    choose_samples,
    similarities,
    thresholds_of,
)
from askwell.pipelines.retrieval.value_words import value_hints
from askwell.providers.document_store.base import Hits, Kind
from askwell.providers.embedder.base import Embedder, Vectors
from askwell.providers.engine.base import Engine
from askwell.question.about_data import without_names
from askwell.question.same_wording import QuestionFacts, question_facts

logger = logging.getLogger(__name__)

# What a keyword rule adds: more than all else together, so that its tables are among the first.
_KEYWORD_SEED = 100.0
# Characters of a question that is looked up in a millisecond, whatever it says.
_SHORT_QUESTION = 200
# What saved knowledge takes at most beside the schema, as a part of the schema's tokens: half for samples, half for
# default instructions, a quarter for others.
_SHARE_OF_SAMPLES = 2
_SHARE_OF_DEFAULTS = 2
_SHARE_OF_INSTRUCTIONS = 4


async def question_embedding(question: str, question_embedder: QuestionEmbedder) -> Vectors | None:
    """The question's vector; None where words alone decide."""
    return (await question_embedder.run_async(question))["embedding"]


async def table_hits(
    question: str, question_embedding: Vectors | None, sections: Sections, retriever: CandidateRetriever
) -> Hits:
    """Tables by words and vector."""
    return (await retriever.run_async(sections.model, Kind.TABLE, question, question_embedding))["hits"]


async def column_hits(
    question: str, question_embedding: Vectors | None, sections: Sections, retriever: CandidateRetriever
) -> Hits:
    """Columns by words and vector."""
    return (await retriever.run_async(sections.model, Kind.COLUMN, question, question_embedding))["hits"]


async def view_question_hits(
    question: str, question_embedding: Vectors | None, sections: Sections, retriever: CandidateRetriever
) -> Hits:
    """Questions that saved views answer."""
    return (await retriever.run_async(sections.model, Kind.QUESTION, question, question_embedding))["hits"]


async def pair_hits(
    question: str, question_embedding: Vectors | None, sections: Sections, retriever: CandidateRetriever
) -> Hits:
    """Questions of saved SQL pairs."""
    return (await retriever.run_async(sections.knowledge, Kind.SQL_PAIR, question, question_embedding))["hits"]


async def instruction_hits(
    question: str, question_embedding: Vectors | None, sections: Sections, retriever: CandidateRetriever
) -> Hits:
    """Questions that saved instructions are for."""
    return (await retriever.run_async(sections.knowledge, Kind.INSTRUCTION, question, question_embedding))["hits"]


async def functions(
    question: str, schema_context: SchemaContext, engine: Engine, settings: Settings
) -> tuple[str, ...]:
    """Functions of the database that the question seems to need; none when it cannot be asked, which the check of the
    SQL will report better."""
    if not settings.allow_sql_functions_retrieval:
        return ()
    try:
        known = await engine.functions()
    except AskwellError as error:
        logger.warning("the engine's functions are not known", extra={"error": error.code})
        return ()
    return functions_for(question, engine.dialect, known, has_json=schema_context.has_json)


async def value_matches(question: str, prepared: PreparedModel) -> tuple[ValueMatch, ...]:
    """Cell values that the question names or seems to name, the likeliest first."""
    if len(question) <= _SHORT_QUESTION:
        return prepared.value_index.matches(question)
    # A page of words that hundreds of columns hold takes seconds.
    return await asyncio.to_thread(prepared.value_index.matches, question)


async def keyword_tables(question: str, saved: SavedKnowledge, prepared: PreparedModel) -> tuple[str, ...]:
    """Tables that a keyword rule of the project says the question is about."""
    if not saved.keywords:
        return ()
    # A pattern takes up to 50 ms to be made ready, once.
    meant = await asyncio.to_thread(tables_meant, question, saved.keywords.values())
    return tuple(table.name for name in meant if (table := prepared.model.table(name)) is not None)


def lesson_tables(question: str, saved: SavedKnowledge, prepared: PreparedModel, settings: Settings) -> tuple[str, ...]:
    """Tables that the words of the question mean, by what the project has learnt."""
    if not settings.apply_lessons or not saved.lessons:
        return ()
    named = tables_of(bearing_on(question, saved.lessons.values()))
    return tuple(table.name for name in named if (table := prepared.model.table(name)) is not None)


def table_signals(question: str, table_hits: Hits, column_hits: Hits, prepared: PreparedModel) -> TableSignals:
    """What speaks for each table."""
    return signals_of_tables(question, table_hits, column_hits, prepared.table_words, prepared.neighbourhoods)


def ranked_tables(
    table_signals: TableSignals,
    value_matches: tuple[ValueMatch, ...],
    keyword_tables: tuple[str, ...],
    lesson_tables: tuple[str, ...],
    settings: Settings,
    table_ranker: TableRanker,
) -> tuple[ScoredTable, ...]:
    """The best tables of the model, best first."""
    seeds = _seeds(value_matches, settings.ranking.values) | dict.fromkeys(
        (*keyword_tables, *lesson_tables), _KEYWORD_SEED
    )
    return table_ranker.run(table_signals, seeds)["tables"]


def relevant_tables(ranked_tables: tuple[ScoredTable, ...], settings: Settings) -> tuple[str, ...]:
    """The best tables."""
    return tuple(table.name for table in ranked_tables[: settings.table_retrieval_size])


def saved_questions(view_question_hits: Hits, saved: SavedKnowledge, prepared: PreparedModel) -> dict[str, SqlPair]:
    """Views that answer a question, as pairs, and the saved pairs. A view and a pair may have the same id: views go by
    keys of their own here."""
    known: dict[str, SqlPair] = {}
    for name in view_question_hits.owners:
        table = prepared.model.tables[name]
        if table.question and table.statement:
            known[f"view:{name}"] = SqlPair(table.view_id or table.name, table.question, table.statement)
    return {**known, **saved.pairs}


async def saved_likeness(
    question: str,
    view_question_hits: Hits,
    pair_hits: Hits,
    saved_questions: dict[str, SqlPair],
    embedder: Embedder,
    measured_likeness: MeasuredLikeness | None,
) -> Likeness:
    """How like the question each saved one is; measured once more where the embedder's figures are not known to mean
    anything."""
    views = {f"view:{name}": score for name, score in similarities(question, view_question_hits).items()}
    found = Likeness(views | similarities(question, pair_hits), thresholds_of(embedder.identity))
    if measured_likeness is None:
        return found
    return await measured_likeness.again(question, found, {key: one.question for key, one in saved_questions.items()})


def alike_saved(
    saved_likeness: Likeness, saved_questions: dict[str, SqlPair], settings: Settings, saved_budget: int
) -> list[SampleSql]:
    """Saved questions like this one, the most alike first; more than are shown."""
    return alike_samples(
        saved_likeness.of,
        saved_questions,
        least=settings.sql_pairs_similarity,
        most=settings.sql_pairs_retrieval_max_size,
        tokens=saved_budget // _SHARE_OF_SAMPLES,
    )


async def samples(
    question: str,
    alike_saved: list[SampleSql],
    saved_likeness: Likeness,
    relevant_tables: tuple[str, ...],
    prepared: PreparedModel,
    settings: Settings,
    saved_budget: int,
) -> tuple[SampleSql, ...]:
    """Those that work over today's model, best first, with their SQL and how like they are."""
    tables_of = {}
    if alike_saved:  # a statement that nobody has read yet takes a millisecond, a long one many
        statements = [sample.sql for sample in alike_saved]
        tables_of = await asyncio.to_thread(lambda: {sql: prepared.columns_of_sql(sql) for sql in statements})

    def facts_of(text: str) -> QuestionFacts:
        return question_facts(text, (match.value for match in prepared.value_index.matches(text) if match.is_named))

    return choose_samples(
        question,
        alike_saved,
        tables_of,
        chosen_tables=relevant_tables,
        most=settings.sql_pairs_retrieval_max_size,
        tokens=saved_budget // _SHARE_OF_SAMPLES,
        marks=saved_likeness.marks,
        facts_of=facts_of,
    )


def instructions(
    question: str,
    instruction_hits: Hits,
    saved: SavedKnowledge,
    settings: Settings,
    saved_budget: int,
    instruction_scope: InstructionScope,
) -> tuple[InstructionText, ...]:
    """The default instructions of the scope, oldest first, and those for questions like this one, the nearest first:
    each as far as they fit into their share."""
    rules = {id: rule for id, rule in saved.instructions.items() if rule.scope == instruction_scope}
    alike = {
        id: likeness
        for id, likeness in similarities(question, instruction_hits).items()
        if id in rules and likeness >= settings.instructions_similarity
    }
    nearest = sorted(alike, key=lambda id: -alike[id])[: settings.instructions_top_k]
    defaults = [id for id, rule in rules.items() if rule.is_default]
    texts = {id: rule.instruction for id, rule in rules.items()}
    fitting = _fitting(defaults, texts, saved_budget // _SHARE_OF_DEFAULTS)
    if len(fitting) < len(defaults):
        logger.warning(
            "default instructions are left out: all of them take more than half of settings.context_token_budget",
            extra={"project_id": saved.project_id, "left_out": len(defaults) - len(fitting)},
        )
    chosen = fitting + _fitting(
        [id for id in nearest if id not in defaults], texts, saved_budget // _SHARE_OF_INSTRUCTIONS
    )
    return tuple(InstructionText(id, rules[id].instruction, rules[id].is_default, rules[id].questions) for id in chosen)


def _fitting(ids: list[str], texts: Mapping[str, str], tokens: int) -> list[str]:
    """Those whose texts have room, in their order; one that is too long leaves its room to the next."""
    found = []
    for id in ids:
        if (size := estimated_tokens(texts[id])) <= tokens:
            tokens -= size
            found.append(id)
    return found


async def scope(
    question: str,
    table_hits: Hits,
    column_hits: Hits,
    value_matches: tuple[ValueMatch, ...],
    keyword_tables: tuple[str, ...],
    lesson_tables: tuple[str, ...],
    samples: tuple[SampleSql, ...],
    instructions: tuple[InstructionText, ...],
    prepared: PreparedModel,
    question_embedding: Vectors | None,
    embedder: Embedder,
    question_embedder: QuestionEmbedder,
    sections: Sections,
    retriever: CandidateRetriever,
    scope_gate: ScopeGate,
) -> Scope:
    """Whether the question is about this data at all. One that seems not to be is looked at again without its names,
    which lead the embedder astray: "How much did Lucas spend?" is not about Lucas."""
    marks = thresholds_of(embedder.identity)
    judged: Scope = scope_gate.run(question, table_hits, column_hits, value_matches, prepared)["scope"]
    # Someone said so, or saved what is for questions like this.
    if keyword_tables or lesson_tables or samples or not all(one.is_default for one in instructions):
        return replace(judged, in_scope=True)
    plain = without_names(question)
    if judged.in_scope or plain == question or question_embedding is None or not marks.cosines_are_measured:
        return judged
    vector = (await question_embedder.run_async(plain))["embedding"]
    tables = (await retriever.run_async(sections.model, Kind.TABLE, plain, vector))["hits"]
    columns = (await retriever.run_async(sections.model, Kind.COLUMN, plain, vector))["hits"]
    again: Scope = scope_gate.run(question, tables, columns, value_matches, prepared)["scope"]
    return max(judged, again, key=lambda one: one.evidence)


def retrieved_context(
    schema_context: SchemaContext,
    ranked_tables: tuple[ScoredTable, ...],
    scope: Scope,
    samples: tuple[SampleSql, ...],
    instructions: tuple[InstructionText, ...],
    functions: tuple[str, ...],
    value_matches: tuple[ValueMatch, ...],
    candidate_texts: dict[str, str],
) -> RetrievedContext:
    """All of it."""
    return RetrievedContext(
        schema=schema_context,
        tables=ranked_tables,
        scope=scope,
        samples=samples,
        instructions=instructions,
        functions=functions,
        values=value_hints(value_matches),
        candidates=candidate_texts,
    )


def _seeds(matches: tuple[ValueMatch, ...], weight: float) -> dict[str, float]:
    """For each table that has a value of the question, what that says for it: the likelier the more."""
    likely: dict[str, dict[str, float]] = {}
    for match in matches:
        tables = likely.setdefault(match.words, {})
        tables[match.column.table] = max(tables.get(match.column.table, 0.0), match.score)
    seeds: dict[str, float] = {}
    for tables in likely.values():
        for table, score in tables.items():
            seeds[table] = max(seeds.get(table, 0.0), weight * score / len(tables))
    return seeds
