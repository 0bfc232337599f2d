"""Semantic models: prepare one, follow its preparation, remove it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from askwell.web.body_limit import body_limit
from askwell.web.responses import ERRORS, NOT_FOUND, STARTS_WORK, started
from askwell.web.schemas.common import ProjectId
from askwell.web.schemas.semantics import PreparationBody, PreparationStarted, PreparationStatus
from askwell.web.services import Services

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

    @router.delete("/semantics", responses=ERRORS)
    async def delete_semantics(project_id: Annotated[ProjectId, Query()] = "default") -> dict[str, str]:
        """Remove the project's model and its index, and nothing else."""
        await services.preparation.delete(project_id)
        return {"project_id": project_id}

    return router
