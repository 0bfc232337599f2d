"""SQL pairs: saved questions with their SQL."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from askwell.web.body_limit import body_limit
from askwell.web.responses import ERRORS, NOT_FOUND, STARTS_WORK, started
from askwell.web.schemas.common import PageOffset, PageSize, ProjectId
from askwell.web.schemas.knowledge import EventStarted, EventStatus, SqlPairIdsBody, SqlPairsBody, SqlPairsNow
from askwell.web.services import Services

MAX_BODY = 4 * 1024 * 1024


def routes(services: Services) -> APIRouter:
    """The routes under /sql-pairs."""
    router = APIRouter(prefix="/sql-pairs", tags=["knowledge"], route_class=body_limit(MAX_BODY))

    @router.post("", status_code=202, response_model=EventStarted, responses=STARTS_WORK)
    async def save_sql_pairs(request: Request, body: SqlPairsBody) -> JSONResponse:
        """Store pairs; one with a known id replaces it. `Location` says where to poll."""
        pairs = [pair.model_dump() for pair in body.sql_pairs]
        event_id = await services.knowledge.save_sql_pairs(body.project_id, pairs)
        return started(request, {"event_id": event_id}, f"/sql-pairs/{event_id}")

    @router.get("", response_model=SqlPairsNow, responses=ERRORS)
    async def list_sql_pairs(
        project_id: Annotated[ProjectId, Query()] = "default",
        limit: Annotated[PageSize, Query()] = 100,
        offset: Annotated[PageOffset, Query()] = 0,
    ) -> dict[str, Any]:
        """A project's pairs: `limit` of them after the first `offset`, in the order in which they were saved."""
        page, total = await services.knowledge.sql_pairs(project_id, offset, limit)
        return {"sql_pairs": page, "total": total}

    @router.delete("", status_code=202, response_model=EventStarted, responses=STARTS_WORK)
    async def delete_sql_pairs(request: Request, body: SqlPairIdsBody) -> JSONResponse:
        """Remove pairs by id. `Location` says where to poll."""
        event_id = await services.knowledge.delete_sql_pairs(body.project_id, body.sql_pair_ids)
        return started(request, {"event_id": event_id}, f"/sql-pairs/{event_id}")

    @router.get("/{event_id}", response_model=EventStatus, responses=NOT_FOUND)
    async def sql_pairs_event(event_id: str) -> JSONResponse:
        """How far a change to the pairs is."""
        return JSONResponse(dict(await services.knowledge.event(event_id, "sql_pair")))

    return router
