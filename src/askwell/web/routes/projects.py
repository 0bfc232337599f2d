"""Projects and files: whole projects as archives, for backups and to move them to another service, and projects made of
database and CSV files that people send."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel
from starlette.datastructures import UploadFile

from askwell.archives import MOST_BYTES, ProjectArchives
from askwell.archives.parts import OPTIONS, Option
from askwell.errors import Forbidden, InvalidRequest
from askwell.messages import say
from askwell.web.deps import AnyCaller, ProjectInPath
from askwell.web.responses import (
    BINARY,
    CHANGES,
    ERRORS,
    NOT_FOUND,
    STARTS_WORK,
    Responses,
    error_answer,
    file_answer,
    file_form,
    preparing,
)
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

_ZIP = "application/zip"
_SENT = {"requestBody": {"required": True, "content": {_ZIP: BINARY}}}
_BUSY: Responses = {409: error_answer("The project is not empty, or busy")}
# In an address, where there are texts alone.
YesOrNo = Literal["false", "true"]


class ProjectRead(BaseModel):
    """A project that was read from an archive: `made_of` is the one that it was written of, `parts` are the rows of
    each part."""

    project_id: str
    made_of: str
    parts: dict[str, int]
    warnings: list[str]


def archives(services: Container) -> APIRouter:
    """The routes under /projects."""
    router = new_router("/projects", tag="projects", role="admin", most_bytes=MOST_BYTES)

    @router.get(
        "/{project_id}/archive",
        response_class=StreamingResponse,
        responses=ERRORS | _BUSY | {200: {"content": {_ZIP: BINARY}}},
    )
    async def write_project(
        caller: AnyCaller,
        project_id: ProjectInPath,
        with_history: Annotated[YesOrNo, Query(description="Conversations and their messages too.")] = "false",
        with_asks: Annotated[YesOrNo, Query(description="Asks that have ended too, with their answers.")] = "false",
    ) -> StreamingResponse:
        """The project as a file: models, saved knowledge, lessons, documents and agents; no embeddings, no secrets."""
        chosen: dict[Option, YesOrNo] = {"history": with_history, "asks": with_asks}
        options = [option for option, wanted in chosen.items() if wanted == "true"]
        if not caller.is_anybody:
            await _require_everybodys(services.archives, project_id, options)
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
        caller: AnyCaller,
        project_id: ProjectInPath,
        replace: Annotated[YesOrNo, Query(description="In the place of what the project has.")] = "false",
    ) -> dict[str, Any]:
        """Read a project from a file that another one was written to, all of it or nothing."""
        with tempfile.TemporaryFile() as file:
            async for piece in request.stream():
                await asyncio.to_thread(file.write, piece)
            parts = OPTIONS if caller.is_anybody else ()
            read = await services.archives.read(project_id, file, replace=replace == "true", options=parts)
        return {
            "project_id": project_id,
            "made_of": read.made_of,
            "parts": dict(read.parts),
            "warnings": list(read.warnings),
        }

    return router


async def _require_everybodys(archives: ProjectArchives, project_id: str, options: Sequence[Option]) -> None:
    """Raises `Forbidden` where the file would hold what is a person's own: an administrator sees no more of others than
    anybody does."""
    if options:
        raise Forbidden(*say("archive.belongs_to_others"))
    if await archives.hides_rows(project_id):
        raise Forbidden(*say("archive.readers_differ", project_id=project_id))


# A form has a little around its file.
_AROUND = 64 * 1024
_MOST_FIELDS = 5
_LONGEST_NAME = 256
_PROJECT = {"type": "string", "description": "What the project's id begins with."}
_FORM = {"requestBody": {"required": True, "content": {"multipart/form-data": file_form(project_id=_PROJECT)}}}
_FULL: Responses = {409: error_answer("There are as many uploaded projects as this service keeps")}


class UploadStarted(BaseModel):
    """The project that a file became, and the label of its model."""

    project_id: str
    mdl_hash: str


class UploadRemoved(BaseModel):
    project_id: str


def uploads(services: Container) -> APIRouter:
    """The routes under /uploads."""
    router = new_router(
        "/uploads", tag="uploads", role="admin", most_bytes=lambda: services.uploads.most_bytes + _AROUND
    )

    @router.post("", status_code=202, response_model=UploadStarted, responses=STARTS_WORK | _FULL, openapi_extra=_FORM)
    async def upload(request: Request, caller: AnyCaller) -> JSONResponse:
        """Make a project of a SQLite, DuckDB or CSV file. Its id is made of `project_id`, or of the file's name;
        `Location` says where to poll the preparation of its model."""
        services.uploads.require_room()
        if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
            raise InvalidRequest(*say("uploads.no_form"))
        async with request.form(max_files=1, max_fields=_MOST_FIELDS) as form:
            file, wanted = form.get("file"), form.get("project_id")
            if not isinstance(file, UploadFile):
                raise InvalidRequest(*say("documents.no_file"))
            name = (file.filename or "data")[-_LONGEST_NAME:]
            named = wanted[:_LONGEST_NAME] if isinstance(wanted, str) and wanted.strip() else None
            project_id, label = await services.uploads.add(file.file, name, named, await caller.counted())
        caller.projects.add(project_id)
        return preparing(request, project_id, label, {"project_id": project_id, "mdl_hash": label})

    @router.delete("/{project_id}", response_model=UploadRemoved, responses=CHANGES | NOT_FOUND)
    async def remove(project_id: ProjectInPath) -> dict[str, Any]:
        """Remove an uploaded project: its file, its models and index, and its saved questions and instructions."""
        await services.uploads.delete(project_id)
        return {"project_id": project_id}

    return router
