"""Semantic models: prepare one, follow its preparation, look at it, describe it better, remove it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from askwell.access.caller import Caller
from askwell.errors import InvalidRequest
from askwell.job_kinds.tools import JobError
from askwell.jobs.request import Body, MdlHash, ProjectId
from askwell.messages import say
from askwell.services.current_models import DescribedModel, ListedProject
from askwell.services.description_changes import DescriptionChange
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.web.deps import ADMIN, Admin, AnyCaller, Curator, Project, body_of
from askwell.web.polling import Compatibility, IdempotencyKey, follow, or_failed, status_of
from askwell.web.responses import (
    CHANGES,
    EVENTS,
    NOT_FOUND,
    NOT_MODIFIED,
    OUTDATED,
    STARTS_WORK,
    IfNoneMatch,
    is_known,
    preparing,
)
from askwell.web.routing import router as new_router
from askwell.web.sse import LastEventId

if TYPE_CHECKING:
    from askwell.container import Container

# A model of five thousand tables with twenty described columns each.
MAX_BODY = 32 * 1024 * 1024

ProjectOfLabel = Annotated[
    ProjectId | None,
    Query(description="Left out: `default`, or else the only project that a model was sent for under this name."),
]


# In one request: all columns of a wide table, or all tables of a schema.
MAX_CHANGES = 1_000


class PreparationBody(Body):
    """A semantic model: JSON text or the object itself, and the client's label (without one: its content's hash)."""

    mdl: str | dict[str, Any]
    mdl_hash: MdlHash | None = Field(default=None, validation_alias=AliasChoices("mdl_hash", "id"))


class DescriptionsBody(BaseModel):
    """Other descriptions for the model `mdl_hash`, which has to be the current one."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    mdl_hash: MdlHash
    changes: Annotated[list[DescriptionChange], Field(min_length=1, max_length=MAX_CHANGES)]


class ProjectsList(BaseModel):
    projects: list[ListedProject]


class PreparationStarted(BaseModel):
    id: str


class Progress(BaseModel):
    done: int
    total: int
    stage: str


class PreparationStatus(BaseModel):
    id: str
    status: Literal["indexing", "finished", "failed"]
    error: JobError | None = None
    progress: Progress | None = None
    warnings: list[str] | None = None
    trace_id: str


def routes(services: Container, compatibility: Compatibility) -> APIRouter:
    """The routes under /semantics-preparations, /semantics and /projects."""
    router = new_router(tag="semantics", role="ask", most_bytes=MAX_BODY)

    @router.post("/semantics-preparations", status_code=202, response_model=PreparationStarted, responses=STARTS_WORK)
    async def start_preparation(
        request: Request,
        caller: Admin,
        body: Annotated[PreparationBody, Depends(body_of(PreparationBody))],
        idempotency_key: IdempotencyKey = None,
    ) -> JSONResponse:
        """Accept a semantic model. `Location` says where to poll its preparation."""
        person = await caller.counted()
        label = await services.preparation.start(
            body.project_id, body.mdl, body.mdl_hash, idempotency_key, person=person
        )
        return preparing(request, body.project_id, label, {"id": label})

    @router.get("/semantics-preparations/{mdl_hash}/status", response_model=PreparationStatus, responses=NOT_FOUND)
    async def preparation_status(mdl_hash: str, caller: Curator, project_id: ProjectOfLabel = None) -> Response:
        """How far the preparation is; what is wrong with the model when it was refused."""

        async def status() -> dict[str, Any]:
            meant = await _project_of_label(services.preparation, mdl_hash, caller, project_id)
            return {"id": mdl_hash, **await services.preparation.status(meant, mdl_hash)}

        return await or_failed(status_of(status()), mdl_hash, compatibility)

    @router.get(
        "/semantics-preparations/{mdl_hash}/events",
        response_class=StreamingResponse,
        responses=NOT_FOUND | EVENTS,
    )
    async def preparation_events(
        mdl_hash: str, caller: Curator, project_id: ProjectOfLabel = None, last_seen: LastEventId = None
    ) -> Response:
        """How far the preparation is, whenever that changes: `state`, and `done` or `error` at the end. Each event has
        the whole status. `Last-Event-ID` goes on behind that event; 204 behind the last one."""
        meant = await _project_of_label(services.preparation, mdl_hash, caller, project_id)
        job_id = await services.preparation.job_id(meant, mdl_hash)
        return await follow(services.preparation.jobs, services, job_id, last_seen)

    @router.get("/projects", response_model_exclude_none=True)
    async def projects(caller: AnyCaller) -> ProjectsList:
        """Your projects: those that the configuration names, and those that have a model."""
        return ProjectsList(projects=await services.semantic_models.projects(caller.principal.may_use))

    @router.get("/semantics", response_model=DescribedModel, responses=NOT_FOUND | NOT_MODIFIED)
    async def semantics(caller: AnyCaller, project_id: Project, if_none_match: IfNoneMatch = None) -> Response:
        """The project's current model as it is asked about: tables, columns and relationships, without hidden columns,
        with values that everybody may see. Warnings are for those who may change it."""
        found = await services.semantic_models.describe(
            project_id, person=caller.person, with_warnings=caller.may("curate")
        )
        tag = f'"{found.digest}"'
        headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
        if is_known(tag, if_none_match):
            return Response(status_code=304, headers=headers)
        return Response(await asyncio.to_thread(found.to_json), media_type="application/json", headers=headers)

    @router.patch(
        "/semantics",
        status_code=202,
        response_model=PreparationStarted,
        responses=STARTS_WORK | NOT_FOUND | OUTDATED,
    )
    async def change_descriptions(
        request: Request, caller: Curator, body: DescriptionsBody, project_id: Project
    ) -> JSONResponse:
        """Change descriptions, synonyms, display names and units in the current model, and nothing else in it. It is
        prepared like one that is sent; `Location` says where to poll that."""
        label = await services.semantic_models.change(project_id, body.mdl_hash, body.changes, person=caller.person)
        return preparing(request, project_id, label, {"id": label})

    @router.delete("/semantics", responses=CHANGES, dependencies=ADMIN)
    async def delete_semantics(request: Request, project_id: Project) -> dict[str, str]:
        """Remove the project's model and its index, and nothing else (for `compatibility: wren_ui` its SQL pairs and
        instructions too). The project is said in the address; a body that
        says anything is refused."""
        if (await request.body()).strip() not in (b"", b"{}", b"null"):
            # It may name another project than the one that would go.
            raise InvalidRequest(*say("model.delete_takes_no_body"))
        await services.preparation.delete(project_id)
        if compatibility == "wren_ui":
            await services.knowledge.delete_all(project_id)
        return {"project_id": project_id}

    return router


async def _project_of_label(
    preparation: SemanticsPreparation, label: str, caller: Caller, project_id: str | None
) -> str:
    """The project that is named; else, of the caller's projects, the only one with that label."""
    meant = project_id or await preparation.project_of(label, caller.principal.may_use)
    caller.require_project(meant)
    return meant
