"""The tables and columns of what retrieval found that a question needs, chosen by a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import ColumnChoice, QuestionContext
from askwell.pipelines.generation.reading import read_object
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply

_COLUMN = object_schema("column", name=TEXT, reason=TEXT).schema
_TABLE = object_schema("table", table=TEXT, reason=TEXT, columns={"type": "array", "items": _COLUMN}).schema
_SCHEMA = object_schema("column_pruning", results={"type": "array", "items": _TABLE})
# What models call a table's or a column's name, whatever they are asked for.
_NAMES = ("name", "table", "column", "table_name", "column_name")


def prompt_text(prompt: Prompt, question: QuestionContext, context: RetrievedContext) -> PromptText:
    return prompt.write(values_of(question, context))


def column_choice(model_reply: ModelReply) -> ColumnChoice:
    found = {} if model_reply.truncated else read_object(model_reply.text, "results") or {}
    chosen: dict[str, list[str]] = {}
    for table, columns in _tables(found.get("results")):
        chosen.setdefault(table, []).extend(columns)
    return ColumnChoice({table: tuple(columns) for table, columns in chosen.items()}, model_reply.usage)


class ColumnPruning(ModelPipeline[ColumnChoice], result=column_choice, schema=_SCHEMA):
    """Chooses what of the schema the prompts that follow need to show."""

    async def run(
        self, question: QuestionContext, context: RetrievedContext, *, timeout: float | None = None
    ) -> ColumnChoice:
        """The names that the model wrote, whether or not there is such a table or column; none where its reply cannot
        be used or broke off."""
        return await self._ask(timeout, question=question, context=context)


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
