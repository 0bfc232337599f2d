"""Does a question need this table? Asked of each candidate alone: the first phase of table selection."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askwell.mdl.semantic_model import Table
from askwell.pipelines.generation.model_call import TEXT, TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, TableVerdict
from askwell.pipelines.generation.reading import read_confidence, read_flag, read_lines, read_object, shortened
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.pipelines.retrieval.pruned_schema import column_meant
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_SCHEMA = object_schema(
    "table_relevance",
    is_relevant={"type": "boolean"},
    confidence={"type": "number"},
    relevant_columns=TEXTS,
    reasoning=TEXT,
)
_LONGEST_NAME = 300
_MOST_COLUMNS = 200
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """The verdict on one table; None where the reply could not be read."""

    verdict: TableVerdict | None
    usage: Usage


def prompt_text(
    prompt: Prompt, question: QuestionContext, context: RetrievedContext, table: Table, ddl: str
) -> PromptText:
    own = replace(context, values=tuple(match for match in context.values if match.column.table == table.name))
    return prompt.write(values_of(question, own, ddl=ddl))


def table_judgement(model_reply: ModelReply, table: Table) -> TableJudgement:
    found = {} if model_reply.truncated else read_object(model_reply.text, "is_relevant") or {}
    relevant = read_flag(found.get("is_relevant"))
    if relevant is None:
        return TableJudgement(None, model_reply.usage)
    written = read_lines(found.get("relevant_columns"), longest=_LONGEST_NAME, most=_MOST_COLUMNS)
    columns = dict.fromkeys(filter(None, (column_meant(table, name) for name in written)))
    confidence = read_confidence(found.get("confidence")) or 0.0
    reasoning = shortened(found.get("reasoning"), _LONGEST_REASON)
    return TableJudgement(TableVerdict(relevant, confidence, tuple(columns), reasoning), model_reply.usage)


class TableRelevance(ModelPipeline[TableJudgement], result=table_judgement, schema=_SCHEMA):
    """Judges one table."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        table: Table,
        ddl: str,
        timeout: float | None = None,
    ) -> TableJudgement:
        """What the model makes of `table`, whose text is `ddl`. Columns that the table does not have are left out."""
        return await self._ask(timeout, question=question, context=context, table=table, ddl=ddl)
