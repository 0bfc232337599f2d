"""Relationships that a semantic model may lack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel

from askwell.errors import ModelUnavailable
from askwell.job_kinds.recommending import RecommendingKind
from askwell.job_kinds.results import JobResult, Mdl
from askwell.job_kinds.tools import looks_at_rows
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body
from askwell.services.recommendations.relationships import WriteRelationships, recommend_relationships
from askwell.services.value_probe import ValueProbe

if TYPE_CHECKING:
    from askwell.pipelines.generation.recommending import WrittenRelationship


class RelationshipRecommendationsBody(Body):
    """`mdl` is the model that may lack relationships; the project's current one where it is left out."""

    mdl: Mdl = None


class RecommendedRelationshipBody(BaseModel):
    """`confidence` is from 0 to 1, and `evidence` says what it rests on."""

    name: str
    fromModel: str
    fromColumn: str
    type: Literal["ONE_TO_ONE", "ONE_TO_MANY", "MANY_TO_ONE"]
    toModel: str
    toColumn: str
    reason: str
    confidence: float
    evidence: str


class RecommendedRelationships(BaseModel):
    relationships: list[RecommendedRelationshipBody]


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
            response={
                "relationships": [
                    {
                        "name": one.name,
                        "fromModel": one.from_model,
                        "fromColumn": one.from_column,
                        "type": str(one.type),
                        "toModel": one.to_model,
                        "toColumn": one.to_column,
                        "reason": one.reason,
                        "confidence": one.confidence,
                        "evidence": one.evidence,
                    }
                    for one in found
                ]
            },
            warnings=warnings or None,
        )
