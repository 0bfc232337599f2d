"""What makes one kind of job different from another: its request, its states, and the work. All else is shared."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel

from askwell.errors import AskwellError
from askwell.jobs.request import Body
from askwell.jobs.text_stream import TextStream
from askwell.knowledge.jobs import Change
from askwell.principal import NOBODY, Person

RequestT = TypeVar("RequestT")
StateT = TypeVar("StateT")
StateT_co = TypeVar("StateT_co", covariant=True)
StateT_contra = TypeVar("StateT_contra", contravariant=True)


class Superseded(Exception):
    """Someone else ended the job (a stop); whoever meets this lets go of everything and writes nothing."""


class DeadlineExceeded(AskwellError):
    """The job did not end in time. `seconds` is the time it had."""

    def __init__(self, noun: str, seconds: float) -> None:
        super().__init__(
            f"The {noun} was not answered within {seconds:g} seconds.",
            "Ask for less, or raise settings.ask_deadline.",
        )
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Waits(Generic[StateT_co]):
    """A job waits for its owner, `until` a moment, and then ends as `expired`: `kept` (JSON) is what the record keeps
    of its state."""

    kept: Mapping[str, Any]
    until: datetime
    expired: StateT_co


@dataclass(frozen=True)
class Job(Generic[RequestT, StateT_contra]):
    """One accepted job, as its work sees it. `accepted_at` is timezone-aware. `now` is when this attempt began.
    `stream` takes the text that is written for it, piece by piece."""

    id: str
    project_id: str
    request: RequestT
    accepted_at: datetime
    now: datetime
    stream: TextStream
    advance: Callable[[StateT_contra], None]
    """Publishes a state that is not an end. Raises `Superseded` where the job was ended by someone else."""
    keep: Callable[[RequestT], Awaitable[None]]
    """Writes down the request as it is from now on, with what an attempt after this one need not do again. Raises
    `RecordUnavailable`."""
    person: Person = NOBODY
    """For whom."""


class Work(Protocol[StateT_co]):
    """One attempt at a job."""

    async def run(self) -> StateT_co:
        """The state that the job ends in, or in which it waits for its owner. Raises `AskwellError` when something it
        depends on breaks, and lets `Superseded` and `RecordUnavailable` pass."""
        ...

    def failed(self, error: AskwellError) -> StateT_co:
        """The end after `run` raised this error, or ran out of time (`DeadlineExceeded`)."""
        ...


class JobKind(ABC, Generic[RequestT, StateT]):
    """One kind of job. `name` is its name in the record, `noun` the one in messages. `deadline` is the
    seconds that one attempt has, `readable` those that an end can be read; None: no bound."""

    name: ClassVar[str]
    noun: ClassVar[str]
    deadline: float | None = None
    readable: float | None = None
    takes_turns: ClassVar[bool] = False
    """Whether attempts wait for a `turn`."""

    @abstractmethod
    def queued(self, request: RequestT) -> StateT:
        """The state of a job that was accepted and not begun."""

    @abstractmethod
    def stopped(self, state: StateT) -> StateT:
        """The end of a job that its owner stopped in this state."""

    @abstractmethod
    def status(self, state: StateT) -> str:
        """The state's name in the HTTP contract."""

    @abstractmethod
    def is_end(self, state: StateT) -> bool:
        """Whether the job is over. An end never changes."""

    @abstractmethod
    def may_follow(self, current: StateT, following: StateT) -> bool:
        """Whether `following` may come directly after `current`."""

    @abstractmethod
    def render(self, job_id: str, state: StateT) -> dict[str, Any]:
        """What a client gets for the state."""

    def as_polled(self, state: StateT) -> StateT:
        """The state that a poll tells in place of this one; events tell the state itself."""
        return state

    @abstractmethod
    def require(self, request: RequestT) -> None:
        """Raises `InvalidRequest` for what this service does not accept."""

    @abstractmethod
    def project_of(self, request: RequestT) -> str: ...

    @abstractmethod
    def to_json(self, request: RequestT) -> dict[str, Any]:
        """The request as the record keeps it."""

    def body(self, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        """What of a kept request was asked for: two of one Idempotency-Key have the same."""
        return kept

    @abstractmethod
    def from_json(self, kept: Mapping[str, Any]) -> RequestT:
        """The request back from the record. Fields of another version are left out."""

    @abstractmethod
    def begin(self, job: Job[RequestT, StateT]) -> Work[StateT]:
        """A new attempt."""

    @abstractmethod
    def failure(self, error: AskwellError) -> StateT:
        """The end of a job that was refused before anything was tried."""

    def waits(self, state: StateT) -> Waits[StateT] | None:
        """How a job waits for its owner in this state; None where it does not."""
        return None

    def waiting(self, kept: Mapping[str, Any]) -> StateT | None:
        """The state back from what the record keeps of it; None where it cannot be read, as of another version."""
        return None

    def label(self, request: RequestT) -> str | None:
        """The name by which clients know the job, where that is not its id. Several jobs may have it one after the
        other."""
        return None

    def turn(self, request: RequestT) -> AbstractAsyncContextManager[object]:
        """What an attempt has to hold, and waits for before it counts."""
        return nullcontext()

    def ending(self, project_id: str, job_id: str, state: StateT) -> AbstractContextManager[Change | None]:
        """What is written into the record together with this end, or with this state in which the job waits; entered
        for as long as that takes."""
        return nullcontext()

    def ended(self, state: StateT, seconds: float) -> None:
        """Hears of an end once it is in the record; `seconds` since the job was taken up."""

    def facts(self, state: StateT) -> Mapping[str, Any]:
        """What the log and the trace say of a state. No prompt and no row."""
        return {}

    def about(self, request: RequestT) -> str | None:
        """What a trace shows as given; None for a kind that is not traced."""
        return None

    def answer(self, state: StateT, text: str) -> str:
        """What a trace shows as the answer; `text` is what was streamed."""
        return text


def body_hash(kept: Mapping[str, Any]) -> str:
    """Tells whether two requests under one idempotency key, as the record keeps them, are the same request."""
    digest = hashlib.sha256()
    for piece in _json_pieces(kept):
        digest.update(piece.encode())
    return digest.hexdigest()


def _json_pieces(value: Any) -> Iterator[str]:
    """The value as `json.dumps` writes it, a row or a model at a time: between two of them other threads get in."""
    if isinstance(value, Mapping):
        yield "{"
        for number, name in enumerate(sorted(value)):
            yield f"{', ' if number else ''}{json.dumps(name)}: "
            yield from _json_pieces(value[name])
        yield "}"
    elif isinstance(value, list):
        yield "["
        for number, one in enumerate(value):
            yield f"{', ' if number else ''}{json.dumps(one, sort_keys=True)}"
        yield "]"
    else:
        yield json.dumps(value)


@dataclass(frozen=True, slots=True)
class JobState:
    """A state as clients see it, for kinds that need no types of their own: `fields` are those known by then."""

    status: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    is_end: bool = False


BodyT = TypeVar("BodyT", bound=Body)

STOPPED = JobState("stopped", is_end=True)


class JobFailed(AskwellError):
    """The job has no result, for a reason that clients know by `code`. `fields` are told besides."""

    def __init__(self, code: str, message: str, hint: str = "", *, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, hint)
        self.code = code
        self.fields = fields or {}


class SimpleKind(JobKind[BodyT, JobState], Generic[BodyT]):
    """A kind whose states are a status and what is known by then: request, states and `run`.

    `path` is where its routes are, `id_name` the name of its id in answers, and `result_path` what follows the id
    where the result is read. `request` and `result` are the bodies. `statuses` are those of a live job, in order, and
    `done` the one of a job that has its result. `codes` are the codes of its errors; others are told as OTHERS."""

    path: ClassVar[str]
    id_name: ClassVar[str] = "query_id"
    result_path: ClassVar[str] = ""
    stream_path: ClassVar[str] = ""
    request: ClassVar[type[Body]]
    result: ClassVar[type[BaseModel]]
    statuses: ClassVar[tuple[str, ...]]
    done: ClassVar[str] = "finished"
    codes: ClassVar[frozenset[str]] = frozenset({"OTHERS"})

    @abstractmethod
    async def run(self, job: Job[BodyT, JobState]) -> JobState:
        """The end, as `finished` makes it. Raises `JobFailed`, and what else `Work.run` may raise."""

    def live(self, status: str, **fields: Any) -> JobState:
        """A state that is not an end."""
        return JobState(status, fields)

    def finished(self, **fields: Any) -> JobState:
        """The end of a job that has its result."""
        return JobState(self.done, fields, is_end=True)

    # -- what the engine asks ---------------------------------------------------------------------------------------

    def queued(self, request: BodyT) -> JobState:
        return JobState(self.statuses[0])

    def stopped(self, state: JobState) -> JobState:
        # What clients take for the end does not change any more.
        return replace(state, is_end=True) if state.status == self.done else STOPPED

    def status(self, state: JobState) -> str:
        return state.status

    def is_end(self, state: JobState) -> bool:
        return state.is_end

    def may_follow(self, current: JobState, following: JobState) -> bool:
        if current.is_end:
            return False
        return following.is_end or self._place(following) >= self._place(current)

    def _place(self, state: JobState) -> int:
        return self.statuses.index(state.status)

    def render(self, job_id: str, state: JobState) -> dict[str, Any]:
        result = {self.id_name: job_id, "status": state.status, **state.fields, "trace_id": job_id}
        return {name: value for name, value in result.items() if value is not None}

    def project_of(self, request: BodyT) -> str:
        return request.project_id

    def to_json(self, request: BodyT) -> dict[str, Any]:
        return request.model_dump(mode="json", exclude_none=True)

    def from_json(self, kept: Mapping[str, Any]) -> BodyT:
        request: Any = self.request
        checked: BodyT = request.model_validate(kept)
        return checked

    def begin(self, job: Job[BodyT, JobState]) -> Work[JobState]:
        return Attempt(self, job)

    def broken_off(self, job: Job[BodyT, JobState], state: JobState, error: AskwellError) -> JobState:
        """The end of a job that failed after clients were told `done`, which they take for the end: it stays so, and
        what was streamed says that there is no more."""
        after = "\n\n" if job.stream.text() else ""
        job.stream.append(f"{after}The {self.noun} breaks off here. {error.message}")
        return replace(state, fields={**state.fields, **self.failure(error).fields}, is_end=True)

    def failure(self, error: AskwellError) -> JobState:
        """The end of a job without a result."""
        code = error.code if error.code in self.codes else "OTHERS"
        body = {"code": code, "message": error.message, "hint": error.hint}
        fields = error.fields if isinstance(error, JobFailed) else {}
        return JobState("failed", {**fields, "error": {k: v for k, v in body.items() if v}}, is_end=True)


class Attempt(Generic[BodyT]):
    """One attempt at a job of a simple kind."""

    def __init__(self, kind: SimpleKind[BodyT], job: Job[BodyT, JobState]) -> None:
        self._kind = kind
        self._advance = job.advance
        self._job = replace(job, advance=self._tell)
        self._told: JobState | None = None

    def _tell(self, state: JobState) -> None:
        self._advance(state)
        self._told = state

    async def run(self) -> JobState:
        return await self._kind.run(self._job)

    def failed(self, error: AskwellError) -> JobState:
        if self._told is not None and self._told.status == self._kind.done:
            return self._kind.broken_off(self._job, self._told, error)
        return self._kind.failure(error)
