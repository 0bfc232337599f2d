"""What does the SQL for a question have to do with the chosen tables? The third phase of table selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.model_call import TEXT, TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QueryRequirements, QuestionContext
from askwell.pipelines.generation.reading import JoinSaid, one_line, read_flag, read_lines, read_object, shortened
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_LISTS = ("joins", "filters", "aggregations", "ordering", "parameters")
_JOIN = object_schema("join", condition=TEXT, confidence={"type": "number"}).schema
_SCHEMA = object_schema(
    "query_requirements",
    joins_needed={"type": "boolean"},
    **dict.fromkeys(_LISTS, TEXTS) | {"joins": {"type": "array", "items": _JOIN}},
    reasoning=TEXT,
)
# Lines of a list, the characters of each, and of the reason.
_MOST_LINES = 20
_LONGEST_LINE = 300
_LONGEST_REASON = 600


@dataclass(frozen=True, slots=True)
class RequirementsReply:
    """What the SQL has to do, and how sure each of its joins is; None where the reply could not be read."""

    requirements: QueryRequirements | None
    usage: Usage
    joins: tuple[JoinSaid, ...] = ()


def prompt_text(prompt: Prompt, question: QuestionContext, context: RetrievedContext) -> PromptText:
    return prompt.write(values_of(question, context))


def requirements_reply(model_reply: ModelReply, tables: Sequence[str], model: SemanticModel) -> RequirementsReply:
    found = {} if model_reply.truncated else read_object(model_reply.text, "joins_needed", *_LISTS) or {}
    if not found:
        return RequirementsReply(None, model_reply.usage)
    lists = {name: _lines(found.get(name)) for name in _LISTS}
    joins = tuple(condition for condition in lists["joins"] if read_joins(model, condition))
    # A reply that does not say it has said it by its joins; one table alone is never joined.
    needed = read_flag(found.get("joins_needed"))
    requirements = QueryRequirements(
        tables=tuple(tables),
        joins_needed=len(tables) > 1 and (needed if needed is not None else bool(joins)),
        joins=joins,
        filters=lists["filters"],
        aggregations=lists["aggregations"],
        ordering=lists["ordering"],
        parameters=lists["parameters"],
        reasoning=shortened(found.get("reasoning"), _LONGEST_REASON),
    )
    return RequirementsReply(requirements, model_reply.usage, _said(found.get("joins"), joins, model))


class RequirementsAnalysis(ModelPipeline[RequirementsReply], result=requirements_reply, schema=_SCHEMA):
    """Works out what the SQL needs."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        tables: Sequence[str],
        model: SemanticModel,
        timeout: float | None = None,
    ) -> RequirementsReply:
        """What the SQL over `tables`, which `context` shows, has to do. Joins whose columns `model` does not have, or
        that cannot be equal, are left out."""
        return await self._ask(timeout, question=question, context=context, tables=tuple(tables), model=model)


def _lines(written: object) -> tuple[str, ...]:
    """The lines of a list. Some models write an object for each, whose values say it together."""
    entries = written if isinstance(written, list) else [written]
    plain = [_in_words(entry) if isinstance(entry, Mapping) else entry for entry in entries]
    return read_lines(plain, longest=_LONGEST_LINE, most=_MOST_LINES)


def _said(written: object, joins: Sequence[str], model: SemanticModel) -> tuple[JoinSaid, ...]:
    """How sure each of the joins is. Several between the same tables for which nothing is said are as sure as each
    other."""
    entries = written if isinstance(written, list) else []
    sure = {one_line(_in_words(entry), _LONGEST_LINE): entry for entry in entries if isinstance(entry, Mapping)}
    between = [{name for edge in read_joins(model, join) for name in (edge.left, edge.right)} for join in joins]
    return tuple(
        {"confidence": 1 / between.count(tables)} | dict(sure.get(join, {})) | {"condition": join}
        for join, tables in zip(joins, between, strict=True)
    )


def _in_words(entry: Mapping[str, object]) -> str:
    if isinstance(condition := entry.get("condition"), str):
        return condition
    return " ".join(str(value) for value in entry.values() if isinstance(value, (str, int, float)))
