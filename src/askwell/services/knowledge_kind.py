"""Changes of what people teach the service as kinds of jobs: stored when they are accepted, then indexed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from askwell.jobs.kind import Job, JobState
from askwell.jobs.request import Body
from askwell.jobs.simple import JobFailed, SimpleKind
from askwell.knowledge.saved import SavedShelf
from askwell.pipelines.indexing import Indexing
from askwell.services.projects import ProjectModels


class Refusal(BaseModel):
    """Why some of what came was not stored."""

    code: str
    message: str


class KnowledgeChange(Body):
    """A change that is stored with the job; `digest` tells it from others. `refusal` is set where some of what came was
    not to be stored; `remarks` are those of `CheckedPairs`."""

    digest: str = ""
    operation: Literal["indexing", "deleting"]
    refusal: Refusal | None = None
    warnings: list[str] = []
    remarks: list[dict[str, Any]] = []


class KnowledgeKind(SimpleKind[KnowledgeChange]):
    """A change of saved knowledge of one sort."""

    id_name: ClassVar[str] = "event_id"
    noun: ClassVar[str] = "event"
    request: ClassVar[type[Body]] = KnowledgeChange
    statuses: ClassVar[tuple[str, ...]] = ("indexing", "deleting")
    deadline: float | None = None
    readable: float | None = None

    def __init__(self, saved: SavedShelf, indexing: Indexing, projects: ProjectModels) -> None:
        self._saved = saved
        self._indexing = indexing
        self._projects = projects

    def require(self, request: KnowledgeChange) -> None:
        self._projects.require_database(request.project_id)

    def body(self, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        # A second check of the same statements may come to another end.
        return {name: value for name, value in kept.items() if name not in ("refusal", "warnings", "remarks")}

    def queued(self, request: KnowledgeChange) -> JobState:
        return self.live(request.operation)

    def render(self, job_id: str, state: JobState) -> dict[str, Any]:
        fields = {name: value for name, value in state.fields.items() if value}
        return {"event_id": job_id, "status": state.status, "error": None, "trace_id": job_id, **fields}

    async def run(self, job: Job[KnowledgeChange, JobState]) -> JobState:
        await self._indexing.knowledge_section(await self._saved.of(job.project_id))
        told = {"warnings": job.request.warnings, "remarks": job.request.remarks}
        if (refusal := job.request.refusal) is not None:
            raise JobFailed(refusal.code, refusal.message, fields=told)
        return self.finished(**told)


class SqlPairsKind(KnowledgeKind):
    """SQL pairs that are saved or removed."""

    name: ClassVar[str] = "sql_pair"


class InstructionsKind(KnowledgeKind):
    """Instructions that are saved or removed."""

    name: ClassVar[str] = "instruction"
