"""A follow-up, rewritten so that it can be understood without the conversation."""

from __future__ import annotations

from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import values_of
from askwell.pipelines.generation.question import QuestionContext, WrittenText
from askwell.pipelines.generation.reading import is_one_question, read_object
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_SCHEMA = object_schema("question_reformulation", question=TEXT)


def prompt_text(prompt: Prompt, question: QuestionContext) -> PromptText:
    return prompt.write(values_of(question))


def standalone_question(model_reply: ModelReply, question: QuestionContext) -> WrittenText:
    found = read_object(model_reply.text, "question")
    written = found["question"] if found else model_reply.text
    if not isinstance(written, str) or not is_one_question(written.strip()):
        written = question.question
    return WrittenText(written.strip(), model_reply.usage)


class QuestionReformulation(ModelPipeline[WrittenText], result=standalone_question, schema=_SCHEMA):
    """Rewrites a question that leans on the ones before it."""

    async def run(self, question: QuestionContext, *, timeout: float | None = None) -> WrittenText:
        """The question that stands alone: the same one when the reply cannot be used, and, without a call, when there
        are no histories."""
        if not question.histories:
            return WrittenText(question.question, Usage())
        return await self._ask(timeout, question=question)
