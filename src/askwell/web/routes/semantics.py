"""Semantic models: prepare one, follow its preparation, remove it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse

from askwell.web.body_limit import body_limit
from askwell.web.responses import ERRORS, NOT_FOUND, STARTS_WORK, started
from askwell.web.schemas.common import ProjectId
from askwell.web.schemas.semantics import PreparationBody, PreparationStarted, PreparationStatus
from askwell.web.services import Services
from askwell.web.sse import LastEventId, ServerEvent, event_stream, last_event_id

# How often a followed preparation is looked at, in seconds.
_LOOK_SECONDS = 0.2
# A model of five thousand tables with twenty described columns each.
MAX_BODY = 32 * 1024 * 1024


def routes(services: Services) -> APIRouter:
    """The routes under /semantics-preparations, and DELETE /semantics."""
    router = APIRouter(tags=["semantics"], route_class=body_limit(MAX_BODY))

    @router.post("/semantics-preparations", status_code=202, response_model=PreparationStarted, responses=STARTS_WORK)
    async def start_preparation(request: Request, body: PreparationBody) -> JSONResponse:
        """Accept a semantic model. `Location` says where to poll its preparation."""
        label = await services.preparation.start(body.project_id, body.mdl, body.mdl_hash)
        where = f"/semantics-preparations/{quote(label, safe='')}/status?project_id={quote(body.project_id, safe='')}"
        return started(request, {"id": label}, where)

    @router.get("/semantics-preparations/{mdl_hash}/status", response_model=PreparationStatus, responses=NOT_FOUND)
    async def preparation_status(mdl_hash: str, project_id: Annotated[ProjectId, Query()] = "default") -> JSONResponse:
        """How far the preparation is; what is wrong with the model when it was refused."""
        return JSONResponse(dict(await services.preparation.status(project_id, mdl_hash)))

    @router.get(
        "/semantics-preparations/{mdl_hash}/events",
        response_class=StreamingResponse,
        responses=NOT_FOUND | {200: {"content": {"text/event-stream": {}}}},
    )
    async def preparation_events(
        mdl_hash: str, project_id: Annotated[ProjectId, Query()] = "default", last_seen: LastEventId = None
    ) -> StreamingResponse:
        """How far the preparation is, whenever that changes: `state`, and `done` or `error` at the end. Each event has
        the whole status, so whoever comes back with `Last-Event-ID` gets the present one."""
        first = await services.preparation.status(project_id, mdl_hash)
        events = _follow(services, project_id, mdl_hash, first, last_event_id(last_seen) or 0)
        return event_stream(events, services.ending)

    @router.delete("/semantics", responses=ERRORS)
    async def delete_semantics(project_id: Annotated[ProjectId, Query()] = "default") -> dict[str, str]:
        """Remove the project's model and its index, and nothing else."""
        await services.preparation.delete(project_id)
        return {"project_id": project_id}

    return router


async def _follow(
    services: Services, project_id: str, label: str, status: Mapping[str, Any], last_id: int
) -> AsyncIterator[ServerEvent]:
    shown: Mapping[str, Any] | None = None
    while True:
        if status != shown:
            shown = status
            last_id = max(last_id + 1, time.time_ns() // 1_000_000)
            name = {"finished": "done", "failed": "error"}.get(status["status"], "state")
            yield ServerEvent(last_id, name, status)
            if name != "state":
                return
        await asyncio.sleep(_LOOK_SECONDS)
        status = await services.preparation.status(project_id, label)
