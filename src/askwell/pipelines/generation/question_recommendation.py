"""Questions that somebody could ask of a semantic model, by category."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.model_call import TEXT, ModelPipeline, object_schema
from askwell.pipelines.generation.prompt_values import ddl_within
from askwell.pipelines.generation.reading import one_line, read_list
from askwell.prompts import Prompt, PromptText
from askwell.providers.llm.base import ModelReply, Usage

_QUESTION = object_schema("question", question=TEXT, category=TEXT).schema
_SCHEMA = object_schema("question_recommendation", questions={"type": "array", "items": _QUESTION})
LONGEST_QUESTION = 300
# Earlier questions that are told, the last ones.
_MOST_PREVIOUS = 50


@dataclass(frozen=True, slots=True)
class QuestionBrief:
    """What questions are wanted: `count` for each of the `categories`, in `language`, none of `previous` again."""

    categories: tuple[str, ...]
    count: int
    language: str = "English"
    previous: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """Pairs of a question and its category, which is one of those that were asked for."""

    questions: tuple[tuple[str, str], ...]
    usage: Usage


def prompt_text(prompt: Prompt, brief: QuestionBrief, ddl: str) -> PromptText:
    return prompt.write(
        {
            "categories": brief.categories,
            "count": brief.count,
            "language": brief.language,
            "previous": brief.previous[-_MOST_PREVIOUS:],
            "ddl": ddl,
        }
    )


def written_questions(model_reply: ModelReply, brief: QuestionBrief) -> WrittenQuestions:
    known = {category.casefold(): category for category in brief.categories}
    found: dict[str, str] = {}
    for item in read_list(model_reply.text, "questions"):
        if isinstance(item, Mapping):
            question = one_line(item.get("question"), LONGEST_QUESTION)
            category = known.get(one_line(item.get("category"), LONGEST_QUESTION).casefold())
            if question and category is not None:
                found.setdefault(question, category)
    return WrittenQuestions(tuple(found.items()), model_reply.usage)


class QuestionRecommendation(ModelPipeline[WrittenQuestions], result=written_questions, schema=_SCHEMA):
    """Writes questions; whether they can be answered is for others to find out."""

    async def run(
        self, brief: QuestionBrief, *, model: SemanticModel, tables: Sequence[str], timeout: float | None = None
    ) -> WrittenQuestions:
        """The questions about the first of the `tables` that the model's context has room for. What a reply says
        wrongly is left out; one that cannot be read gives none."""
        return await self._ask(
            timeout, brief=brief, ddl=await asyncio.to_thread(ddl_within, model, tables, self._llm.context_window // 2)
        )
