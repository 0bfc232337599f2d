"""The first SQL for a question."""

from __future__ import annotations

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.plan_words import plan_in_words
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, SqlReply
from askwell.pipelines.generation.reading import read_sql
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply

_SCHEMA = object_schema("sql_generation", sql=TEXT)


def prompt_text(prompt: Prompt, question: QuestionContext, context: RetrievedContext, plan: str) -> PromptText:
    return prompt.write(values_of(question, context, plan=plan))


def sql_reply(model_reply: ModelReply) -> SqlReply:
    return read_sql(model_reply)


class SqlGeneration(ModelPipeline[SqlReply], result=sql_reply, schema=_SCHEMA):
    """Writes SQL from the question, its context and, where there is one, the plan."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        plan: str | None = None,
        timeout: float | None = None,
    ) -> SqlReply:
        """The SQL, still to be checked, or the problem with the reply."""
        return await self._ask(timeout, question=question, context=context, plan=plan_in_words(plan or ""))
