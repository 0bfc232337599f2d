"""A statement that was turned away, written again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from askwell.pipelines.dag import Dag
from askwell.pipelines.generation.model_call import TEXT, ModelCall, object_schema
from askwell.pipelines.generation.plan_words import plan_in_words
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import Diagnosis, QuestionContext, SqlReply
from askwell.pipelines.generation.reading import read_sql
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply
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


async def model_reply(call: ModelCall, prompt_text: PromptText) -> ModelReply:
    return await call.ask(prompt_text, _SCHEMA)


def sql_reply(model_reply: ModelReply) -> SqlReply:
    return read_sql(model_reply)


class SqlCorrection:
    """Writes SQL again, with the failed statement, its error and every earlier attempt in view."""

    def __init__(self, llm: LanguageModel, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()) -> None:
        self._llm = llm
        self._prompt = prompts.load("sql_correction")
        self._dag = Dag(sys.modules[__name__], result=sql_reply, adapters=adapters)

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
        return await self._dag.run(
            call=ModelCall(self._llm, timeout),
            prompt=self._prompt,
            question=question,
            context=context,
            plan=plan_in_words(plan or ""),
            rejected=rejected,
            diagnosis=diagnosis,
            earlier=earlier,
            anew=anew,
        )
