"""Jobs of one kind, as their owners may use them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from askwell.access.current import Call, current_call
from askwell.asks.request import AskRequest
from askwell.jobs.events import JobEvent
from askwell.jobs.service import JobService
from askwell.principal import Person

Counted = Callable[[str], Awaitable[None]]


class GuardedJobs:
    """A job belongs to whoever started it. Those that nobody who had signed in started are the administrators'. With
    `is_shared` they belong to all who may use the project. `counted` hears of each new job's principal, and raises
    `Busy` where it is one too many."""

    def __init__(self, jobs: JobService[Any, Any], counted: Counted, *, is_shared: bool = False) -> None:
        self._jobs = jobs
        self._counted = counted
        self._is_shared = is_shared

    async def start(self, request: Any, idempotency_key: str | None = None) -> str:
        """Accept a job of the caller. Raises as `JobService.start`, and `Busy` where they start too many."""
        person = await counted_person(request.project_id, self._counted)
        return await self._jobs.start(_allowed(request, current_call()), idempotency_key, person=person)

    async def require(self, job_id: str) -> None:
        """Raises `NotFound` where the job is not there for the caller."""
        call = current_call()
        project_id, owner = await self._jobs.whose(job_id)
        if not call.principal.may_use(project_id) or not (self._is_shared or is_own(owner, call)):
            raise self._jobs.unknown(job_id)
        call.projects.add(project_id)

    async def require_project(self, job_id: str, project_id: str) -> None:
        """Raises `NotFound` for another project's job too."""
        await self.require(job_id)
        await self._jobs.require_project(job_id, project_id)

    async def result_json(self, job_id: str, wait: float = 0) -> bytes:
        await self.require(job_id)
        return await self._jobs.result_json(job_id, wait)

    async def request(self, job_id: str) -> Any:
        await self.require(job_id)
        return await self._jobs.request(job_id)

    async def request_and_result(self, job_id: str) -> tuple[Any, Mapping[str, Any]]:
        await self.require(job_id)
        return await self._jobs.request_and_result(job_id)

    async def notes(self, job_id: str) -> Mapping[str, Any]:
        await self.require(job_id)
        return await self._jobs.notes(job_id)

    async def person(self, job_id: str) -> Person:
        """On whose behalf the job is done."""
        await self.require(job_id)
        return await self._jobs.person(job_id)

    async def stop(self, job_id: str) -> None:
        await self.require(job_id)
        await self._jobs.stop(job_id)

    async def stream(self, job_id: str) -> AsyncIterator[str]:
        await self.require(job_id)
        return await self._jobs.stream(job_id)

    async def events(self, job_id: str, after: int | None = None) -> AsyncIterator[JobEvent]:
        await self.require(job_id)
        return await self._jobs.events(job_id, after)

    async def ended_with(self, job_id: str, event_id: int) -> bool:
        await self.require(job_id)
        return await self._jobs.ended_with(job_id, event_id)


async def counted_person(project_id: str, counted: Counted) -> Person:
    """The caller, who starts something that is counted. Raises `NotFound` where the project is not theirs, and `Busy`
    where they start too much."""
    call = current_call()
    call.require_project(project_id)
    await counted(call.principal.id)
    return call.principal.person


def is_own(owner: str, call: Call) -> bool:
    """Whether something of this owner is the caller's; what is nobody's is the administrators'."""
    return owner == call.principal.id if owner else call.principal.may("admin")


def _allowed(request: Any, call: Call) -> Any:
    """The request, which teaches nothing where the caller may not change what the project knows."""
    if isinstance(request, AskRequest) and not call.principal.may("curate"):
        return replace(request, teaches=False)
    return request
