"""Lessons: what a project has learnt of the words that people use, of errors and of good SQL, in the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection, Row, select

from askwell.field_types import PathId
from askwell.knowledge.jobs import Change
from askwell.knowledge.rows import delete_by, insert_or_replace, own, row_of, value_of
from askwell.knowledge.schema import lessons as lesson_rows

LessonKind = Literal["table_mapping", "column_mapping", "metric", "error_pattern", "query_pattern"]
LessonOrigin = Literal["manual", "correction", "accepted", "verified", "recovery", "feedback"]
LessonStatus = Literal["candidate", "active", "retired", "refused"]

Count = Annotated[int, Field(ge=0)]

# What a lesson is taken to be right with before it was used. Of two that contradict each other the higher one counts.
PRIORS: Mapping[LessonOrigin, float] = {
    "manual": 1.0,
    "correction": 0.95,
    "accepted": 0.9,
    "verified": 0.85,
    "recovery": 0.8,
    "feedback": 0.8,
}
SEEN_AGAIN = 0.9
LEAST_CONFIDENCE = 0.4
# Uses that the first estimate weighs as much as.
_WEIGHT = 2
# What one project may have; all of them are read with each question, in about a millisecond.
MAX_LESSONS = 2_000
MAX_SOURCES = 20


@dataclass(frozen=True, slots=True)
class Lesson:
    """`about` is what a project has one active lesson of its sort for, such as the words that are mapped. `sources` are
    the asks that it was learnt from, `replaces` the lessons that it took the place of. Of its `uses` those were
    `successes` of which nobody has said otherwise. A `candidate` is a proposal: a hint to language models, of which
    only answers that a person has judged are counted."""

    id: PathId
    kind: LessonKind
    about: str
    body: Mapping[str, Any]
    origin: LessonOrigin
    status: LessonStatus
    note: str = ""
    uses: Count = 0
    successes: Count = 0
    sources: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def confidence(self) -> float:
        """How likely it is to be right (0 to 1): its success rate, smoothed by where it comes from (Laplace)."""
        again = self.origin == "recovery" and len(self.sources) > 1
        prior = SEEN_AGAIN if again else PRIORS[self.origin]
        return (self.successes + _WEIGHT * prior) / (self.uses + _WEIGHT)

    def used(self, uses: int, successes: int) -> Lesson:
        """With so many uses and successes more (or fewer). Retired where it is more often wrong than may be."""
        changed = replace(
            self, uses=max(0, self.uses + uses), successes=max(0, min(self.successes + successes, self.uses + uses))
        )
        wrong = changed.status in ("active", "candidate") and changed.confidence < LEAST_CONFIDENCE
        return replace(changed, status="retired") if wrong else changed

    def wire(self) -> dict[str, Any]:
        """JSON-ready, as clients see it."""
        names = ("id", "kind", "body", "origin", "status", "uses", "successes")
        body: dict[str, Any] = {name: getattr(self, name) for name in names}
        body |= {"confidence": round(self.confidence, 3), "created_at": self.created_at.isoformat()}
        if self.note:
            body["note"] = self.note
        if self.sources:
            body["source_ask_id"] = self.sources[0]
        return body


Lessons = Mapping[str, Lesson]
# From what a project has, by id, to what is different later: None for a lesson that is removed.
Revision = Callable[[Lessons], Mapping[str, Lesson | None]]


def read_lessons(connection: Connection, project_id: str) -> dict[str, Lesson]:
    """A project's lessons by id, the oldest first."""
    statement = select(lesson_rows).where(own(lesson_rows, project_id))
    rows = connection.execute(statement.order_by(lesson_rows.c.created_at, lesson_rows.c.id))
    return {row.id: _lesson(row) for row in rows}


def _lesson(row: Row[Any]) -> Lesson:
    lesson = value_of(Lesson, row)
    # Development versions, whose records and archives may still be read, let guesses of a machine count at once.
    guessed = lesson.origin == "recovery" or (lesson.origin == "feedback" and lesson.kind != "query_pattern")
    if guessed and lesson.status == "active":
        return replace(lesson, status="candidate", uses=0, successes=0)
    return lesson


def revising(project_id: str, revise: Revision) -> Change:
    """Changes a project's lessons by what there is at the time of writing."""

    def run(connection: Connection) -> None:
        changed = revise(read_lessons(connection, project_id))
        gone = [lesson_id for lesson_id, lesson in changed.items() if lesson is None]
        delete_by(connection, lesson_rows, project_id, "id", gone)
        kept = [row_of(lesson, project_id=project_id) for lesson in changed.values() if lesson is not None]
        insert_or_replace(connection, lesson_rows, kept)

    return run
