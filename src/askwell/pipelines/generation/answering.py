"""What language models say to people: answers in words, and what a statement does."""

from __future__ import annotations

import asyncio

from askwell.pipelines.generation.pipeline import TEXT, TEXTS, Asking, pipeline
from askwell.pipelines.generation.question import (
    Answered,
    Intent,
    QuestionContext,
    StepSummaries,
    dialect_name,
    values_of,
)
from askwell.pipelines.generation.reading import found_in, read_question, read_text
from askwell.pipelines.generation.result_rows import FittedRows, fit_rows
from askwell.pipelines.retrieval.context import InstructionText, RetrievedContext
from askwell.pipelines.retrieval.model_text import estimated_tokens
from askwell.providers.engine.base import QueryRows
from askwell.providers.llm.base import ModelReply, OnDelta
from askwell.sql.steps import Step

# The pipeline (and prompt) that answers each intent which is answered in words.
ASSISTANCE_NAMES = {
    Intent.GENERAL: "data_assistance",
    Intent.MISLEADING_QUERY: "misleading_assistance",
    Intent.USER_GUIDE: "user_guide",
}


@pipeline("data_assistance")
async def assistance(
    ask: Asking,
    question: QuestionContext,
    context: RetrievedContext,
    *,
    on_delta: OnDelta | None = None,
) -> Answered[str]:
    """The answer to a question that is not answered by SQL, as Markdown, streamed to `on_delta`; empty when the model
    writes nothing."""
    return await ask(values_of(question, context), read_text, on_delta=on_delta)


# Room for the answer; the prompt asks for 150 words, and thinking counts too.
MAX_OUTPUT_TOKENS = 2_000


@pipeline("sql_answer")
async def sql_answer(
    ask: Asking,
    question: QuestionContext,
    *,
    sql: str,
    rows: FittedRows,
    instructions: tuple[InstructionText, ...] = (),
    on_delta: OnDelta | None = None,
) -> Answered[str]:
    """The answer to a question from rows, as Markdown, streamed to `on_delta`; empty when the model writes nothing.
    `rows` are those of `rows_for_answer`, `instructions` those that are saved for answers."""
    values = values_of(question, sql=sql, rows=rows, instructions=instructions)
    return await ask(values, read_text, on_delta=on_delta)


async def rows_for_answer(
    ask: Asking,
    question: QuestionContext,
    *,
    sql: str,
    result: QueryRows,
    instructions: tuple[InstructionText, ...] = (),
    max_output: int = MAX_OUTPUT_TOKENS,
) -> FittedRows:
    """The rows that the prompt of `sql_answer` has room for; none where not even one fits, and then the model has
    nothing to say."""
    empty = FittedRows("", (), len(result.rows), result.truncated)
    without = ask.prompt.write(values_of(question, sql=sql, rows=empty, instructions=instructions))
    return await asyncio.to_thread(
        fit_rows,
        result,
        other_tokens=estimated_tokens(without.system) + estimated_tokens(without.user),
        context_window=ask.llm.context_window,
        # A small model's window is not all kept for its answer.
        max_output=min(max_output, ask.llm.context_window // 4),
    )


@pipeline("sql_question", question=TEXT)
async def sql_question(
    ask: Asking,
    *,
    sql: str,
    words: str = "",
    language: str = "English",
    dialect: str = "",
) -> Answered[str]:
    """The question that a statement answers; empty where no question fits, or the reply cannot be used. `words` say
    what the statement does, as `describe_sql` does."""
    values = {"sql": sql, "words": words, "language": language, "dialect_name": dialect_name(dialect)}
    return await ask(values, lambda reply: Answered(read_question(reply), reply.usage))


@pipeline("sql_summaries", description=TEXT, summaries=TEXTS)
async def sql_summaries(
    ask: Asking,
    question: QuestionContext,
    *,
    steps: tuple[Step, ...],
    words: str = "",
) -> Answered[StepSummaries]:
    """One summary for each of `steps`, in plain words, or the problem with the reply. `words` say what the statement
    does, as `describe_sql` does."""

    def summaries(reply: ModelReply) -> StepSummaries:
        if reply.truncated:
            return StepSummaries("", (), "The language model's reply broke off before its end.")
        found = found_in(reply, "summaries")
        description, texts = found.get("description"), found.get("summaries")
        problem = None
        if not isinstance(texts, list) or not all(isinstance(one, str) and one.strip() for one in texts):
            problem = "The language model's reply holds no summaries."
        elif len(texts) != len(steps):
            problem = f"The language model wrote {len(texts)} summaries of {len(steps)} steps."
        elif not isinstance(description, str) or not description.strip():
            problem = "The language model's reply holds no description."
        if problem is not None:
            return StepSummaries("", (), problem)
        return StepSummaries(str(description).strip(), tuple(one.strip() for one in texts or ()), None)

    return await ask(
        values_of(question, sql=steps[-1].sql, words=words, steps=steps),
        lambda reply: Answered(summaries(reply), reply.usage),
    )
