"""What a language model writes for recommendations, by the pipelines, in the form that they are asked for here.

Pipelines are imported when a model is there: they bring Hamilton, and that brings pandas: a fourth of a start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askwell.mdl.semantic_model import SemanticModel
from askwell.pipelines.generation.question import QuestionContext
from askwell.providers.llm.base import Usage
from askwell.services.recommendations.descriptions import DescriptionChunk
from askwell.services.recommendations.questions import Written

if TYPE_CHECKING:
    from askwell.pipelines.generation.build import GenerationPipelines
    from askwell.pipelines.generation.recommending import WrittenDescriptions, WrittenRelationship


@dataclass(frozen=True, slots=True)
class RecommendationWriter:
    """Writes in `language` about one model; `on_usage` hears what each call cost. `tables` are its tables in the order
    in which they are to be shown. Everything raises `ModelUnavailable` as the pipelines do."""

    pipelines: GenerationPipelines
    model: SemanticModel
    tables: Sequence[str]
    language: str = "English"
    on_usage: Callable[[Usage], None] = lambda _: None

    async def questions(self, categories: Sequence[str], count: int, previous: Sequence[str]) -> Sequence[Written]:
        """New questions for the categories; a `questions.Write`."""
        from askwell.pipelines.generation.recommending import QuestionBrief

        brief = QuestionBrief(tuple(categories), count, self.language, tuple(previous))
        written = await self.pipelines.recommendation.run(brief, model=self.model, tables=self.tables)
        self.on_usage(written.usage)
        return written.value

    async def suggestions(self, question: QuestionContext, sql: str) -> Sequence[str]:
        """Questions that may follow one that `sql` answered."""
        written = await self.pipelines.suggestion.run(question, sql=sql, model=self.model, tables=self.tables)
        self.on_usage(written.usage)
        return written.value

    async def relationships(self) -> Sequence[WrittenRelationship]:
        """References that the model may lack; a `relationships.WriteRelationships`."""
        written = await self.pipelines.relationships.run(self.model, language=self.language)
        self.on_usage(written.usage)
        return written.value

    async def descriptions(self, chunk: DescriptionChunk, about: str = "") -> WrittenDescriptions:
        """What the columns of a chunk are; with `about` bound, a `descriptions.WriteDescriptions`."""
        from askwell.pipelines.generation.recommending import DescriptionBrief

        brief = DescriptionBrief(chunk.ddl, chunk.columns, chunk.values, about, self.language)
        written = await self.pipelines.description.run(brief)
        self.on_usage(written.usage)
        return written.value
