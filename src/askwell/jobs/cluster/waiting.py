"""Jobs that wait for their owner, where several processes share the record: any of them takes the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from askwell.jobs.kind import Waits
from askwell.jobs.status_store import Entry
from askwell.jobs.waiting import WaitingJobs, nothing_asked
from askwell.knowledge.jobs import AcceptedJob

if TYPE_CHECKING:
    from askwell.jobs.cluster.service import SharedJobs

RequestT = TypeVar("RequestT")
StateT = TypeVar("StateT")


class RecordedWaits(WaitingJobs[RequestT, StateT], Generic[RequestT, StateT]):
    """The waiting jobs of one kind, as the record has them: nobody holds them in memory."""

    def __init__(self, service: SharedJobs[RequestT, StateT]) -> None:
        self._service = service
        self._kind = service.kind
        self._engine = service.engine
        self._claims = service.cluster.claims

    async def park(self, entry: Entry, state: StateT, waits: Waits[StateT]) -> None:
        """Let a job wait in this state. Raises `RecordUnavailable`, and can be called again."""
        async with entry.ending:
            if self._kind.is_end(entry.state):
                return  # stopped meanwhile
            with self._kind.ending(entry.project_id, entry.job_id, state) as also:
                parked = await self._engine.record.jobs.park(
                    entry.job_id, waits.kept, also, until=waits.until, worker=entry.worker
                )
            if parked:
                self._engine.store.advance(entry.job_id, entry.state, state)
            self._engine.store.drop(entry)

    def take_up(self, job: AcceptedJob) -> bool:
        """Nothing has to be kept in mind after a restart."""
        return job.parked is not None

    async def state(self, job_id: str) -> StateT | None:
        """The state in which a job waits; None where it does not."""
        stored = await self._engine.record.jobs.find(job_id)
        if stored is None or stored.finished_at is not None or stored.job.kind != self._kind.name:
            return None
        return self._kind.waiting(stored.job.parked) if stored.job.parked is not None else None

    async def go_on(self, job_id: str, state: StateT, request: RequestT, following: StateT) -> None:
        """Have somebody work on a job that waits in this state again. Raises `Conflict`, `Busy`, `ShuttingDown`,
        `RedisAway` and `RecordUnavailable`."""
        self._service.require_room(request)
        changes = {"parked": None, "parked_until": None, "request": self._kind.to_json(request), "worker": None}
        await self._changed(job_id, state, changes)
        await self._service.tell_state(job_id, following)
        await self._service.free()

    async def keep(self, job_id: str, state: StateT, request: RequestT) -> None:
        """Write down the request of a job that waits in this state, as it is from now on."""
        await self._changed(job_id, state, {"request": self._kind.to_json(request)})

    async def wait_on(self, job_id: str, state: StateT, following: StateT) -> None:
        """Let a job that waits in this state wait in another one."""
        waits = self._kind.waits(following)
        if waits is None:
            raise nothing_asked()
        await self._changed(job_id, state, {"parked": dict(waits.kept), "parked_until": waits.until})
        await self._service.tell_state(job_id, following)

    async def give_up(self, job_id: str, state: StateT, end: StateT) -> None:
        """End a job that waits in this state."""
        stored = await self._engine.record.jobs.find(job_id)
        if stored is None or not await self._service.end_in_record(stored.job, end, seen=self._seen(state)):
            raise nothing_asked()

    async def _changed(self, job_id: str, state: StateT, values: Mapping[str, Any]) -> None:
        if not await self._claims.change_parked(job_id, self._seen(state), values):
            raise nothing_asked()

    def _seen(self, state: StateT) -> Mapping[str, Any]:
        """What the record keeps of a job that waits in this state."""
        waits = self._kind.waits(state)
        if waits is None:
            raise nothing_asked()
        kept: Mapping[str, Any] = json.loads(json.dumps(waits.kept))
        return kept
