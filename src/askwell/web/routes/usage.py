"""What a project's asks came to."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from askwell.jobs.request import ProjectId
from askwell.web.responses import ERRORS
from askwell.web.schemas.usage import Usage
from askwell.web.services import Services


def routes(services: Services) -> APIRouter:
    """GET /usage."""
    router = APIRouter(tags=["usage"])

    @router.get("/usage", response_model=Usage, responses=ERRORS)
    async def usage(
        project_id: Annotated[ProjectId, Query()] = "default",
        days: Annotated[int, Query(ge=1, le=366, description="How many days, today the last of them.")] = 30,
    ) -> Any:
        """A project's asks in numbers: those of each day (in UTC), why some failed, and what wrote the SQL of answers.
        The questions that stand as examples are those that `GET /asks` lists too."""
        return await services.history.usage(project_id, days)

    return router
