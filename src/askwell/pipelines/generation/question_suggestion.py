"""Three questions that somebody may ask after one that was answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.model_call import TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import ddl_within, values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.question_recommendation import LONGEST_QUESTION
from askwell.pipelines.generation.reading import read_questions
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_SCHEMA = object_schema("question_suggestion", questions=TEXTS)
# It is a small prompt: a few tables say enough.
_MOST_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class SuggestedQuestions:
    """Questions as the model wrote them, each once."""

    questions: tuple[str, ...]
    usage: Usage


def prompt_text(prompt: Prompt, question: QuestionContext, sql: str, ddl: str) -> PromptText:
    return prompt.write(values_of(question, sql=sql, ddl=ddl))


def suggested_questions(model_reply: ModelReply) -> SuggestedQuestions:
    return SuggestedQuestions(read_questions(model_reply.text, LONGEST_QUESTION), model_reply.usage)


class QuestionSuggestion(ModelPipeline[SuggestedQuestions], result=suggested_questions, schema=_SCHEMA):
    """Writes follow-up questions."""

    async def run(
        self,
        question: QuestionContext,
        *,
        sql: str,
        model: SemanticModel,
        tables: Sequence[str],
        timeout: float | None = None,
    ) -> SuggestedQuestions:
        """Questions that may follow `question`, which `sql` answered; `tables` are those of the answer and those next
        to them. A reply that cannot be read gives none."""
        return await self._ask(
            timeout,
            question=question,
            sql=sql,
            ddl=await asyncio.to_thread(ddl_within, model, tables, min(_MOST_TOKENS, self._llm.context_window // 2)),
        )
