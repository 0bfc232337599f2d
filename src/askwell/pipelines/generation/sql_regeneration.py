"""SQL for a plan that a person edited."""

from __future__ import annotations

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, SqlReply
from askwell.pipelines.generation.reading import read_sql
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply

_SCHEMA = object_schema("sql_regeneration", sql=TEXT)


def prompt_text(
    prompt: Prompt, question: QuestionContext, context: RetrievedContext, plan: str, sql: str
) -> PromptText:
    return prompt.write(values_of(question, context, plan=plan, sql=sql))


def sql_reply(model_reply: ModelReply) -> SqlReply:
    return read_sql(model_reply)


class SqlRegeneration(ModelPipeline[SqlReply], result=sql_reply, schema=_SCHEMA):
    """Writes SQL by an edited plan, which binds."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        plan: str,
        sql: str = "",
        timeout: float | None = None,
    ) -> SqlReply:
        """The SQL, still to be checked, or the problem with the reply. `sql` is the statement from before the edit,
        where there was one."""
        return await self._ask(timeout, question=question, context=context, plan=plan, sql=sql)
