"""What a project consists of: its models, knowledge, lessons, documents, archives and files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import IO, Any, Protocol

from askwell.archives.parts import Option
from askwell.archives.service import Imported
from askwell.knowledge.lessons import LessonKind, LessonOrigin, LessonStatus
from askwell.knowledge.saved import EventKind
from askwell.services.current_models import ListedProject
from askwell.services.described_model import ModelDescription
from askwell.services.description_changes import DescriptionChange
from askwell.services.lessons.bodies import LessonChange, NewLesson
from askwell.web.ports.jobs import JobDoor


class Preparation(Protocol):
    """Semantic models on their way into the index."""

    async def start(
        self,
        project_id: str,
        mdl: str | Mapping[str, Any],
        label: str | None = None,
        idempotency_key: str | None = None,
    ) -> str:
        """Accept a model (JSON text or the object) and return the label to poll it by: the client's, or one made from
        the content. Raises `Busy` and `ShuttingDown`."""
        ...

    async def status(self, project_id: str | None, label: str) -> Mapping[str, Any]:
        """`{status, error?, progress?, warnings?}`. Raises `NotFound`."""
        ...

    @property
    def jobs(self) -> JobDoor:
        """Preparations, by the ids of their jobs."""
        ...

    async def job_id(self, project_id: str | None, label: str) -> str:
        """The id, among `jobs`, of the latest preparation under a label; without a project, of `default`, or else of
        the only project that has it. Raises `NotFound`."""
        ...

    async def delete(self, project_id: str) -> None:
        """Remove the project's model and index, and nothing else."""
        ...


class SemanticModels(Protocol):
    """The current models of projects."""

    async def projects(self) -> list[ListedProject]:
        """The projects that there are, by id."""
        ...

    async def describe(self, project_id: str) -> ModelDescription:
        """The current model of a project. Raises `NotFound` and `InvalidRequest`."""
        ...

    async def change(self, project_id: str, mdl_hash: str, changes: Sequence[DescriptionChange]) -> str:
        """Prepare the current model with other descriptions; the label to poll that by. Raises `NotFound`, `Conflict`
        where `mdl_hash` is not the current model, `InvalidRequest` for what it does not have, and `Busy`."""
        ...


