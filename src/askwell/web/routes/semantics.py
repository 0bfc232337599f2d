"""Semantic models: prepare one, follow its preparation, remove it."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from askwell.errors import InvalidRequest
from askwell.jobs.request import DEFAULT_PROJECT, ProjectId
from askwell.web.body_limit import body_limit
from askwell.web.compatibility import Compatibility, told
from askwell.web.polling import IdempotencyKey, follow
from askwell.web.responses import CHANGES, EVENTS, NOT_FOUND, STARTS_WORK, started
from askwell.web.schemas.common import ProjectSaid
from askwell.web.schemas.semantics import PreparationBody, PreparationStarted, PreparationStatus
from askwell.web.services import Services
from askwell.web.sse import LastEventId

# A model of five thousand tables with twenty described columns each.
MAX_BODY = 32 * 1024 * 1024

ProjectOfLabel = Annotated[
    ProjectId | None,
    Query(description="Left out: `default`, or else the only project that a model was sent for under this name."),
]


def routes(services: Services, compatibility: Compatibility) -> APIRouter:
    """The routes under /semantics-preparations, and DELETE /semantics."""
    router = APIRouter(tags=["semantics"], route_class=body_limit(MAX_BODY))

    @router.post("/semantics-preparations", status_code=202, response_model=PreparationStarted, responses=STARTS_WORK)
    async def start_preparation(
        request: Request, body: PreparationBody, idempotency_key: IdempotencyKey = None, project_id: ProjectSaid = None
    ) -> JSONResponse:
        """Accept a semantic model. `Location` says where to poll its preparation."""
        body = body.of(project_id)
        label = await services.preparation.start(body.project_id, body.mdl, body.mdl_hash, idempotency_key)
        where = f"/semantics-preparations/{quote(label, safe='')}/status"
        if body.project_id != DEFAULT_PROJECT:
            where += f"?project_id={quote(body.project_id, safe='')}"
        return started(request, {"id": label}, where)

    @router.get("/semantics-preparations/{mdl_hash}/status", response_model=PreparationStatus, responses=NOT_FOUND)
    async def preparation_status(mdl_hash: str, project_id: ProjectOfLabel = None) -> Response:
        """How far the preparation is; what is wrong with the model when it was refused."""

        async def status() -> dict[str, Any]:
            return {"id": mdl_hash, **await services.preparation.status(project_id, mdl_hash)}

        return await told(status(), mdl_hash, compatibility)

    @router.get(
        "/semantics-preparations/{mdl_hash}/events",
        response_class=StreamingResponse,
        responses=NOT_FOUND | EVENTS,
    )
    async def preparation_events(
        mdl_hash: str, project_id: ProjectOfLabel = None, last_seen: LastEventId = None
    ) -> Response:
        """How far the preparation is, whenever that changes: `state`, and `done` or `error` at the end. Each event has
        the whole status. `Last-Event-ID` goes on behind that event; 204 behind the last one."""
        job_id = await services.preparation.job_id(project_id, mdl_hash)
        return await follow(services.preparation.jobs, services, job_id, last_seen)

    @router.delete("/semantics", responses=CHANGES)
    async def delete_semantics(
        request: Request, project_id: Annotated[ProjectId, Query()] = "default"
    ) -> dict[str, str]:
        """Remove the project's model and its index, and nothing else (for `compatibility: wren_ui` its SQL pairs and
        instructions too). The project is said in the address; a body that
        says anything is refused."""
        if (await request.body()).strip() not in (b"", b"{}", b"null"):
            # It may name another project than the one that would go.
            raise InvalidRequest(
                "This route takes no body.", "Say the project in the address: DELETE /v1/semantics?project_id=…"
            )
        await services.preparation.delete(project_id)
        if compatibility == "wren_ui":
            await services.knowledge.delete_all(project_id)
        return {"project_id": project_id}

    return router
