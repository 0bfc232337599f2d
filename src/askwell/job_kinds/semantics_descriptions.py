"""Descriptions of models and their columns."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field

from askwell.errors import NotFound
from askwell.job_kinds.recommending import RecommendingKind
from askwell.job_kinds.results import JobResult, Mdl
from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body, Identifier, Text
from askwell.jobs.simple import JobFailed
from askwell.services.recommendations.descriptions import Descriptions, describe_models


class SemanticsDescriptionsBody(Body):
    """`selected_models` are to be described, with what `user_prompt` says of them."""

    selected_models: Annotated[list[Identifier], Field(min_length=1, max_length=1_000)]
    user_prompt: Text
    mdl: Mdl = None


class DescribedColumn(BaseModel):
    name: str
    description: str


class DescribedModelBody(BaseModel):
    name: str
    description: str
    columns: list[DescribedColumn]


class SemanticsDescriptionsResult(JobResult):
    """`response` grows while the job is `generating`; what is not described is ""."""

    id: str
    response: list[DescribedModelBody] | None = None


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
                fields = _fields(found)
                job.advance(self.live("generating", **fields))
        except NotFound as error:
            raise JobFailed("RESOURCE_NOT_FOUND", error.message, error.hint) from None
        return self.finished(**fields)


def _fields(found: Descriptions) -> dict[str, Any]:
    response = [
        {
            "name": model.name,
            "description": model.description,
            "columns": [{"name": name, "description": text} for name, text in model.columns],
        }
        for model in found.models
    ]
    return {"response": response, "warnings": list(found.warnings) or None}
