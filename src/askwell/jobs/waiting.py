"""Jobs that wait for their owner: in the record and outside the queue, until they are answered, stopped or expire."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from askwell.errors import Conflict
from askwell.jobs.engine import JobEngine
from askwell.jobs.kind import JobKind, Waits
from askwell.jobs.status_store import Entry
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.repeats import once_recorded
from askwell.messages import say

RequestT = TypeVar("RequestT")
StateT = TypeVar("StateT")


class WaitingJobs(Generic[RequestT, StateT]):
    """The waiting jobs of one kind. `end` ends a job that still waits in a state (its second argument), `run` works on
    one again."""

    def __init__(
        self,
        kind: JobKind[RequestT, StateT],
        engine: JobEngine,
        *,
        end: Callable[[Entry, StateT, StateT], Awaitable[bool]],
        run: Callable[[AcceptedJob, RequestT, Entry], None],
    ) -> None:
        self._kind, self._engine = kind, engine
        self._end, self._run = end, run

    async def park(self, entry: Entry, state: StateT, waits: Waits[StateT]) -> None:
        """Let a job wait in this state; or end it as one that has waited too long, where too many wait already. The
        record first: what a client was asked survives a crash. Raises `RecordUnavailable`, and can be called again."""
        if len(self._engine.deadlines) >= self._engine.most_waiting:
            await self._end(entry, entry.state, waits.expired)
            return
        async with entry.ending:
            if self._kind.is_end(entry.state):
                return  # stopped meanwhile
            with self._kind.ending(entry.project_id, entry.job_id, state) as also:
                parked = await self._engine.record.jobs.park(entry.job_id, waits.kept, also)
            if not parked:
                self._engine.store.drop(entry)
                return
            self._engine.store.advance(entry.job_id, entry.state, state)
            self._expire_in_time(entry, waits)

    def take_up(self, job: AcceptedJob) -> bool:
        """Let a job wait on after a restart, as the record has it. False where it was not waiting, or for something
        that this version cannot read."""
        state = self._kind.waiting(job.parked) if job.parked is not None else None
        waits = self._kind.waits(state) if state is not None else None
        if state is None or waits is None:
            return False
        entry = self._engine.store.add(self._kind, job.id, job.project_id, state, job.attempts)
        entry.belongs_to(job)
        self._expire_in_time(entry, waits)
        return True

    async def state(self, job_id: str) -> StateT | None:
        """The state in which a job waits; None where it does not."""
        entry = self._entry(job_id)
        return entry.state if entry is not None else None

    async def go_on(self, job_id: str, state: StateT, request: RequestT, following: StateT) -> None:
        """Work on a job that waits in this state again, with the request as it is from now on; it is in the state
        `following` meanwhile. Of two who come at once the first one counts. Raises `Conflict` where it waits in this
        state no more, and `Busy`, `ShuttingDown` and `RecordUnavailable`, after which it waits on."""
        self._engine.runner.require_room()
        entry = self._entry(job_id)
        if entry is None:
            raise nothing_asked()
        await self._engine.runner.ended(job_id)
        async with entry.ending:
            if entry.state is not state:
                raise nothing_asked()
            job = await self._engine.record.jobs.unpark(job_id, self._kind.to_json(request))
            if job is None:
                raise nothing_asked()
            self._engine.deadlines.clear(job_id)
            self._engine.store.advance(job_id, state, following)
            entry.attempts, entry.begun, entry.counted = 0, False, False
            entry.since = time.monotonic()  # what its owner took to answer is no time of the job's
            self._run(job, request, entry)

    async def keep(self, job_id: str, state: StateT, request: RequestT) -> None:
        """Write down the request of a job that waits in this state, as it is from now on. Raises `Conflict` and
        `RecordUnavailable`."""
        entry = self._entry(job_id)
        if entry is None or entry.state is not state:
            raise nothing_asked()
        await self._engine.record.jobs.keep_request(job_id, self._kind.to_json(request))

    async def wait_on(self, job_id: str, state: StateT, following: StateT) -> None:
        """Let a job that waits in this state wait in another one. Raises `Conflict` and `RecordUnavailable`."""
        entry, waits = self._entry(job_id), self._kind.waits(following)
        if entry is None or waits is None:
            raise nothing_asked()
        async with entry.ending:
            if entry.state is not state or not await self._engine.record.jobs.park(job_id, waits.kept):
                raise nothing_asked()
            self._engine.store.advance(job_id, state, following)
            self._expire_in_time(entry, waits)

    async def give_up(self, job_id: str, state: StateT, end: StateT) -> None:
        """End a job that waits in this state. Raises `Conflict` where it waits in it no more, and `RecordUnavailable`,
        after which it waits on."""
        entry = self._entry(job_id)
        if entry is None or not await self._end(entry, state, end):
            raise nothing_asked()
        self._engine.deadlines.clear(job_id)

    def _entry(self, job_id: str) -> Entry | None:
        entry = self._engine.store.get(job_id)
        waits = entry is not None and entry.kind is self._kind and self._kind.waits(entry.state) is not None
        return entry if waits else None

    def _expire_in_time(self, entry: Entry, waits: Waits[StateT]) -> None:
        state = entry.state

        async def expire() -> None:
            await once_recorded(lambda: self._end(entry, state, waits.expired), f"the end of the {self._kind.noun}")

        self._engine.deadlines.set(entry.job_id, waits.until, expire)


def nothing_asked() -> Conflict:
    """A person has answered meanwhile, or there is nothing to answer."""
    return Conflict(*say("jobs.nothing_asked"))
