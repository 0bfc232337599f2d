"""Which of the tables that seem relevant does a question need, seen together? The second phase of table selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from askwell.pipelines.generation.model_call import TEXT, TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.reading import read_lines, read_object
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_SCHEMA = object_schema("table_refinement", final_tables=TEXTS, removed_tables=TEXTS, reasoning=TEXT)
_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """A table that seems relevant: its text on one `line`, and what was made of it alone."""

    name: str
    line: str
    confidence: float = 0.0
    columns: tuple[str, ...] = ()
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class RefinedTables:
    """The tables that stay; none where the reply could not be used, or names a table that was not shown."""

    tables: tuple[str, ...]
    usage: Usage


def prompt_text(
    prompt: Prompt, question: QuestionContext, context: RetrievedContext, judged: Sequence[JudgedTable], tokens: int
) -> PromptText:
    if sum(map(_tokens_of, judged)) > tokens:
        judged = [replace(table, line=table.name, reasoning="") for table in judged]
    return prompt.write(values_of(question, context, judged=judged))


def refined_tables(model_reply: ModelReply, judged: Sequence[JudgedTable]) -> RefinedTables:
    found = {} if model_reply.truncated else read_object(model_reply.text, "final_tables") or {}
    written = read_lines(found.get("final_tables"), longest=_LONGEST_NAME, most=2 * len(judged))
    shown: Mapping[str, str] = {table.name.lower(): table.name for table in judged}
    names = [shown.get(name.lower()) for name in written]
    known = dict.fromkeys(name for name in names if name is not None)
    return RefinedTables(tuple(known) if None not in names else (), model_reply.usage)


class TableRefinement(ModelPipeline[RefinedTables], result=refined_tables, schema=_SCHEMA):
    """Looks at the relevant tables together."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        judged: Sequence[JudgedTable],
        tokens: int,
        timeout: float | None = None,
    ) -> RefinedTables:
        """Those of the `judged` tables that the question needs. Where the text of all of them takes more than `tokens`,
        only their names and needed columns are shown."""
        return await self._ask(timeout, question=question, context=context, judged=tuple(judged), tokens=tokens)


def _tokens_of(table: JudgedTable) -> int:
    return estimated_tokens(" ".join((table.line, *table.columns, table.reasoning)))
