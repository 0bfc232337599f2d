"""SQL pairs: saved questions with their SQL."""

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
from askwell.web.schemas.knowledge import EventStarted, EventStatus, SqlPairIdsBody, SqlPairsBody, SqlPairsNow
from askwell.web.services import Services

MAX_BODY = 4 * 1024 * 1024


def routes(services: Services, compatibility: Compatibility) -> APIRouter:
    """The routes under /sql-pairs."""
    router = APIRouter(prefix="/sql-pairs", tags=["knowledge"], route_class=body_limit(MAX_BODY))

    @router.post("", status_code=202, response_model=EventStarted, responses=STARTS_WORK)
    async def save_sql_pairs(
        request: Request, body: SqlPairsBody, idempotency_key: IdempotencyKey = None, project_id: ProjectSaid = None
    ) -> JSONResponse:
        """Store pairs; one with a known id replaces it. `Location` says where to poll."""
        pairs = [pair.model_dump(exclude_none=True) for pair in body.sql_pairs]
        project = body.of(project_id).project_id
        event_id = await services.knowledge.save_sql_pairs(project, pairs, idempotency_key, strict=body.strict)
        return started(request, {"event_id": event_id}, f"/sql-pairs/{event_id}")

    @router.get("", response_model=SqlPairsNow, response_model_exclude_none=True, responses=ERRORS)
    async def list_sql_pairs(
        project_id: Annotated[ProjectId, Query()] = "default",
        limit: Annotated[PageSize, Query()] = 100,
        offset: Annotated[PageOffset, Query()] = 0,
    ) -> dict[str, Any]:
        """A project's pairs: `limit` of them after the first `offset`, in the order in which they were saved."""
        page, total = await services.knowledge.sql_pairs(project_id, offset, limit)
        return {"sql_pairs": page, "total": total}

    @router.delete("", status_code=202, response_model=EventStarted, responses=STARTS_WORK)
    async def delete_sql_pairs(
        request: Request, body: SqlPairIdsBody, idempotency_key: IdempotencyKey = None, project_id: ProjectSaid = None
    ) -> JSONResponse:
        """Remove pairs by id. `Location` says where to poll."""
        project, ids = body.of(project_id).project_id, body.sql_pair_ids
        event_id = await services.knowledge.delete_sql_pairs(project, ids, idempotency_key)
        return started(request, {"event_id": event_id}, f"/sql-pairs/{event_id}")

    @router.get("/{event_id}", response_model=EventStatus, responses=NOT_FOUND)
    async def sql_pairs_event(event_id: str, project_id: ProjectSaid = None) -> Response:
        """How far a change to the pairs is."""
        status = services.knowledge.event(event_id, "sql_pair", project_id)
        return await told(status, event_id, compatibility)

    async def of_project(job_id: str, project_id: ProjectSaid = None) -> None:
        if project_id is not None:
            await services.knowledge.jobs["sql_pair"].require_project(job_id, project_id)

    add_events(router, services, lambda: services.knowledge.jobs["sql_pair"], "sql pair", [Depends(of_project)])
    return router
