"""What each step of a statement does, in plain words."""

from __future__ import annotations

from askwell.pipelines.generation.model_call import TEXT, TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, StepSummaries
from askwell.pipelines.generation.reading import read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply
from askwell.sql.steps import Step

_SCHEMA = object_schema("sql_summaries", description=TEXT, summaries=TEXTS)


def prompt_text(prompt: Prompt, question: QuestionContext, sql: str, words: str, steps: tuple[Step, ...]) -> PromptText:
    return prompt.write(values_of(question, sql=sql, words=words, steps=steps))


def step_summaries(model_reply: ModelReply, steps: tuple[Step, ...]) -> StepSummaries:
    def unusable(problem: str) -> StepSummaries:
        return StepSummaries("", (), problem, model_reply.usage)

    if model_reply.truncated:
        return unusable("The language model's reply broke off before its end.")
    found = read_object(model_reply.text, "summaries") or {}
    description, summaries = found.get("description"), found.get("summaries")
    if not isinstance(summaries, list) or not all(isinstance(one, str) and one.strip() for one in summaries):
        return unusable("The language model's reply holds no summaries.")
    if len(summaries) != len(steps):
        return unusable(f"The language model wrote {len(summaries)} summaries of {len(steps)} steps.")
    if not isinstance(description, str) or not description.strip():
        return unusable("The language model's reply holds no description.")
    return StepSummaries(description.strip(), tuple(one.strip() for one in summaries), None, model_reply.usage)


class SqlSummaries(ModelPipeline[StepSummaries], result=step_summaries, schema=_SCHEMA):
    """Explains a statement and all its steps with one call."""

    async def run(
        self, question: QuestionContext, *, steps: tuple[Step, ...], words: str = "", timeout: float | None = None
    ) -> StepSummaries:
        """One summary for each of `steps`, or the problem with the reply. `words` say what the statement does, as
        `describe_sql` does."""
        return await self._ask(timeout, question=question, sql=steps[-1].sql, words=words, steps=steps)
