"""What the routes need from the rest of the program. `container.Container` fits; tests bring fakes that fit too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from askwell.agent.definition import AgentDefinition
from askwell.agent.service import Begun, NewMessage
from askwell.asks.corrections import Correction
from askwell.asks.feedback import Feedback
from askwell.jobs.events import JobEvent
from askwell.knowledge.lessons import LessonKind, LessonOrigin, LessonStatus
from askwell.knowledge.saved import EventKind
from askwell.knowledge.threads import Message, RunEvent, Thread
from askwell.observability.metrics import Metrics
from askwell.services.lessons.bodies import LessonChange, NewLesson


class JobDoor(Protocol):
    """Jobs of one kind. Every method raises `NotFound` for an id it does not know, or of another kind."""

    async def start(self, request: Any, idempotency_key: str | None = None) -> str:
        """Accept a job and return its id. Raises `Busy`, `ShuttingDown`, and `InvalidRequest` on a reused key."""
        ...

    async def result_json(self, job_id: str, wait: float = 0) -> bytes:
        """The result object as JSON; held back for at most `wait` seconds, until the state changes."""
        ...

    async def require_project(self, job_id: str, project_id: str) -> None:
        """Raises `NotFound` for another project's job too."""
        ...

    async def stop(self, job_id: str) -> None:
        """Stop a job; an ended one stays as it is."""
        ...

    async def stream(self, job_id: str) -> AsyncIterator[str]:
        """The words being written for a job, from their beginning until they end."""
        ...

    async def events(self, job_id: str, after: int | None = None) -> AsyncIterator[JobEvent]:
        """What happens to the job, from the event that follows the id `after` until its end."""
        ...

    async def ended_with(self, job_id: str, event_id: int) -> bool:
        """Whether this event is the job's last, so that nothing follows it."""
        ...

    async def latest(
        self, project_id: str, *, limit: int, offset: int, status: str | None = None, text: str | None = None
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of a project's jobs, latest first: `{id, request, result, created_at}`; and how many there are."""
        ...


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


class Knowledge(Protocol):
    """SQL pairs and instructions, of which every change is an event whose status can be polled; and keyword rules."""

    async def save_sql_pairs(
        self, project_id: str, pairs: Sequence[Mapping[str, Any]], idempotency_key: str | None = None
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


class AskFeedback(Protocol):
    """What people say of answers."""

    async def give(self, ask_id: str, feedback: Feedback) -> dict[str, Any]:
        """`{accepted_question_id?, lesson_ids}`. Raises `NotFound` and `InvalidRequest`."""
        ...


class AskCorrections(Protocol):
    """Answers to what asks asked back."""

    async def give(self, ask_id: str, correction: Correction) -> None:
        """Go on with the ask. Raises `NotFound`, `Conflict`, `InvalidRequest`, `Busy` and `Unavailable`."""
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


class Agents(Protocol):
    """Agents by project."""

    async def all(self, project_id: str) -> Mapping[str, AgentDefinition]: ...

    async def is_project(self, project_id: str) -> bool:
        """Whether a project has a semantic model."""
        ...

    async def get(self, project_id: str, agent_id: str) -> AgentDefinition:
        """Raises `NotFound`."""
        ...

    async def put(self, project_id: str, agent_id: str, definition: AgentDefinition) -> None: ...

    async def delete(self, project_id: str, agent_id: str) -> None:
        """Raises `NotFound`."""
        ...


class RunDoor(JobDoor, Protocol):
    """Runs as jobs."""

    async def request(self, job_id: str) -> Any:
        """The request of a run. Raises `NotFound`."""
        ...


class Conversations(Protocol):
    """Threads and their runs; `agent.service.Conversations` says what each gives and raises."""

    @property
    def runs(self) -> RunDoor: ...

    @property
    def agents(self) -> Agents: ...

    def require_model(self) -> None:
        """Raises where there is no language model."""
        ...

    async def send(self, message: NewMessage) -> Begun: ...

    async def named(self, project_id: str, client_id: str) -> Begun | None: ...

    async def answer(self, project_id: str | None, run_id: str, answers: Mapping[str, Any]) -> Begun: ...

    async def resume(self, project_id: str, thread_id: str, answers: Mapping[str, Any], client_id: str) -> Begun: ...

    async def run_id(self, project_id: str | None, named: str) -> str: ...

    async def ended_with(self, run_id: str, place: int) -> bool: ...

    async def waiting_in(self, project_id: str, thread_id: str) -> str | None: ...

    async def going_on(self, project_id: str, thread_id: str) -> str | None: ...

    async def events(self, run_id: str, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]: ...

    async def stop(self, project_id: str | None, run_id: str) -> None: ...

    async def create(
        self, project_id: str, *, agent_id: str | None, title: str, variables: Mapping[str, str]
    ) -> Thread: ...

    async def thread(self, project_id: str, thread_id: str) -> Thread:
        """Raises `NotFound`."""
        ...

    async def page(self, project_id: str, offset: int, limit: int) -> tuple[Sequence[Thread], int]: ...

    async def change(
        self, project_id: str, thread_id: str, *, title: str | None, variables: Mapping[str, str] | None
    ) -> Thread: ...

    async def messages(self, project_id: str, thread_id: str) -> Sequence[Message]: ...

    async def delete(self, project_id: str, thread_id: str) -> None: ...


class ChartPictures(Protocol):
    """Draws charts that were made."""

    async def draw(
        self, jobs: Any, job_id: str, image: Literal["svg", "png"], *, width: int | None, height: int | None
    ) -> bytes:
        """The picture. Raises `NotFound` until there is a chart, and `ChartsNotInstalled`."""
        ...


class Services(Protocol):
    """The service container as the web sees it."""

    @property
    def asks(self) -> JobDoor: ...

    @property
    def jobs(self) -> Mapping[str, JobDoor]:
        """The other kinds of jobs, by name."""
        ...

    @property
    def feedback(self) -> AskFeedback: ...

    @property
    def corrections(self) -> AskCorrections: ...

    @property
    def lessons(self) -> Lessons: ...

    @property
    def documents(self) -> Documents: ...

    @property
    def conversations(self) -> Conversations: ...

    @property
    def chart_images(self) -> ChartPictures: ...

    @property
    def preparation(self) -> Preparation: ...

    @property
    def knowledge(self) -> Knowledge: ...

    @property
    def metrics(self) -> Metrics: ...

    @property
    def ending(self) -> asyncio.Event:
        """Set when the service is about to end: streams that are open then have to end too."""
        ...

    async def start(self) -> None:
        """Open what has to be open before the first request; take up unfinished work."""
        ...

    async def stop(self) -> None:
        """Drain and let go of everything. Safe to call twice."""
        ...

    async def readiness(self) -> Mapping[str, Mapping[str, Any]]:
        """Each dependency by name: `{ok, message}`."""
        ...
