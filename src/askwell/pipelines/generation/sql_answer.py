"""The answer to a question in words, from the rows that its statement gave."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from askwell.pipelines.generation.model_call import ModelPipeline
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, WrittenText
from askwell.pipelines.generation.result_rows import FittedRows, fit_rows
from askwell.pipelines.retrieval.context import InstructionText
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.prompts import Prompt, PromptText
from askwell.providers.engine.base import QueryRows
from askwell.providers.llm.base import ModelReply, OnDelta

# Room for the answer; the prompt asks for 150 words, and thinking counts too.
MAX_OUTPUT_TOKENS = 2_000


def prompt_text(
    prompt: Prompt, question: QuestionContext, sql: str, rows: FittedRows, instructions: Sequence[InstructionText]
) -> PromptText:
    return prompt.write(values_of(question, sql=sql, rows=rows, instructions=instructions))


def answer(model_reply: ModelReply) -> WrittenText:
    return WrittenText(model_reply.text.strip(), model_reply.usage)


class SqlAnswer(ModelPipeline[WrittenText], result=answer):
    """Answers from rows, streamed to `on_delta`."""

    async def fit(
        self,
        question: QuestionContext,
        *,
        sql: str,
        result: QueryRows,
        instructions: tuple[InstructionText, ...] = (),
        max_output: int = MAX_OUTPUT_TOKENS,
    ) -> FittedRows:
        """The rows that a prompt has room for; none where not even one fits, and then the model has nothing to say."""
        empty = FittedRows("", (), len(result.rows), result.truncated)
        without = prompt_text(self._prompt, question, sql, empty, instructions)
        return await asyncio.to_thread(
            fit_rows,
            result,
            other_tokens=estimated_tokens(without.system) + estimated_tokens(without.user),
            context_window=self._llm.context_window,
            # A small model's window is not all kept for its answer.
            max_output=min(max_output, self._llm.context_window // 4),
        )

    async def run(
        self,
        question: QuestionContext,
        *,
        sql: str,
        rows: FittedRows,
        instructions: tuple[InstructionText, ...] = (),
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> WrittenText:
        """The answer as Markdown; empty when the model writes nothing. `rows` are those of `fit`, `instructions` those
        that are saved for answers."""
        return await self._ask(timeout, on_delta, question=question, sql=sql, rows=rows, instructions=instructions)
