"""Questions that somebody may ask of a semantic model, each with SQL that was checked."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, Strict

from askwell.errors import ModelUnavailable
from askwell.job_kinds.recommending import RecommendingKind
from askwell.job_kinds.results import JobResult, Mdl
from askwell.job_kinds.tools import looks_at_rows
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body, Flag, Question
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.candidates import tables_by_interest
from askwell.services.recommendations.questions import (
    DEFAULT_CATEGORIES,
    QuestionLimits,
    RecommendedQuestion,
    RulesAnswers,
    recommend_by_model,
    recommend_by_templates,
)

# Of a model that the rules cannot read: nothing is recommended without a language model.
_NO_FACTS = ModelFacts({}, {}, ())
_NONE_BY_MODEL = "The language model wrote no question that can be answered: these are made of templates."


class QuestionRecommendationsBody(Body):
    """`mdl` is the model to ask of; the project's current one where it is left out."""

    mdl: Mdl = None
    previous_questions: Annotated[list[Question], Field(max_length=1_000)] = []
    max_questions: Annotated[int, Strict(), Field(ge=1, le=50, description="For each category.")] = 5
    max_categories: Annotated[int, Strict(), Field(ge=1, le=20)] = 3
    categories: Annotated[list[Question], Field(min_length=1, max_length=20)] = list(DEFAULT_CATEGORIES)
    regenerate: Flag = Field(default=False, description="Ask a language model once more for what is missing.")
    allow_data_preview: Flag = Field(default=True, description="Only questions whose answer has rows.")


class RecommendedQuestionBody(BaseModel):
    question: str
    category: str
    sql: str


class RecommendedQuestions(BaseModel):
    questions: list[RecommendedQuestionBody]


class QuestionRecommendationsResult(JobResult):
    """`response` grows while the job is `generating`."""

    id: str
    response: RecommendedQuestions | None = None


class QuestionRecommendations(RecommendingKind[QuestionRecommendationsBody]):
    """Recommend questions for a semantic model, by category. They are made of templates without a language model,
    and where it writes none that can be answered."""

    name: ClassVar[str] = "question_recommendation"
    noun: ClassVar[str] = "recommendation"
    path: ClassVar[str] = "question-recommendations"
    request: ClassVar[type[Body]] = QuestionRecommendationsBody
    result: ClassVar[type[BaseModel]] = QuestionRecommendationsResult

    async def run(self, job: Job[QuestionRecommendationsBody, JobState]) -> JobState:
        project = await self.project_with(job, job.request.mdl)
        shown: tuple[RecommendedQuestion, ...] = ()
        try:
            async for shown in self._by_model(job, project):
                job.advance(self.live("generating", response=_response(shown)))
        except ModelUnavailable as error:
            if not shown:
                raise
            # What clients were shown stands.
            return self.finished(response=_response(shown), warnings=[f"There may have been more: {error.message}"])
        if shown:
            return self.finished(response=_response(shown))
        async for shown in self._by_templates(job, project):
            job.advance(self.live("generating", response=_response(shown)))
        has_model = self.tools.asks.generation is not None
        return self.finished(response=_response(shown), warnings=[_NONE_BY_MODEL] if has_model else None)

    async def _by_model(
        self, job: Job[QuestionRecommendationsBody, JobState], project: ProjectModel
    ) -> AsyncGenerator[tuple[RecommendedQuestion, ...], None]:
        request, rules = job.request, self._rules(job, project)
        facts = project.rules.facts if project.rules is not None else None
        writer = self.writer(request, project, tables_by_interest(facts) if facts is not None else None)
        if writer is None:
            return

        async def answer(question: str) -> str | None:
            by_rules = await rules.question(question)
            return by_rules or await self.generated(job, project, question, wants_rows=_wants_rows(job))

        async for found in recommend_by_model(_limits(request), writer.questions, answer):
            yield found

    def _by_templates(
        self, job: Job[QuestionRecommendationsBody, JobState], project: ProjectModel
    ) -> AsyncGenerator[tuple[RecommendedQuestion, ...], None]:
        facts = project.rules.facts if project.rules is not None else _NO_FACTS
        candidate = self._rules(job, project).candidate
        return recommend_by_templates(facts, project.values, _limits(job.request), candidate)

    def _rules(self, job: Job[QuestionRecommendationsBody, JobState], project: ProjectModel) -> RulesAnswers:
        tools = self.tools.asks
        return RulesAnswers(
            project,
            self.context(job),
            float(tools.settings.engine_timeout),
            tools.rules_mode,
            wants_rows=_wants_rows(job),
        )


def _wants_rows(job: Job[QuestionRecommendationsBody, JobState]) -> bool:
    return job.request.allow_data_preview and looks_at_rows(job.person, job.request.mdl)


def _limits(request: QuestionRecommendationsBody) -> QuestionLimits:
    return QuestionLimits(
        request.max_questions,
        request.max_categories,
        tuple(dict.fromkeys(request.categories)),
        tuple(request.previous_questions),
        request.regenerate,
    )


def _response(found: tuple[RecommendedQuestion, ...]) -> dict[str, Any]:
    return {"questions": [{"question": one.question, "category": one.category, "sql": one.sql} for one in found]}
