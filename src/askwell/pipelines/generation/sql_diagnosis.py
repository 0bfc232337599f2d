"""Why a statement was turned away, in plain words, and what to change."""

from __future__ import annotations

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import Diagnosis, QuestionContext
from askwell.pipelines.generation.reading import read_object
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply
from askwell.sql.outcome import RejectedSql

_SCHEMA = object_schema("sql_diagnosis", diagnosis=TEXT, suggested_fix=TEXT)


def prompt_text(
    prompt: Prompt, question: QuestionContext, context: RetrievedContext, rejected: RejectedSql
) -> PromptText:
    return prompt.write(values_of(question, context, rejected=rejected))


def diagnosis(model_reply: ModelReply, rejected: RejectedSql) -> Diagnosis:
    found = read_object(model_reply.text, "diagnosis", "suggested_fix")
    if found is not None:
        cause, fix = (str(found.get(key) or "").strip() for key in ("diagnosis", "suggested_fix"))
        return Diagnosis(cause or rejected.error, fix, model_reply.usage)
    prose = "" if model_reply.text.lstrip().startswith(("{", "`")) else model_reply.text.strip()
    return Diagnosis(prose or rejected.error, "", model_reply.usage)


class SqlDiagnosis(ModelPipeline[Diagnosis], result=diagnosis, schema=_SCHEMA):
    """Explains a rejection before it is corrected."""

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        rejected: RejectedSql,
        timeout: float | None = None,
    ) -> Diagnosis:
        """The diagnosis. A reply in prose is taken as it is; when nothing can be used, the error stands for itself."""
        return await self._ask(timeout, question=question, context=context, rejected=rejected)
