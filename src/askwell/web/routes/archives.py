"""Whole projects as files: for backups, and to move them to another service."""

from __future__ import annotations

import asyncio
import tempfile
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import StreamingResponse

from askwell.archives import MOST_BYTES
from askwell.archives.parts import Option
from askwell.jobs.request import ProjectId
from askwell.web.body_limit import body_limit
from askwell.web.file_answers import BINARY, file_answer
from askwell.web.responses import CHANGES, ERRORS, Responses, error_answer
from askwell.web.schemas.archives import ProjectRead
from askwell.web.services import Services

_ZIP = "application/zip"
_SENT = {"requestBody": {"required": True, "content": {_ZIP: BINARY}}}
_BUSY: Responses = {409: error_answer("The project is not empty, or work on it goes on")}
# In an address, where there are texts alone.
YesOrNo = Literal["false", "true"]
InPath = Annotated[ProjectId, Path()]


def routes(services: Services) -> APIRouter:
    """The routes under /projects."""
    router = APIRouter(prefix="/projects", tags=["projects"], route_class=body_limit(MOST_BYTES))

    @router.get(
        "/{project_id}/archive",
        response_class=StreamingResponse,
        responses=ERRORS | _BUSY | {200: {"content": {_ZIP: BINARY}}},
    )
    async def write_project(
        project_id: InPath,
        with_history: Annotated[YesOrNo, Query(description="Conversations and their messages too.")] = "false",
        with_asks: Annotated[YesOrNo, Query(description="Asks that have ended too, with their answers.")] = "false",
    ) -> StreamingResponse:
        """The project as a file: models, saved knowledge, lessons, documents and agents; no embeddings, no secrets."""
        chosen: dict[Option, YesOrNo] = {"history": with_history, "asks": with_asks}
        options = [option for option, wanted in chosen.items() if wanted == "true"]
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been sent
        try:
            await services.archives.write(project_id, file, options)
        except BaseException:
            file.close()
            raise
        return file_answer(file, _ZIP, f"{project_id}.askwell.zip")

    @router.put("/{project_id}/archive", response_model=ProjectRead, responses=CHANGES | _BUSY, openapi_extra=_SENT)
    async def read_project(
        request: Request,
        project_id: InPath,
        replace: Annotated[YesOrNo, Query(description="In the place of what the project has.")] = "false",
    ) -> dict[str, Any]:
        """Read a project from a file that another one was written to, all of it or nothing."""
        with tempfile.TemporaryFile() as file:
            async for piece in request.stream():
                await asyncio.to_thread(file.write, piece)
            read = await services.archives.read(project_id, file, replace=replace == "true")
        return {
            "project_id": project_id,
            "made_of": read.made_of,
            "parts": dict(read.parts),
            "warnings": list(read.warnings),
        }

    return router
