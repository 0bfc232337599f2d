"""Three questions to go on with in a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askwell.pipelines.generation.model_call import TEXTS, ModelPipeline, object_schema
from askwell.pipelines.generation.question_recommendation import LONGEST_QUESTION
from askwell.pipelines.generation.question_suggestion import SuggestedQuestions
from askwell.pipelines.generation.reading import read_questions
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply

_SCHEMA = object_schema("conversation_suggestion", questions=TEXTS)
# Earlier questions, which are not to be suggested again.
_ASKED = 20
_ANSWER_CHARACTERS = 2_000


def prompt_text(prompt: Prompt, values: Mapping[str, Any]) -> PromptText:
    return prompt.write(values)


def suggested_questions(model_reply: ModelReply) -> SuggestedQuestions:
    return SuggestedQuestions(read_questions(model_reply.text, LONGEST_QUESTION), model_reply.usage)


class ConversationSuggestion(ModelPipeline[SuggestedQuestions], result=suggested_questions, schema=_SCHEMA):
    """Writes questions that may follow an answer."""

    async def run(
        self,
        question: str,
        *,
        answer: str,
        tables: Sequence[str],
        asked: Sequence[str],
        language: str,
        persona: str,
    ) -> SuggestedQuestions:
        """Questions that may follow; `tables` are lines of the tables that they may be about, `asked` what was asked
        before, oldest first. A reply that cannot be read gives none. Raises `ModelUnavailable`."""
        values = {
            "question": question,
            "language": language,
            "answer": answer[:_ANSWER_CHARACTERS],
            "tables": tuple(tables),
            "asked": tuple(asked[-_ASKED:]),
            "persona": persona,
        }
        return await self._ask(None, values=values)
