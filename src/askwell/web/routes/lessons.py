"""Lessons: what a project has learnt of words, errors and good SQL."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from askwell.field_types import Identifier
from askwell.jobs.request import Body
from askwell.knowledge.lessons import MAX_LESSONS, LessonKind, LessonOrigin, LessonStatus
from askwell.services.lessons.bodies import LessonChange, NewLesson, Sentence
from askwell.services.lessons.book import MAX_CHARACTERS
from askwell.web.deps import InPage, Project, body_of
from askwell.web.responses import CHANGES, ERRORS, NOT_FOUND, Responses
from askwell.web.routing import router as new_router

if TYPE_CHECKING:
    from askwell.container import Container

MAX_BODY = 8 * 1024 * 1024
_LISTED = {"type": "array", "items": {"type": "object"}}
_YAML: Responses = {200: {"content": {"application/yaml": {"schema": _LISTED}}}}


class Lesson(BaseModel):
    """What a project has learnt. `confidence` is from 0 to 1; `problem` says why the model as it is today has no use
    for it."""

    id: str
    kind: LessonKind
    body: dict[str, Any]
    origin: LessonOrigin
    status: LessonStatus
    confidence: float
    uses: int
    successes: int
    created_at: datetime
    note: str | None = None
    source_ask_id: str | None = None
    problem: str | None = None


class LessonsPage(BaseModel):
    """A page of the project's lessons, oldest first; `total` is how many fit."""

    lessons: list[Lesson]
    total: int


class LessonsBody(Body):
    lessons: Annotated[list[NewLesson], Field(min_length=1, max_length=MAX_LESSONS)]


class LessonsKept(BaseModel):
    """As they are kept; `problems` are of those of a file that are not."""

    lessons: list[Lesson]
    problems: list[str] = []


class LessonIdsBody(Body):
    lesson_ids: Annotated[list[Identifier], Field(max_length=MAX_LESSONS)]


class LessonChangeBody(Body):
    """What is to be different; what is absent stays."""

    status: LessonStatus | None = None
    body: dict[str, Any] | None = None
    note: Sentence | None = None


class LessonFileBody(Body):
    """The text of a YAML file, as the export writes it."""

    yaml: Annotated[str, Field(max_length=MAX_CHARACTERS)]


class PatchOperation(BaseModel):
    """One operation of a JSON Patch (RFC 6902)."""

    op: str
    path: str
    value: Any


def routes(services: Container) -> APIRouter:
    """The routes under /lessons."""
    router = new_router("/lessons", tag="lessons", role="curate", most_bytes=MAX_BODY)

    @router.get("", response_model=LessonsPage, responses=ERRORS, response_model_exclude_none=True)
    async def list_lessons(
        project_id: Project,
        shown: InPage,
        kind: Annotated[LessonKind | None, Query()] = None,
        status: Annotated[LessonStatus | None, Query()] = None,
        origin: Annotated[LessonOrigin | None, Query()] = None,
    ) -> dict[str, Any]:
        """A project's lessons, oldest first."""
        page, total = await services.lessons.page(
            project_id, kind=kind, status=status, origin=origin, limit=shown.limit, offset=shown.offset
        )
        return {"lessons": page, "total": total}

    @router.post("", response_model=LessonsKept, responses=CHANGES, response_model_exclude_none=True)
    async def add_lessons(body: Annotated[LessonsBody, Depends(body_of(LessonsBody))]) -> dict[str, Any]:
        """Teach. They count from the next question on; one that the model does not bear out is refused with the nearest
        names, and none of them is kept then."""
        return {"lessons": await services.lessons.add(body.project_id, body.lessons)}

    @router.delete("", response_model=LessonsPage, responses=CHANGES, response_model_exclude_none=True)
    async def delete_lessons(body: Annotated[LessonIdsBody, Depends(body_of(LessonIdsBody))]) -> dict[str, Any]:
        """Remove lessons by id, passing over unknown ones; what is left."""
        await services.lessons.delete(body.project_id, body.lesson_ids)
        page, total = await services.lessons.page(body.project_id)
        return {"lessons": page, "total": total}

    @router.get("/export", response_class=Response, responses=ERRORS | _YAML)
    async def export_lessons(project_id: Project) -> Response:
        """The active lessons as YAML, as `lessons_file` and the import read them."""
        return Response(await services.lessons.export(project_id), media_type="application/yaml")

    @router.post("/import", response_model=LessonsKept, responses=CHANGES, response_model_exclude_none=True)
    async def import_lessons(body: Annotated[LessonFileBody, Depends(body_of(LessonFileBody))]) -> dict[str, Any]:
        """Keep the lessons of a YAML file. What is wrong with single ones does not keep the others out."""
        kept, problems = await services.lessons.load(body.project_id, body.yaml)
        return {"lessons": kept, "problems": problems}

    @router.get("/model-patch", response_model=list[PatchOperation], responses=ERRORS)
    async def lessons_as_model_patch(project_id: Project) -> list[dict[str, Any]]:
        """The active mappings as a JSON Patch (RFC 6902) of the semantic model: synonyms, to be reviewed."""
        return await services.lessons.model_patch(project_id)

    @router.patch(
        "/{lesson_id}", response_model=Lesson, responses=NOT_FOUND | CHANGES, response_model_exclude_none=True
    )
    async def change_lesson(
        lesson_id: Identifier, body: Annotated[LessonChangeBody, Depends(body_of(LessonChangeBody))]
    ) -> dict[str, Any]:
        """Approve (`active`) or refuse a lesson, correct what it says, or annotate it."""
        change = LessonChange(status=body.status, body=body.body, note=body.note)
        return await services.lessons.change(body.project_id, lesson_id, change)

    @router.post("/{lesson_id}/revert", response_model=LessonsPage, responses=NOT_FOUND | CHANGES)
    async def revert_lesson(lesson_id: Identifier, project_id: Project) -> dict[str, Any]:
        """Undo a lesson and what was made of it: it is not learnt again, and what it took the place of counts again."""
        await services.lessons.revert(project_id, lesson_id)
        page, total = await services.lessons.page(project_id)
        return {"lessons": page, "total": total}

    return router
