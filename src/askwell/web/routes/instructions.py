"""Instructions: rules that people give for answering."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response

from askwell.jobs.request import ProjectId
from askwell.web.body_limit import body_limit
from askwell.web.compatibility import Compatibility, told
from askwell.web.polling import IdempotencyKey, add_events
from askwell.web.responses import ERRORS, NOT_FOUND, STARTS_WORK, started
from askwell.web.schemas.common import PageOffset, PageSize, ProjectSaid
from askwell.web.schemas.knowledge import (
    EventStarted,
    EventStatus,
    InstructionIdsBody,
    InstructionsBody,
    InstructionsNow,
)
from askwell.web.services import Services

MAX_BODY = 4 * 1024 * 1024


def routes(services: Services, compatibility: Compatibility) -> APIRouter:
    """The routes under /instructions."""
    router = APIRouter(prefix="/instructions", tags=["knowledge"], route_class=body_limit(MAX_BODY))

    @router.post("", status_code=202, response_model=EventStarted, responses=STARTS_WORK)
    async def save_instructions(
        request: Request, body: InstructionsBody, idempotency_key: IdempotencyKey = None, project_id: ProjectSaid = None
    ) -> JSONResponse:
        """Store instructions; one with a known id replaces it. `Location` says where to poll."""
        instructions = [instruction.model_dump() for instruction in body.instructions]
        project = body.of(project_id).project_id
        event_id = await services.knowledge.save_instructions(project, instructions, idempotency_key)
        return started(request, {"event_id": event_id}, f"/instructions/{event_id}")

    @router.get("", response_model=InstructionsNow, responses=ERRORS)
    async def list_instructions(
        project_id: Annotated[ProjectId, Query()] = "default",
        limit: Annotated[PageSize, Query()] = 100,
        offset: Annotated[PageOffset, Query()] = 0,
    ) -> dict[str, Any]:
        """A project's instructions: `limit` of them after the first `offset`, in the order in which they were saved."""
        page, total = await services.knowledge.instructions(project_id, offset, limit)
        return {"instructions": page, "total": total}

    @router.delete("", status_code=202, response_model=EventStarted, responses=STARTS_WORK)
    async def delete_instructions(
        request: Request,
        body: InstructionIdsBody,
        idempotency_key: IdempotencyKey = None,
        project_id: ProjectSaid = None,
    ) -> JSONResponse:
        """Remove instructions by id. `Location` says where to poll."""
        project, ids = body.of(project_id).project_id, body.instruction_ids
        event_id = await services.knowledge.delete_instructions(project, ids, idempotency_key)
        return started(request, {"event_id": event_id}, f"/instructions/{event_id}")

    @router.get("/{event_id}", response_model=EventStatus, responses=NOT_FOUND)
    async def instructions_event(event_id: str, project_id: ProjectSaid = None) -> Response:
        """How far a change to the instructions is."""
        status = services.knowledge.event(event_id, "instruction", project_id)
        return await told(status, event_id, compatibility)

    async def of_project(job_id: str, project_id: ProjectSaid = None) -> None:
        if project_id is not None:
            await services.knowledge.jobs["instruction"].require_project(job_id, project_id)

    add_events(router, services, lambda: services.knowledge.jobs["instruction"], "instruction", [Depends(of_project)])
    return router
