"""What jobs of every kind share, and how all of it ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from askwell.errors import RecordUnavailable
from askwell.jobs.deadlines import Deadlines
from askwell.jobs.runner import JobRunner
from askwell.jobs.status_store import Entry, MemoryStatusStore
from askwell.knowledge.record import Record
from askwell.observability.tracing import Tracing

logger = logging.getLogger(__name__)

# Each has its state, its events and a timer in memory: some 10 kB.
MOST_WAITING = 10_000


@dataclass(frozen=True)
class JobEngine:
    """What jobs of every kind share; `now` gives the present moment (timezone-aware). No more than `most_waiting` jobs
    wait for their owners at a time."""

    record: Record
    store: MemoryStatusStore
    runner: JobRunner
    tracing: Tracing
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    most_waiting: int = MOST_WAITING
    deadlines: Deadlines = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "deadlines", Deadlines(self.now))

    @property
    def running(self) -> int:
        """Jobs accepted that neither ended nor wait for their owners."""
        return self.runner.depth

    async def close(self, seconds: float = 10.0) -> None:
        """Take no more jobs and give the running ones `seconds` to end. What does not end stays in the record and runs
        again after a restart, as often as a service is stopped: only a crash counts against it."""
        cut = [self.store.get(job_id) for job_id in await self.runner.drain(seconds)]
        await self.deadlines.close()  # a job may have begun to wait while it was given time to end
        await asyncio.gather(*(self._hand_back(entry) for entry in cut if entry is not None and entry.begun))

    async def _hand_back(self, entry: Entry) -> None:
        try:
            await self.record.jobs.hand_back(entry.job_id, entry.attempts)
        except RecordUnavailable as error:
            logger.error("a job could not be handed back", extra={"error": error.code})
