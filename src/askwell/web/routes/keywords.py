"""Keyword rules: words of questions that mean certain tables."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.exceptions import RequestValidationError

from askwell.jobs.request import ProjectId
from askwell.knowledge.keywords import check_pattern
from askwell.web.body_limit import body_limit
from askwell.web.responses import CHANGES, ERRORS
from askwell.web.schemas.common import ProjectSaid
from askwell.web.schemas.knowledge import Keyword, KeywordIdsBody, KeywordsBody, KeywordsNow
from askwell.web.services import Services

MAX_BODY = 4 * 1024 * 1024


def routes(services: Services) -> APIRouter:
    """The routes under /keywords."""
    router = APIRouter(prefix="/keywords", tags=["knowledge"], route_class=body_limit(MAX_BODY))

    @router.post("", response_model=KeywordsNow, responses=CHANGES)
    async def save_keywords(body: KeywordsBody, project_id: ProjectSaid = None) -> dict[str, Any]:
        """Store rules; one with a known id replaces it. They count from the next question on."""
        body = body.of(project_id)
        # Not while the body is read, which is on the event loop: hundreds of patterns take seconds.
        if refused := await asyncio.to_thread(lambda: list(_refused(body.keywords))):
            raise RequestValidationError(refused)
        keywords = [keyword.model_dump() for keyword in body.keywords]
        warnings = await services.knowledge.save_keywords(body.project_id, keywords)
        return {"keywords": await services.knowledge.keywords(body.project_id), "warnings": warnings}

    @router.get("", response_model=KeywordsNow, responses=ERRORS)
    async def list_keywords(project_id: Annotated[ProjectId, Query()] = "default") -> dict[str, Any]:
        """A project's rules."""
        return {"keywords": await services.knowledge.keywords(project_id)}

    @router.delete("", response_model=KeywordsNow, responses=CHANGES)
    async def delete_keywords(body: KeywordIdsBody, project_id: ProjectSaid = None) -> dict[str, Any]:
        """Remove rules by id, passing over unknown ones."""
        body = body.of(project_id)
        await services.knowledge.delete_keywords(body.project_id, body.keyword_ids)
        return {"keywords": await services.knowledge.keywords(body.project_id)}

    return router


def _refused(keywords: Sequence[Keyword]) -> Iterator[dict[str, Any]]:
    """The patterns that cannot be used, as validation tells of fields."""
    for number, keyword in enumerate(keywords):
        try:
            check_pattern(keyword.pattern)
        except ValueError as error:
            yield {"type": "value_error", "loc": ("body", "keywords", number, "pattern"), "msg": str(error)}