class Knowledge(Protocol):
    """SQL pairs and instructions, of which every change is an event whose status can be polled; and keyword rules."""

    async def save_sql_pairs(
        self,
        project_id: str,
        pairs: Sequence[Mapping[str, Any]],
        idempotency_key: str | None = None,
        *,
        strict: bool = False,
    ) -> str:
        """Store pairs `{id, sql, question}` and return the event's id."""
        ...

    async def delete_sql_pairs(
        self, project_id: str, ids: Sequence[str], idempotency_key: str | None = None
    ) -> str: ...

    async def sql_pairs(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of the pairs, in the order of saving; and how many there are."""
        ...

    async def save_instructions(
        self, project_id: str, instructions: Sequence[Mapping[str, Any]], idempotency_key: str | None = None
    ) -> str:
        """Store instructions `{id, instruction, questions, is_default, scope}` and return the event's id."""
        ...

    async def delete_instructions(
        self, project_id: str, ids: Sequence[str], idempotency_key: str | None = None
    ) -> str: ...

    async def instructions(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of the instructions, in the order of saving; and how many there are."""
        ...

    async def delete_all(self, project_id: str) -> None:
        """Remove a project's pairs and instructions."""
        ...

    async def save_keywords(self, project_id: str, keywords: Sequence[Mapping[str, Any]]) -> Sequence[str]:
        """Store rules `{id, pattern, tables}`; warnings, where the model has no such tables. Raises `InvalidRequest`
        for too many."""
        ...

    async def delete_keywords(self, project_id: str, ids: Sequence[str]) -> None: ...

    async def keywords(self, project_id: str) -> Sequence[Mapping[str, Any]]:
        """The rules as they were saved."""
        ...

    @property
    def jobs(self) -> Mapping[EventKind, JobDoor]:
        """Changes, by what they are changes of."""
        ...

    async def event(self, event_id: str, kind: EventKind, project_id: str | None = None) -> Mapping[str, Any]:
        """`{event_id, status, error, trace_id, warnings?}`. Raises `NotFound`, for an event of another kind, and of
        another project than the one said, too."""
        ...


class Lessons(Protocol):
    """What projects have learnt."""

    async def page(
        self,
        project_id: str,
        *,
        kind: LessonKind | None = None,
        status: LessonStatus | None = None,
        origin: LessonOrigin | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[list[dict[str, Any]], int]:
        """A page of lessons, oldest first, and how many there are."""
        ...

    async def add(self, project_id: str, forms: Sequence[NewLesson]) -> list[dict[str, Any]]:
        """Keep lessons that a person wrote. Raises `InvalidRequest`."""
        ...

    async def change(self, project_id: str, lesson_id: str, change: LessonChange) -> dict[str, Any]:
        """Change a lesson. Raises `NotFound` and `InvalidRequest`."""
        ...

    async def delete(self, project_id: str, ids: Sequence[str]) -> None: ...

    async def revert(self, project_id: str, lesson_id: str) -> None:
        """Undo a lesson. Raises `NotFound`."""
        ...

    async def export(self, project_id: str) -> str:
        """The active lessons as YAML."""
        ...

    async def load(self, project_id: str, text: str) -> tuple[list[dict[str, Any]], list[str]]:
        """Keep the lessons of a YAML file, and what is wrong with the others. Raises `InvalidRequest`."""
        ...

    async def model_patch(self, project_id: str) -> list[dict[str, Any]]:
        """The active mappings as a JSON Patch of the manifest."""
        ...


class Documents(Protocol):
    """What people wrote, of which every change is an event whose status can be polled."""

    @property
    def jobs(self) -> JobDoor:
        """Changes, by the ids of their events."""
        ...

    async def add(
        self,
        project_id: str,
        content: bytes,
        *,
        name: str,
        document_id: str | None = None,
        title: str | None = None,
        source: str | None = None,
        tags: Sequence[str] = (),
        idempotency_key: str | None = None,
    ) -> tuple[str, str]:
        """Store a file; the document's id and the event's. Raises `InvalidRequest` and `NotInstalled`."""
        ...

    async def delete(self, project_id: str, document_id: str, idempotency_key: str | None = None) -> str:
        """Remove a document; the event's id. Raises `NotFound`."""
        ...

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[list[Mapping[str, Any]], int]:
        """A page of the documents, oldest first; and how many there are."""
        ...

    async def get(self, project_id: str, document_id: str) -> Mapping[str, Any]:
        """A document. Raises `NotFound`."""
        ...

    async def chunks(
        self, project_id: str, document_id: str, offset: int, limit: int
    ) -> tuple[list[Mapping[str, Any]], int]:
        """A page of a document's passages; and how many it has. Raises `NotFound`."""
        ...

    async def search(
        self, project_id: str, query: str, *, top_k: int = 5, min_score: float | None = None, tags: Sequence[str] = ()
    ) -> list[Mapping[str, Any]]:
        """The passages that may answer a question, the most probable first."""
        ...

    async def event(self, event_id: str, project_id: str | None = None, wait: float = 0) -> Mapping[str, Any]:
        """How far a change is; held back for at most `wait` seconds. Raises `NotFound`."""
        ...


class Archives(Protocol):
    """Whole projects in files."""

    async def write(self, project_id: str, file: IO[bytes], options: Collection[Option] = ()) -> Mapping[str, int]:
        """Write a project; how many rows each part has. Raises `Conflict` while documents are being read."""
        ...

    async def read(self, project_id: str, file: IO[bytes], *, replace: bool = False) -> Imported:
        """Read a project, all or nothing. Raises `InvalidRequest` for what is no good archive, and `Conflict` where
        there is something already or work goes on."""
        ...


class Uploads(Protocol):
    """Files that people send, each a project."""

    @property
    def are_taken(self) -> bool:
        """Whether this service takes any."""
        ...

    @property
    def most_bytes(self) -> int:
        """How large a file may be."""
        ...

    def require_room(self) -> None:
        """Raises `Forbidden` where nothing can be sent, and `Conflict` where there are too many already."""
        ...

    async def add(self, file: IO[bytes], name: str, wanted: str | None) -> tuple[str, str]:
        """Make a project of a file; its id, and the label of its model. Raises `InvalidRequest` with why it cannot be
        used, and as `require_room`."""
        ...

    async def delete(self, project_id: str) -> None:
        """Remove such a project. Raises `NotFound`."""
        ...
