"""Kinds of jobs whose states are a status and what is known by then. A new kind is one file: request, states, `run`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from askwell.errors import AskwellError
from askwell.jobs.kind import Job, JobKind, JobState, Work
from askwell.jobs.request import Body

BodyT = TypeVar("BodyT", bound=Body)

STOPPED = JobState("stopped", is_end=True)


class JobFailed(AskwellError):
    """The job has no result, for a reason that clients know by `code`. `fields` are told besides."""

    def __init__(self, code: str, message: str, hint: str = "", *, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, hint)
        self.code = code
        self.fields = fields or {}


class SimpleKind(JobKind[BodyT, JobState], Generic[BodyT]):
    """`path` is where its routes are, `id_name` the name of its id in answers, and `result_path` what follows the id
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

    def broken_off(self, job: Job[BodyT, JobState], told: JobState, error: AskwellError) -> JobState:
        """The end of a job that failed after clients were told `done`, which they take for the end: it stays so, and
        what was streamed says that there is no more."""
        after = "\n\n" if job.stream.text() else ""
        job.stream.append(f"{after}The {self.noun} breaks off here. {error.message}")
        return replace(told, fields={**told.fields, **self.failure(error).fields}, is_end=True)

    def failure(self, error: AskwellError) -> JobState:
        """The end of a job without a result."""
        code = error.code if error.code in self.codes else "OTHERS"
        told = {"code": code, "message": error.message, "hint": error.hint}
        fields = error.fields if isinstance(error, JobFailed) else {}
        return JobState("failed", {**fields, "error": {k: v for k, v in told.items() if v}}, is_end=True)


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
