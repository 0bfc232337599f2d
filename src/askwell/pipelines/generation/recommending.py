"""What language models suggest about a semantic model: questions, relationships, descriptions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.pipeline import TEXT, TEXTS, Asking, list_of, pipeline
from askwell.pipelines.generation.question import Answered, QuestionContext, ddl_within, values_of
from askwell.pipelines.generation.reading import found_in, one_line, read_list, read_questions
from askwell.providers.llm.base import ModelReply

LONGEST_SUGGESTION = 300


@dataclass(frozen=True, slots=True)
class QuestionBrief:
    """What questions are wanted: `count` for each of the `categories`, in `language`, none of `previous` again."""

    categories: tuple[str, ...]
    count: int
    language: str = "English"
    previous: tuple[str, ...] = ()


# Earlier questions that are told, the last ones.
_MOST_PREVIOUS = 50


@pipeline("question_recommendation", questions=list_of(question=TEXT, category=TEXT))
async def question_recommendation(
    ask: Asking,
    brief: QuestionBrief,
    *,
    model: SemanticModel,
    tables: Sequence[str],
) -> Answered[tuple[tuple[str, str], ...]]:
    """Questions, each with its category, about the first of the `tables` that the model's context has room for, whether
    or not they can be answered. What a reply says wrongly is left out; one that cannot be read gives none."""

    def written(reply: ModelReply) -> Answered[tuple[tuple[str, str], ...]]:
        known = {category.casefold(): category for category in brief.categories}
        found: dict[str, str] = {}
        for item in read_list(reply.text, "questions"):
            if isinstance(item, Mapping):
                question = one_line(item.get("question"), LONGEST_SUGGESTION)
                category = known.get(one_line(item.get("category"), LONGEST_SUGGESTION).casefold())
                if question and category is not None:
                    found.setdefault(question, category)
        return Answered(tuple(found.items()), reply.usage)

    values = {
        "categories": brief.categories,
        "count": brief.count,
        "language": brief.language,
        "previous": brief.previous[-_MOST_PREVIOUS:],
        "ddl": await _ddl(ask, model, tables),
    }
    return await ask(values, written)


async def _ddl(ask: Asking, model: SemanticModel, tables: Sequence[str], tokens: int | None = None) -> str:
    """The text of the first of the tables that have room in half of what the language model reads, or in `tokens`."""
    half = ask.llm.context_window // 2
    return await asyncio.to_thread(ddl_within, model, tables, half if tokens is None else min(tokens, half))


# It is a small prompt: a few tables say enough.
_MOST_TOKENS = 2_000


@pipeline("question_suggestion", questions=TEXTS)
async def question_suggestion(
    ask: Asking,
    question: QuestionContext,
    *,
    sql: str,
    model: SemanticModel,
    tables: Sequence[str],
) -> Answered[tuple[str, ...]]:
    """Questions that may follow `question`, which `sql` answered; `tables` are those of the answer and those next to
    them. A reply that cannot be read gives none."""
    values = values_of(question, sql=sql, ddl=await _ddl(ask, model, tables, _MOST_TOKENS))
    return await ask(values, suggested_questions)


def suggested_questions(reply: ModelReply) -> Answered[tuple[str, ...]]:
    """The questions of a reply."""
    return Answered(read_questions(reply.text, LONGEST_SUGGESTION), reply.usage)


@dataclass(frozen=True, slots=True)
class WrittenRelationship:
    """Names as the model wrote them, whether or not there is such a table or column."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    reason: str


_FIELDS = ("from_table", "from_column", "to_table", "to_column", "reason")
_LONGEST_FIELD = 300
# What comes after these is not looked at.
_MOST_READ = 200


@pipeline("relationship_recommendation", relationships=list_of(**dict.fromkeys(_FIELDS, TEXT)))
async def relationship_recommendation(
    ask: Asking, model: SemanticModel, *, language: str = "English"
) -> Answered[tuple[WrittenRelationship, ...]]:
    """References whose names no rule understands, among the first tables that the language model's context has room
    for. A reply that cannot be read, or broke off, gives none."""

    def written(reply: ModelReply) -> Answered[tuple[WrittenRelationship, ...]]:
        items = [] if reply.truncated else read_list(reply.text, "relationships")[:_MOST_READ]
        found = (
            WrittenRelationship(*(one_line(item.get(name), _LONGEST_FIELD) for name in _FIELDS))
            for item in items
            if isinstance(item, Mapping)
        )
        whole = (one for one in found if one.from_table and one.from_column and one.to_table and one.to_column)
        return Answered(tuple(dict.fromkeys(whole)), reply.usage)

    ddl = await _ddl(ask, model, list(model.tables))
    return await ask({"ddl": ddl, "language": language}, written)


@dataclass(frozen=True, slots=True)
class DescriptionBrief:
    """What is to be described: `columns` of one table, whose text is `ddl`. `values` are some values of columns;
    `about` is what a person says of the data."""

    ddl: str
    columns: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    about: str = ""
    language: str = "English"


@dataclass(frozen=True, slots=True)
class WrittenDescriptions:
    """`columns` has the descriptions of those columns that were asked for and described, by their names. `usable` is
    false where the reply held nothing that can be used."""

    description: str
    columns: Mapping[str, str]
    usable: bool


_LONGEST_DESCRIPTION = 1_000


@pipeline("semantics_description", description=TEXT, columns=list_of(name=TEXT, description=TEXT))
async def semantics_description(ask: Asking, brief: DescriptionBrief) -> Answered[WrittenDescriptions]:
    """The descriptions of one table's columns, of those that were asked for alone, in one call."""

    def written(reply: ModelReply) -> WrittenDescriptions:
        found = found_in(reply, "columns", "description")
        known = {name.lower(): name for name in brief.columns}
        columns: dict[str, str] = {}
        for name, text in _pairs(found.get("columns")):
            description = one_line(text, _LONGEST_DESCRIPTION)
            if description and name.strip().lower() in known:
                columns.setdefault(known[name.strip().lower()], description)
        description = one_line(found.get("description"), _LONGEST_DESCRIPTION)
        return WrittenDescriptions(description, columns, bool(description or columns))

    values = {
        "ddl": brief.ddl,
        "column_names": brief.columns,
        "column_values": list(brief.values.items()),
        "about": brief.about,
        "language": brief.language,
    }
    return await ask(values, lambda reply: Answered(written(reply), reply.usage))


def _pairs(columns: object) -> list[tuple[str, object]]:
    """Names with texts: as asked for, or as one mapping."""
    if isinstance(columns, Mapping):
        return [(str(name), text) for name, text in columns.items()]
    items = columns if isinstance(columns, list) else []
    return [(str(item.get("name", "")), item.get("description")) for item in items if isinstance(item, Mapping)]
