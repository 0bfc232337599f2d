"""Which tables, columns and joins a question needs, as language models see it.

With three phases each candidate is judged alone (`table_relevance`), those that seem relevant are looked at together
(`table_refinement`), and what the SQL has to do with the rest is worked out (`query_requirements`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.prompt_schema import model_ddl
from askwell.mdl.semantic_model import SemanticModel, Table
from askwell.pipelines.generation.pipeline import TEXT, TEXTS, Asking, list_of, pipeline
from askwell.pipelines.generation.question import (
    Answered,
    QueryRequirements,
    QuestionContext,
    TableVerdict,
    model_shown,
    values_of,
)
from askwell.pipelines.generation.reading import (
    JoinSaid,
    found_in,
    one_line,
    read_confidence,
    read_flag,
    read_lines,
    read_object,
    shortened,
)
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.joins import OpenJoin
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.pipelines.retrieval.pruned_schema import column_meant
from askwell.providers.llm.base import ModelReply

_LONGEST_NAME = 300
_NUMBER: Mapping[str, object] = {"type": "number"}
_FLAG: Mapping[str, object] = {"type": "boolean"}


@pipeline("column_pruning", results=list_of(table=TEXT, reason=TEXT, columns=list_of(name=TEXT, reason=TEXT)))
async def column_pruning(
    ask: Asking, question: QuestionContext, context: RetrievedContext
) -> Answered[Mapping[str, tuple[str, ...]]]:
    """What of the schema the prompts that follow need to show: the names that the model wrote, whether or not there is
    such a table or column; none where its reply cannot be used or broke off."""

    def choice(reply: ModelReply) -> Answered[Mapping[str, tuple[str, ...]]]:
        chosen: dict[str, list[str]] = {}
        for table, columns in _tables(found_in(reply, "results").get("results")):
            chosen.setdefault(table, []).extend(columns)
        return Answered({table: tuple(columns) for table, columns in chosen.items()}, reply.usage)

    return await ask(values_of(question, context), choice)


# What models call a table's or a column's name, whatever they are asked for.
_NAMES = ("name", "table", "column", "table_name", "column_name")


def _tables(results: object) -> Iterator[tuple[str, list[str]]]:
    """Tables with their columns: as asked for, or as one mapping from tables to columns."""
    if isinstance(results, Mapping):
        if "columns" in results:
            yield from _tables([results])
        else:
            yield from ((str(table), _columns(columns)) for table, columns in results.items())
    elif isinstance(results, list):
        for entry in results:
            if isinstance(entry, Mapping) and (name := _name(entry)):
                yield name, _columns(entry.get("columns"))


def _columns(columns: object) -> list[str]:
    entries = [columns] if isinstance(columns, str) else columns if isinstance(columns, (list, Mapping)) else []
    return [name for entry in entries if (name := _name(entry))]


def _name(entry: object) -> str:
    if isinstance(entry, Mapping):
        entry = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str)), "")
    return entry.strip() if isinstance(entry, str) else ""


_MOST_COLUMNS = 200
_LONGEST_VERDICT = 300


@pipeline("table_relevance", is_relevant=_FLAG, confidence=_NUMBER, relevant_columns=TEXTS, reasoning=TEXT)
async def table_relevance(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    table: Table,
    ddl: str,
) -> Answered[TableVerdict | None]:
    """Whether the question needs `table`, whose text is `ddl`; None where the reply cannot be read. Columns that the
    table does not have are left out."""

    def judgement(reply: ModelReply) -> Answered[TableVerdict | None]:
        found = found_in(reply, "is_relevant")
        relevant = read_flag(found.get("is_relevant"))
        if relevant is None:
            return Answered(None, reply.usage)
        written = read_lines(found.get("relevant_columns"), longest=_LONGEST_NAME, most=_MOST_COLUMNS)
        columns = dict.fromkeys(filter(None, (column_meant(table, name) for name in written)))
        confidence = read_confidence(found.get("confidence")) or 0.0
        reasoning = shortened(found.get("reasoning"), _LONGEST_VERDICT)
        return Answered(TableVerdict(relevant, confidence, tuple(columns), reasoning), reply.usage)

    own = replace(context, values=tuple(match for match in context.values if match.column.table == table.name))
    return await ask(values_of(question, own, ddl=ddl), judgement)


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """A table that seems relevant: its text on one `line`, and what was made of it alone."""

    name: str
    line: str
    confidence: float = 0.0
    columns: tuple[str, ...] = ()
    reasoning: str = ""


@pipeline("table_refinement", final_tables=TEXTS, removed_tables=TEXTS, reasoning=TEXT)
async def table_refinement(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    judged: Sequence[JudgedTable],
    tokens: int,
) -> Answered[tuple[str, ...]]:
    """Those of the `judged` tables that the question needs. None where the reply cannot be used, or names
    a table that was not shown. Where the text of all takes more than `tokens`, only their names and needed columns are
    shown."""

    def refined(reply: ModelReply) -> Answered[tuple[str, ...]]:
        written = found_in(reply, "final_tables").get("final_tables")
        shown: Mapping[str, str] = {table.name.lower(): table.name for table in judged}
        lines = read_lines(written, longest=_LONGEST_NAME, most=2 * len(judged))
        names = [shown.get(name.lower()) for name in lines]
        known = dict.fromkeys(name for name in names if name is not None)
        return Answered(tuple(known) if None not in names else (), reply.usage)

    fits = sum(map(_tokens_of, judged)) <= tokens
    judgements = judged if fits else [replace(table, line=table.name, reasoning="") for table in judged]
    return await ask(values_of(question, context, judged=judgements), refined)


def _tokens_of(table: JudgedTable) -> int:
    return estimated_tokens(" ".join((table.line, *table.columns, table.reasoning)))


Required = tuple[QueryRequirements | None, tuple[JoinSaid, ...]]
_LISTS = ("joins", "filters", "aggregations", "ordering", "parameters")
# Lines of a list, the characters of each, and of the reason.
_MOST_LINES = 20
_LONGEST_LINE = 300
_LONGEST_REASON = 600


@pipeline(
    "query_requirements",
    joins_needed=_FLAG,
    **dict.fromkeys(_LISTS, TEXTS) | {"joins": list_of(condition=TEXT, confidence=_NUMBER)},
    reasoning=TEXT,
)
async def query_requirements(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    tables: Sequence[str],
    model: SemanticModel,
) -> Answered[Required]:
    """What the SQL over `tables`, which `context` shows, has to do, None where the reply cannot be read, and how sure
    each of its joins is. Joins whose columns `model` does not have, or that
    cannot be equal, are left out."""

    def requirements(reply: ModelReply) -> Answered[Required]:
        found = found_in(reply, "joins_needed", *_LISTS)
        if not found:
            return Answered((None, ()), reply.usage)
        lists = {name: _lines(found.get(name)) for name in _LISTS}
        lists["joins"] = joins = tuple(condition for condition in lists["joins"] if read_joins(model, condition))
        # A reply that does not say it has said it by its joins; one table alone is never joined.
        needed = read_flag(found.get("joins_needed"))
        required = QueryRequirements(
            tables=tuple(tables),
            joins_needed=len(tables) > 1 and (needed if needed is not None else bool(joins)),
            reasoning=shortened(found.get("reasoning"), _LONGEST_REASON),
            **lists,
        )
        return Answered((required, _joins_said(found.get("joins"), joins, model)), reply.usage)

    return await ask(values_of(question, context), requirements)


def _lines(written: object) -> tuple[str, ...]:
    """The lines of a list. Some models write an object for each, whose values say it together."""
    entries = written if isinstance(written, list) else [written]
    plain = [_in_words(entry) if isinstance(entry, Mapping) else entry for entry in entries]
    return read_lines(plain, longest=_LONGEST_LINE, most=_MOST_LINES)


def _joins_said(written: object, joins: Sequence[str], model: SemanticModel) -> tuple[JoinSaid, ...]:
    """How sure each of the joins is. Several between the same tables for which nothing is said are as sure as each
    other."""
    entries = written if isinstance(written, list) else []
    sure = {one_line(_in_words(entry), _LONGEST_LINE): entry for entry in entries if isinstance(entry, Mapping)}
    between = [{name for edge in read_joins(model, join) for name in (edge.left, edge.right)} for join in joins]
    return tuple(
        {"confidence": 1 / between.count(tables)} | dict(sure.get(join, {})) | {"condition": join}
        for join, tables in zip(joins, between, strict=True)
    )


def _in_words(entry: Mapping[str, Any]) -> str:
    if isinstance(condition := entry.get("condition"), str):
        return condition
    return " ".join(str(value) for value in entry.values() if isinstance(value, (str, int, float)))


# Pairs are few, and so are the joins between two tables: what comes after these is not looked at.
_MOST_READ = 12


@pipeline("join_inference", joins=list_of(condition=TEXT, confidence=_NUMBER, reason=TEXT))
async def join_inference(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    pairs: Sequence[OpenJoin],
    model: SemanticModel,
) -> Answered[tuple[JoinSaid, ...]]:
    """What the model says of the joins that the question means, where there are several between two tables, or none:
    `join_choices` proves it. A reply that cannot be read gives nothing."""

    def inferred(reply: ModelReply) -> Answered[tuple[JoinSaid, ...]]:
        found = read_object(reply.text, "joins", "condition") or {}
        joins = found.get("joins", [found])
        items = joins[:_MOST_READ] if isinstance(joins, list) and not reply.truncated else []
        said = tuple(item for item in items if isinstance(item, dict))
        return Answered(said, reply.usage)

    shown = {name: set(context.schema.columns.get(name, ())) for pair in pairs for name in sorted(pair.tables)}
    for edge in (edge for pair in pairs for choice in pair.choices for edge in choice.edges):
        shown[edge.left].update(here for here, _ in edge.pairs)
        shown[edge.right].update(there for _, there in edge.pairs)
    ddl = model_ddl(model_shown(model), shown, shown)
    return await ask(values_of(question, context, ddl=ddl, pairs=tuple(pairs)), inferred)
