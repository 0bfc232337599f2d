"""Three questions that somebody may ask after one that was answered."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.dag import Dag
from askwell.pipelines.generation.model_call import TEXTS, ModelCall, object_schema
from askwell.pipelines.generation.prompt_values import ddl_within, values_of
from askwell.pipelines.generation.question import QuestionContext
from askwell.pipelines.generation.question_recommendation import LONGEST_QUESTION
from askwell.pipelines.generation.reading import read_questions
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply, Usage

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


async def model_reply(call: ModelCall, prompt_text: PromptText) -> ModelReply:
    return await call.ask(prompt_text, _SCHEMA)


def suggested_questions(model_reply: ModelReply) -> SuggestedQuestions:
    return SuggestedQuestions(read_questions(model_reply.text, LONGEST_QUESTION), model_reply.usage)


class QuestionSuggestion:
    """Writes follow-up questions."""

    def __init__(self, llm: LanguageModel, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()) -> None:
        self._llm = llm
        self._prompt = prompts.load("question_suggestion")
        self._dag = Dag(sys.modules[__name__], result=suggested_questions, adapters=adapters)

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
        return await self._dag.run(
            call=ModelCall(self._llm, timeout),
            prompt=self._prompt,
            question=question,
            sql=sql,
            ddl=await asyncio.to_thread(ddl_within, model, tables, min(_MOST_TOKENS, self._llm.context_window // 2)),
        )
