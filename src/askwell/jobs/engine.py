"""What all job services of a process share, and how running jobs end when the service stops."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from askwell.errors import RecordUnavailable
from askwell.jobs.runner import JobRunner
from askwell.jobs.status_store import Entry, MemoryStatusStore
from askwell.knowledge.record import Record
from askwell.observability.tracing import Tracing
from askwell.principal import Person
from askwell.privacy.vault import Vault

logger = logging.getLogger(__name__)

# A longer sleep is cut in pieces: the clock may be set, and a laptop may sleep.
_LONGEST_SLEEP = 60.0


class Deadlines:
    """What is to happen at given moments, by key. `now` gives the present moment (timezone-aware). What goes wrong then
    is logged: nobody waits for it."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def set(self, key: str, at: datetime, call: Callable[[], Awaitable[None]]) -> None:
        """Call at this moment, or at once where it has passed; in place of what was set for the key before."""
        self.clear(key)
        task = asyncio.create_task(self._wait(at, call), name=f"deadline-{key}")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._forget(key, done))

    def clear(self, key: str) -> None:
        """Nothing happens for this key any more."""
        task = self._tasks.pop(key, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def close(self) -> None:
        """Nothing happens any more."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _wait(self, at: datetime, call: Callable[[], Awaitable[None]]) -> None:
        while (left := (at - self._now()).total_seconds()) > 0:  # noqa: ASYNC110 - a moment, not an event, is waited for
            await asyncio.sleep(min(left, _LONGEST_SLEEP))
        await call()

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("what was due did not happen", extra={"error": type(error).__name__})


# Each has its state, its events and a timer in memory: some 10 kB.
MOST_WAITING = 10_000


@dataclass(frozen=True, slots=True)
class EndedJob:
    """How a job ended: for whom it was, what it was `asked` (texts by name), and its result as clients get it."""

    id: str
    kind: str
    project_id: str
    person: Person
    asked: Mapping[str, str]
    status: str
    result: Mapping[str, Any]
    seconds: float


async def _no_vault(project_id: str) -> Vault | None:
    return None


@dataclass(frozen=True)
class JobEngine:
    """What jobs of every kind share; `now` gives the present moment (timezone-aware). No more than `most_waiting` jobs
    wait for their owners at a time. `on_end` hears of each end once it is in the record. `vault_for` gives what masks
    the values of a job's project, None where these may leave."""

    record: Record
    store: MemoryStatusStore
    runner: JobRunner
    tracing: Tracing
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    most_waiting: int = MOST_WAITING
    on_end: Callable[[EndedJob], None] = lambda _: None
    vault_for: Callable[[str], Awaitable[Vault | None]] = _no_vault
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
            await self.record.jobs.hand_back(entry.job_id, entry.attempts, entry.worker)
        except RecordUnavailable as error:
            logger.error("a job could not be handed back", extra={"error": error.code})


# What running jobs get to end when the service is stopped.
DRAIN_SECONDS = 10.0


async def _nothing() -> None:
    pass


class Draining:
    """Ends the jobs of `engines` in the background and takes no more `housework`. `ending` is set when that is over.
    Before all that `put_down` sees to it that no jobs are taken from elsewhere."""

    def __init__(
        self,
        engines: Sequence[JobEngine],
        housework: JobRunner,
        ending: asyncio.Event,
        put_down: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._engines = engines
        self._housework = housework
        self._ending = ending
        self._put_down = put_down
        self._endings: list[asyncio.Task[None]] = []

    @property
    def has_begun(self) -> bool:
        """Whether nothing new is taken any more."""
        return bool(self._endings)

    def begin(self) -> int:
        """No new work is taken, running jobs get `DRAIN_SECONDS`. How many there are. Safe to call twice."""
        running = sum(engine.running for engine in self._engines)
        if not self._endings:
            self._endings.append(asyncio.create_task(self._drain(), name="drain"))
        return running

    async def _drain(self) -> None:
        self._housework.close()
        try:
            await self._put_down()
            await asyncio.gather(*(engine.close(DRAIN_SECONDS) for engine in self._engines))
        finally:
            self._ending.set()

    async def finished(self) -> None:
        """Returns when the jobs that ran when it began have ended, or were cut. Raises what went wrong with ending
        them."""
        while not all(ending.done() for ending in self._endings):
            await asyncio.wait(self._endings)  # another one may have come meanwhile
        for ending in self._endings:
            ending.result()

    def hurry(self) -> None:
        """Wait no longer for running jobs: they are in the record, and run again after the next start."""
        self._endings.append(asyncio.create_task(self._close_now(), name="drain-now"))

    async def _close_now(self) -> None:
        await asyncio.gather(*(engine.close(0) for engine in self._engines))

    async def close(self) -> None:
        """Begin, if need be, and wait for the end. Safe to call twice."""
        self.begin()
        await self.finished()
