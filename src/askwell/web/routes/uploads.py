"""Database and CSV files that people send: each becomes a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.datastructures import UploadFile

from askwell.errors import InvalidRequest
from askwell.web.deps import AnyCaller, ProjectInPath
from askwell.web.responses import CHANGES, NOT_FOUND, STARTS_WORK, Responses, error_answer, preparing
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

# A form has a little around its file.
_AROUND = 64 * 1024
_MOST_FIELDS = 5
_LONGEST_NAME = 256
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "project_id": {"type": "string", "description": "What the project's id begins with."},
                    },
                }
            }
        },
    }
}
_FULL: Responses = {409: error_answer("There are as many uploaded projects as this service keeps")}


class UploadStarted(BaseModel):
    """The project that a file became, and the label of its model."""

    project_id: str
    mdl_hash: str


class UploadRemoved(BaseModel):
    project_id: str


def routes(services: Container) -> APIRouter:
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
            raise InvalidRequest("The body is no form.", "Send the file as the part `file` of a form.")
        async with request.form(max_files=1, max_fields=_MOST_FIELDS) as form:
            file, wanted = form.get("file"), form.get("project_id")
            if not isinstance(file, UploadFile):
                raise InvalidRequest("The form has no file.", "Send it as the part `file`.")
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
