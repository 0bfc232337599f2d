"""A statement that was turned away, written again."""

from __future__ import annotations

from collections.abc import Sequence

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.plan_words import plan_in_words
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import Diagnosis, QuestionContext, SqlReply
from askwell.pipelines.generation.reading import read_sql
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply
from askwell.sql.outcome import RejectedSql

_SCHEMA = object_schema("sql_correction", sql=TEXT)


def prompt_text(
    prompt: Prompt,
    question: QuestionContext,
    context: RetrievedContext,
    plan: str,
    rejected: RejectedSql,
    diagnosis: Diagnosis | None,
    earlier: Sequence[RejectedSql],
    anew: bool,
) -> PromptText:
    return prompt.write(
        values_of(question, context, plan=plan, rejected=rejected, diagnosis=diagnosis, earlier=earlier, anew=anew)
    )


def sql_reply(model_reply: ModelReply) -> SqlReply:
    return read_sql(model_reply)


class SqlCorrection(ModelPipeline[SqlReply], result=sql_reply, schema=_SCHEMA):
    """Writes SQL again, with the failed statement, its error and every earlier attempt in view."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        rejected: RejectedSql,
        plan: str | None = None,
        diagnosis: Diagnosis | None = None,
        earlier: tuple[RejectedSql, ...] = (),
        anew: bool = False,
        timeout: float | None = None,
    ) -> SqlReply:
        """The SQL, still to be checked, or the problem with the reply. `earlier` are the attempts before `rejected`.
        With `anew` only their errors are told: what a model reads once more it writes once more."""
        return await self._ask(
            timeout,
            question=question,
            context=context,
            plan=plan_in_words(plan or ""),
            rejected=rejected,
            diagnosis=diagnosis,
            earlier=earlier,
            anew=anew,
        )
