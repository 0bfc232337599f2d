"""The job service of several processes that share a record."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from askwell.errors import AskwellError
from askwell.jobs.cluster.claimer import Claimer
from askwell.jobs.cluster.cluster import Cluster
from askwell.jobs.cluster.feeds import set_in_time
from askwell.jobs.cluster.live_states import BoardEvent
from askwell.jobs.engine import EndedJob, JobEngine
from askwell.jobs.events import JobEvent, json_bytes, recorded_end
from askwell.jobs.kind import JobKind, Waits
from askwell.jobs.reading import LEAST_WAIT
from askwell.jobs.service import JobService
from askwell.jobs.status_store import Entry, asked_of
from askwell.jobs.waiting import WaitingJobs, nothing_asked
from askwell.knowledge.jobs import AcceptedJob
from askwell.messages import say

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
        """Have a process work on a job that waits in this state again. Raises `Conflict`, `Busy`, `ShuttingDown`,
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


logger = logging.getLogger(__name__)


# What the process that works on a job gets to stop it, before someone else ends it in the record.
_STOP_SECONDS = 3.0


class SharedJobs(JobService[RequestT, StateT], Generic[RequestT, StateT]):
    """Jobs that any process takes. What goes on here is told from memory, as ever; of all else the board tells, and
    the record of what has ended."""

    claimer: Claimer

    def __init__(self, kind: JobKind[RequestT, StateT], engine: JobEngine, cluster: Cluster) -> None:
        super().__init__(kind, engine)
        self.engine = engine
        self.cluster = cluster
        self._board = cluster.board
        self.waiting = RecordedWaits(self)

    # -- accepting and taking ---------------------------------------------------------------------------------------

    def require_room(self, request: RequestT) -> None:
        """Raises `RedisAway` too."""
        super().require_room(request)
        self.cluster.signals.require_connection()
        self.claimer.require_room()

    def _begins_at_once(self) -> bool:
        return self.claimer.has_room and not self.kind.takes_turns

    def _begun(self, accepted: AcceptedJob) -> AcceptedJob:
        self.claimer.hold(accepted.id)
        return replace(super()._begun(accepted), worker=self.cluster.membership.worker)

    def _not_begun(self, accepted: AcceptedJob) -> None:
        # The record may have it all the same, under this process's name: it is taken then.
        self.claimer.release(accepted.id)

    async def _is_left(self, job_id: str) -> bool:
        return False  # it is in the record, where a process takes it

    async def _take_on(self, job: AcceptedJob, request: RequestT, *, counted: bool) -> None:
        if counted:
            self._enqueue(job, request, counted=True)
        else:
            self.claimer.one_more()
            await self.free()

    async def free(self) -> None:
        """Tell all processes that there is a job to take."""
        self.claimer.wake()
        await self.cluster.signals.tell({"work": True})

    async def take_up(self, job: AcceptedJob) -> None:
        """Work on a job that this process has taken."""
        try:
            request = await asyncio.to_thread(self.kind.from_json, job.request)
        except Exception as error:
            kind = type(error).__name__
            logger.error("%s cannot be read", self.kind.noun, extra={"error": kind}, exc_info=error)
            await self.end_in_record(job, self.kind.failure(self._unexpected()))
            self.claimer.release(job.id)
            return
        first_id = await self._board.begin(job.id, self.now())
        self._enqueue(job, request, counted=True, first_id=first_id)

    def _enqueue(
        self, job: AcceptedJob, request: RequestT, *, counted: bool = False, first_id: int | None = None
    ) -> Entry:
        entry = super()._enqueue(job, request, counted=counted, first_id=first_id)
        self.cluster.mirrors.follow(entry)
        return entry

    async def _work(self, accepted: AcceptedJob, request: RequestT, entry: Entry) -> None:
        try:
            await super()._work(accepted, request, entry)
        finally:
            self.claimer.release(accepted.id)

    async def _end_is_written(self, entry: Entry) -> None:
        # Others look at the record then: nobody is told what went before once someone was told the end.
        await self.cluster.mirrors.end(entry)

    async def resume(self) -> int:
        """What was accepted before is taken from the record."""
        return 0

    # -- reading ----------------------------------------------------------------------------------------------------

    def _entry(self, job_id: str) -> Entry | None:
        return None if self.cluster.membership.may_be_dead else super()._entry(job_id)

    async def result_json(self, job_id: str, wait: float = 0) -> bytes:
        """As ever; held back until what is told changes."""
        if self._entry(job_id) is not None:
            return await super().result_json(job_id, wait)
        if wait <= LEAST_WAIT:  # to be told by another process costs more than another poll
            return await self._told(job_id)
        async with self._board.watch(job_id) as changed:
            seen = await self._told(job_id)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    while (current := await self._told(job_id)) == seen and not await self._is_settled(job_id):
                        await set_in_time(changed)
                    return current
            return seen

    async def _told(self, job_id: str) -> bytes:
        polled, is_fresh = await self._board.polled(job_id)
        if polled is not None and is_fresh:
            return polled
        stored = await self._stored(job_id)
        if stored.finished_at is not None:
            return json_bytes(self._kept(stored)["result"])
        return polled if polled is not None else self._rendered(job_id, await self._state_of(stored.job))

    async def _result_so_far(self, job: AcceptedJob) -> dict[str, Any]:
        polled, _ = await self._board.polled(job.id)
        rendered: dict[str, Any] = json.loads(polled or self._rendered(job.id, await self._state_of(job)))
        return rendered

    async def _state_of(self, job: AcceptedJob) -> StateT:
        """The state of a job that nobody works on, as the record has it."""
        state = self.kind.waiting(job.parked) if job.parked is not None else None
        if state is not None:
            return state
        return self.kind.queued(await asyncio.to_thread(self.kind.from_json, job.request))

    def _rendered(self, job_id: str, state: StateT) -> bytes:
        """The result object of a state as it is polled."""
        return json_bytes(self.kind.render(job_id, self.kind.as_polled(state)))

    async def events(self, job_id: str, after: int | None = None) -> AsyncIterator[JobEvent]:
        """As ever, from the board, whichever process works on the job and however often that changes."""
        await self._stored(job_id)
        return self._followed(job_id, after)

    async def _followed(self, job_id: str, after: int | None) -> AsyncIterator[JobEvent]:
        async with self.cluster.feeds.of(job_id, self._kept_if_ended) as feed:
            async for event in feed.read(after):
                yield event

    async def stream(self, job_id: str) -> AsyncIterator[str]:
        """As ever; of a job that is begun again, what is written again is not told twice."""
        await self._stored(job_id)
        return self._words(job_id)

    async def _words(self, job_id: str) -> AsyncIterator[str]:
        sent = written = begin = ""
        async for event in self._followed(job_id, None):
            if event.kind == "state":
                begin = begin or event.data["status"]
                written = "" if event.data["status"] == begin else written
            elif event.kind == "delta":
                written += event.data["message"]
                new = written[len(sent) :] if written.startswith(sent) else event.data["message"]
                if not sent.startswith(written):
                    sent = written
                    yield new

    async def ended_with(self, job_id: str, event_id: int) -> bool:
        kept = await self._kept_if_ended(job_id)
        return kept is not None and event_id == recorded_end(kept.get("events", {}))

    async def _is_settled(self, job_id: str) -> bool:
        """Whether nobody need wait here for more of a job."""
        return self.cluster.is_ending or await self._has_ended(job_id)

    async def _has_ended(self, job_id: str) -> bool:
        return await self._kept_if_ended(job_id) is not None

    async def _kept_if_ended(self, job_id: str) -> Mapping[str, Any] | None:
        """What the record keeps of a job that has ended. Raises `NotFound` for one that is gone."""
        stored = await self._stored(job_id)
        return None if stored.finished_at is None else self._kept(stored)

    async def forget(self, job_ids: Collection[str]) -> None:
        """As ever, at every process."""
        await super().forget(job_ids)
        await self._board.forget(job_ids)
        await self.cluster.signals.tell({"forget": list(job_ids)})

    def forget_here(self, job_ids: Collection[str]) -> None:
        """Another process has deleted these jobs."""
        self._store.forget(job_ids)

    def forget_ended(self) -> None:
        """Another process may have deleted jobs that have ended: the record tells."""
        self._store.forget_ended()

    # -- ends -------------------------------------------------------------------------------------------------------

    async def tell_state(self, job_id: str, state: StateT) -> None:
        """Tell a state of a job that nobody works on."""
        first_id = await self._board.begin(job_id, self.now())
        event = BoardEvent(first_id, "state", json_bytes(self.kind.render(job_id, state)))
        await self._board.tell_once(job_id, first_id, self._rendered(job_id, state), event)

    async def end_in_record(self, job: AcceptedJob, end: StateT, seen: Mapping[str, Any] | None = None) -> bool:
        """End a job that nobody works on here; with `seen` only while it waits for that. False where it has ended
        otherwise, or waits for something else. Raises `RecordUnavailable`."""
        end_id = await self._board.begin(job.id, self.now())
        result = self.kind.render(job.id, end)
        kept = {"result": result, "text": "", "events": {"end": end_id, "pieces": []}}
        ended_at, status = self.now(), self.kind.status(end)
        with self.kind.ending(job.project_id, job.id, end) as also:
            was_open = await self._jobs.end(job.id, status, kept, ended_at, also, seen=seen)
        if was_open:
            await self._board.tell_once(job.id, end_id, b"", BoardEvent(end_id, "end", b""))
            seconds = (ended_at - job.accepted_at).total_seconds()
            self.kind.ended(end, seconds)
            fields = (job.id, self.kind.name, job.project_id, job.person, asked_of(job), status)
            self.engine.on_end(EndedJob(*fields, result=result, seconds=seconds))
        return was_open

    async def expire(self, job: AcceptedJob) -> None:
        """End a job that has waited too long for its owner, also for something that this version cannot read."""
        state = self.kind.waiting(job.parked) if job.parked is not None else None
        waits = self.kind.waits(state) if state is not None else None
        too_late = AskwellError(*say("jobs.not_answered_in_time"))
        await self.end_in_record(job, waits.expired if waits else self.kind.failure(too_late), seen=job.parked)

    async def stop(self, job_id: str) -> None:
        """As ever, wherever the job goes on: the process that has it stops it, and else the record says that it has
        ended, which is heard of with the next word about it."""
        if await self.stop_here(job_id) and await self._has_ended(job_id):
            return
        stored = await self._stored(job_id)
        if stored.finished_at is not None:
            self._kept(stored)  # what was kept too long ago is unknown
            return
        if stored.job.worker is not None and await self._stopped_there(job_id):
            return
        await self.end_in_record(stored.job, self.kind.stopped(await self._state_of(stored.job)))
        await self.cluster.signals.tell({"stop": job_id})  # another process may have taken it

    async def stop_here(self, job_id: str) -> bool:
        """Stop a job that goes on in this process; False where none does."""
        entry = self._entry(job_id)
        if entry is None or self.kind.is_end(entry.state):
            return False
        await super().stop(job_id)
        return True

    async def _stopped_there(self, job_id: str) -> bool:
        """Whether the process that has the job has stopped it, or it has ended otherwise."""
        async with self.cluster.signals.changes(f"stopped:{job_id}") as changed:
            if not await self.cluster.signals.tell({"stop": job_id}):
                return False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await changed.wait()
        return await self._has_ended(job_id)

    async def give_up(self, entry: Entry) -> None:
        """Let go of a job that another process has by now: nothing more is written of it here."""
        self._store.drop(entry)
        await self._runner.cancel(entry.job_id)

    async def give_up_former(self) -> None:
        """Let go of all jobs that this process has under a name that is not its own any more."""
        for entry in self._store.live(self.kind):
            if entry.worker != self.cluster.membership.worker:
                await self.give_up(entry)
