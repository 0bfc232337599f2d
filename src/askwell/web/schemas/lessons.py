"""Bodies of the lesson routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from askwell.jobs.request import Body, Identifier
from askwell.knowledge.lessons import MAX_LESSONS, LessonKind, LessonOrigin, LessonStatus
from askwell.services.lessons.bodies import NewLesson, Sentence
from askwell.services.lessons.book import MAX_CHARACTERS


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
