"""The plan: how the question will be answered, in numbered steps that people read while they are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askwell.pipelines.generation.model_call import ModelPipeline
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, WrittenText
from askwell.pipelines.retrieval.context import RetrievedContext
from askwell.prompts import OURS, Prompt, PromptSet, PromptText
from askwell.providers.llm.base import LanguageModel, ModelReply, OnDelta, Usage


def prompt_text(prompt: Prompt, question: QuestionContext, context: RetrievedContext) -> PromptText:
    return prompt.write(values_of(question, context))


def plan(model_reply: ModelReply) -> WrittenText:
    return WrittenText(model_reply.text.strip(), model_reply.usage)


class SqlReasoning(ModelPipeline[WrittenText], result=plan):
    """Writes the plan, streamed to `on_delta`. Models with lean prompts are asked for none: small ones write SQL with
    errors into it, which generation then copies (1 of 3 answers right with a plan, 3 of 3 without;
    Qwen2.5-Coder-1.5B)."""

    def __init__(self, llm: LanguageModel, *, prompts: PromptSet = OURS, adapters: Sequence[Any] = ()) -> None:
        super().__init__(llm, prompts=prompts, adapters=adapters)
        self._pays = prompts.style == "full"

    async def run(
        self,
        question: QuestionContext,
        context: RetrievedContext,
        *,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> WrittenText:
        """The plan as Markdown; empty when the model writes nothing, and, without a call, where a plan does not pay."""
        if not self._pays:
            return WrittenText("", Usage())
        return await self._ask(timeout, on_delta, question=question, context=context)
