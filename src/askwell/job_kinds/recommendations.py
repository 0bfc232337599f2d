"""Jobs that recommend: questions, relationships and descriptions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, Field

from askwell.errors import ModelUnavailable, NotFound
from askwell.field_types import Flag, Identifier, Text
from askwell.job_kinds.tools import JobResult, Mdl, ToolsKind, looks_at_rows
from askwell.jobs.kind import Job, JobFailed, JobState
from askwell.jobs.request import Body
from askwell.semantic_parsing.model.facts import ModelFacts
from askwell.services.projects import ProjectModel
from askwell.services.recommendations.candidates import tables_by_interest
from askwell.services.recommendations.descriptions import ModelInWords, describe_models
from askwell.services.recommendations.questions import (
    QuestionLimits,
    RecommendedQuestion,
    RulesAnswers,
    recommend_by_model,
    recommend_by_templates,
)
from askwell.services.recommendations.relationships import (
    RecommendedRelationship,
    WriteRelationships,
    recommend_relationships,
)
from askwell.services.recommendations.writing import RecommendationWriter
from askwell.services.value_probe import ValueProbe

if TYPE_CHECKING:
    from askwell.pipelines.generation.recommending import WrittenRelationship


BodyT = TypeVar("BodyT", bound=Body)


class RecommendingKind(ToolsKind[BodyT]):
    """A kind that recommends something for a model of the request's own, or the project's."""

    id_name: ClassVar[str] = "id"
    statuses: ClassVar[tuple[str, ...]] = ("generating",)
    codes: ClassVar[frozenset[str]] = frozenset({"MDL_PARSE_ERROR", "RESOURCE_NOT_FOUND", "OTHERS"})

    def writer(
        self, request: BodyT, project: ProjectModel, tables: Sequence[str] | None = None
    ) -> RecommendationWriter | None:
        """What has the language model write of these tables, in their order, or of all; None without one."""
        generation = self.tools.generation
        if generation is None:
            return None
        shown = tuple(project.model.tables) if tables is None else tables
        return RecommendationWriter(generation, project.model, shown, language=request.configurations.language)


# Of a model that the rules cannot read: nothing is recommended without a language model.
_NO_FACTS = ModelFacts({}, {}, ())
_NONE_BY_MODEL = "The language model wrote no question that can be answered: these are made of templates."


class QuestionRecommendationsBody(QuestionLimits, Body):
    """`mdl` is the model to ask of; the project's current one where it is left out."""

    mdl: Mdl = None
    allow_data_preview: Flag = Field(default=True, description="Only questions whose answer has rows.")


class RecommendedQuestions(BaseModel):
    questions: list[RecommendedQuestion]


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
        has_model = self.tools.generation is not None
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

        async for found in recommend_by_model(request, writer.questions, answer):
            yield found

    def _by_templates(
        self, job: Job[QuestionRecommendationsBody, JobState], project: ProjectModel
    ) -> AsyncGenerator[tuple[RecommendedQuestion, ...], None]:
        facts = project.rules.facts if project.rules is not None else _NO_FACTS
        candidate = self._rules(job, project).candidate
        return recommend_by_templates(facts, project.values, job.request, candidate)

    def _rules(self, job: Job[QuestionRecommendationsBody, JobState], project: ProjectModel) -> RulesAnswers:
        tools = self.tools
        return RulesAnswers(
            project,
            self.context(job),
            float(tools.settings.engine_timeout),
            tools.rules_mode,
            wants_rows=_wants_rows(job),
        )


def _wants_rows(job: Job[QuestionRecommendationsBody, JobState]) -> bool:
    return job.request.allow_data_preview and looks_at_rows(job.person, job.request.mdl)


def _response(found: tuple[RecommendedQuestion, ...]) -> dict[str, Any]:
    return {"questions": [one.model_dump() for one in found]}


class RelationshipRecommendationsBody(Body):
    """`mdl` is the model that may lack relationships; the project's current one where it is left out."""

    mdl: Mdl = None


class RecommendedRelationships(BaseModel):
    relationships: list[RecommendedRelationship]


class RelationshipRecommendationsResult(JobResult):
    id: str
    response: RecommendedRelationships | None = None


class RelationshipRecommendations(RecommendingKind[RelationshipRecommendationsBody]):
    """Recommend relationships: from names, types and values, and from a language model where there is one. Only ones
    that join columns of the model, of which one side is unique."""

    name: ClassVar[str] = "relationship_recommendation"
    noun: ClassVar[str] = "recommendation"
    path: ClassVar[str] = "relationship-recommendations"
    request: ClassVar[type[Body]] = RelationshipRecommendationsBody
    result: ClassVar[type[BaseModel]] = RelationshipRecommendationsResult

    async def run(self, job: Job[RelationshipRecommendationsBody, JobState]) -> JobState:
        project = await self.project_with(job, job.request.mdl)
        writer = self.writer(job.request, project)
        write: WriteRelationships | None = None
        warnings: list[str] = []
        if writer is not None:

            async def proposals() -> Sequence[WrittenRelationship]:
                try:
                    return await writer.relationships()
                except ModelUnavailable as error:  # those that are found without it stand
                    warnings.append(f"The language model proposed none: {error.message}")
                    return ()

            write = proposals
        looks = looks_at_rows(job.person, job.request.mdl)
        probe = ValueProbe(project.model, project.checker, self.context(job)) if looks else None
        found = await recommend_relationships(project.model, probe, write)
        return self.finished(
            response={"relationships": [one.model_dump(mode="json", by_alias=True) for one in found]},
            warnings=warnings or None,
        )


class SemanticsDescriptionsBody(Body):
    """`selected_models` are to be described, with what `user_prompt` says of them."""

    selected_models: Annotated[list[Identifier], Field(min_length=1, max_length=1_000)]
    user_prompt: Text
    mdl: Mdl = None


class SemanticsDescriptionsResult(JobResult):
    """`response` grows while the job is `generating`; what is not described is ""."""

    id: str
    response: list[ModelInWords] | None = None


class SemanticsDescriptions(RecommendingKind[SemanticsDescriptionsBody]):
    """Describe models and their columns: by a language model, else in the words of their names, types and keys."""

    name: ClassVar[str] = "semantics_description"
    noun: ClassVar[str] = "description"
    path: ClassVar[str] = "semantics-descriptions"
    request: ClassVar[type[Body]] = SemanticsDescriptionsBody
    result: ClassVar[type[BaseModel]] = SemanticsDescriptionsResult

    async def run(self, job: Job[SemanticsDescriptionsBody, JobState]) -> JobState:
        request = job.request
        project = await self.project_with(job, request.mdl)
        writer = self.writer(request, project)
        write = None if writer is None else partial(writer.descriptions, about=request.user_prompt)
        fields: dict[str, Any] = {"response": []}
        try:
            async for found in describe_models(project.model, request.selected_models, project.values, write):
                response = [one.model_dump() for one in found.models]
                fields = {"response": response, "warnings": list(found.warnings) or None}
                job.advance(self.live("generating", **fields))
        except NotFound as error:
            raise JobFailed("RESOURCE_NOT_FOUND", error.message, error.hint) from None
        return self.finished(**fields)
