"""Jobs, as the routes need them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

from askwell.jobs.events import JobEvent


class JobDoor(Protocol):
    """Jobs of one kind. Every method raises `NotFound` for an id it does not know, or of another kind."""

    async def start(self, request: Any, idempotency_key: str | None = None) -> str:
        """Accept a job and return its id. Raises `Busy`, `ShuttingDown`, and `InvalidRequest` on a reused key."""
        ...

    async def result_json(self, job_id: str, wait: float = 0) -> bytes:
        """The result object as JSON; held back for at most `wait` seconds, until the state changes."""
        ...

    async def request_and_result(self, job_id: str) -> tuple[Any, Mapping[str, Any]]:
        """What was asked for, and the result as it is now."""
        ...

    async def notes(self, job_id: str) -> Mapping[str, Any]:
        """What was noted of a job that has ended, such as `feedback`."""
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


class RunDoor(JobDoor, Protocol):
    """Runs as jobs."""

    async def request(self, job_id: str) -> Any:
        """The request of a run. Raises `NotFound`."""
        ...
