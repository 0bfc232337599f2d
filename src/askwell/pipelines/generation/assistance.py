"""Answers in words, for questions that are not answered by SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwell.pipelines.generation.model_call import ModelPipeline
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import Intent, QuestionContext, WrittenText
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply, OnDelta

# The pipeline (and prompt) that answers each intent.
ASSISTANCE_NAMES = {
    Intent.GENERAL: "data_assistance",
    Intent.MISLEADING_QUERY: "misleading_assistance",
    Intent.USER_GUIDE: "user_guide",
}


def prompt_text(prompt: Prompt, question: QuestionContext, context: RetrievedContext) -> PromptText:
    return prompt.write(values_of(question, context))


def answer(model_reply: ModelReply) -> WrittenText:
    return WrittenText(model_reply.text.strip(), model_reply.usage)


class Assistance(ModelPipeline[WrittenText], result=answer):
    """Answers one of the intents that are answered in words, streamed to `on_delta`."""

    def __init__(
        self, llm: LanguageModel, kind: Intent, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()
    ) -> None:
        super().__init__(llm, prompts=prompts, adapters=adapters, name=ASSISTANCE_NAMES[kind])

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> WrittenText:
        """The answer as Markdown; empty when the model writes nothing."""
        return await self._ask(timeout, on_delta, question=question, context=context)
