"""Jobs of one kind: accepted, run, polled, stopped, and found again after a restart."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from askwell.errors import AskwellError, InvalidRequest, RecordUnavailable
from askwell.jobs.engine import EndedJob, JobEngine
from askwell.jobs.kind import DeadlineExceeded, Job, JobKind, Superseded, body_hash
from askwell.jobs.reading import JobReader
from askwell.jobs.status_store import Entry
from askwell.jobs.waiting import WaitingJobs
from askwell.knowledge.jobs import AcceptedJob, Change, IdempotencyConflict
from askwell.knowledge.repeats import once_recorded
from askwell.messages import say
from askwell.observability.logging import job_scope
from askwell.observability.tracing import Outcome, current_span, within
from askwell.principal import NOBODY, Person
from askwell.privacy.current import holding, masked

logger = logging.getLogger(__name__)

# A crash may be the job's own doing: it runs again once, and no more.
MAX_ATTEMPTS = 2
# A record that has written nothing for so long is away, whatever its connection says.
_ACCEPT_SECONDS = 20.0

RequestT = TypeVar("RequestT")
StateT = TypeVar("StateT")


class JobService(JobReader[RequestT, StateT], Generic[RequestT, StateT]):
    """Every accepted job is in the record before its id is told, and ends there."""

    def __init__(self, kind: JobKind[RequestT, StateT], engine: JobEngine) -> None:
        super().__init__(kind, engine)
        self._engine = engine
        self._runner = engine.runner
        self.waiting: WaitingJobs[RequestT, StateT] = WaitingJobs(kind, engine, end=self._end_waiting, run=self._run)

    # -- accepting --------------------------------------------------------------------------------------------------

    def require_room(self, request: RequestT) -> None:
        """Raises what `start` would raise before anything is written."""
        self.kind.require(request)
        self._runner.require_room()

    async def start(
        self,
        request: RequestT,
        idempotency_key: str | None = None,
        *,
        person: Person = NOBODY,
        also: Change | None = None,
    ) -> str:
        """Accept a job of this person and return its id; `also` is written together with it. Raises `Busy`,
        `ShuttingDown`, and `InvalidRequest` when the idempotency key was used for another request, or the kind does not
        accept it."""
        self.require_room(request)
        # Rows or a whole model may come with a request; and every attempt sees it as the record has it.
        accepted, request = await asyncio.to_thread(self._new_and_kept, request, idempotency_key, person)
        if self._begins_at_once():
            accepted = self._begun(accepted)
        stored: AcceptedJob | IdempotencyConflict | None = None
        try:
            stored = await self._accepted(accepted, also)
        finally:
            if not isinstance(stored, AcceptedJob) or stored.id != accepted.id:
                self._not_begun(accepted)
        if isinstance(stored, IdempotencyConflict):
            raise InvalidRequest(*say("jobs.idempotency_key_reused"))
        if (caller := current_span.get()) is not None:
            caller.note({"job_id": stored.id})
        if stored.id == accepted.id or await self._is_left(stored.id):
            await self._take_on(stored, request, counted=bool(accepted.attempts) and stored.id == accepted.id)
        return stored.id

    async def _accepted(self, accepted: AcceptedJob, also: Change | None) -> AcceptedJob | IdempotencyConflict:
        try:
            async with asyncio.timeout(_ACCEPT_SECONDS):
                return await self._jobs.accept(accepted, also)
        except TimeoutError:
            raise RecordUnavailable(*say("record.does_not_answer")) from None

    def _begins_at_once(self) -> bool:
        """Whether a job that is accepted now is begun with that."""
        return self._runner.is_idle and not self.kind.takes_turns

    def _begun(self, accepted: AcceptedJob) -> AcceptedJob:
        """The job, counted as begun together with its acceptance, which is one write less."""
        return replace(accepted, attempts=1)

    def _not_begun(self, accepted: AcceptedJob) -> None:
        """The record has not said that it has this job, or has another one in its place."""

    async def _take_on(self, job: AcceptedJob, request: RequestT, *, counted: bool) -> None:
        """Make sure that a process works on an accepted job."""
        self._enqueue(job, request, counted=counted)

    async def refuse(self, request: RequestT, error: AskwellError, *, person: Person = NOBODY) -> str:
        """Keep a job that fails before it begins; its id."""
        job, end = self._new(request, person=person), self.kind.failure(error)
        await self._jobs.accept(job)
        kept = {"result": self.kind.render(job.id, end), "text": ""}
        await self._jobs.end(job.id, self.kind.status(end), kept, job.accepted_at)
        self.kind.ended(end, 0.0)
        return job.id

    def _new(self, request: RequestT, idempotency_key: str | None = None, person: Person = NOBODY) -> AcceptedJob:
        kept = self.kind.to_json(request)
        return AcceptedJob(
            id=uuid.uuid4().hex,
            kind=self.kind.name,
            project_id=self.kind.project_of(request),
            request=kept,
            idempotency_key=_own_key(person, idempotency_key),
            body_hash=body_hash(self.kind.body(kept)),
            accepted_at=self._now(),
            label=self.kind.label(request),
            person=person,
        )

    def _new_and_kept(
        self, request: RequestT, idempotency_key: str | None, person: Person
    ) -> tuple[AcceptedJob, RequestT]:
        accepted = self._new(request, idempotency_key, person)
        return accepted, self.kind.from_json(accepted.request)

    async def _is_left(self, job_id: str) -> bool:
        """Whether a job is in the record and nobody works on it: it was written, and the record was away before it
        said so. The client was told 503, and asks again with the same key."""
        if self._store.get(job_id) is not None:
            return False
        stored = await self._jobs.find(job_id)
        return stored is not None and stored.status is None and self._store.get(job_id) is None

    async def resume(self) -> int:
        """Take up what was accepted before a restart. Returns how many jobs run again."""
        unfinished = await self._jobs.unfinished(self.kind.name)
        requests = await asyncio.to_thread(lambda: [self.kind.from_json(job.request) for job in unfinished])
        for job, request in zip(unfinished, requests, strict=True):
            if not self.waiting.take_up(job):
                self._enqueue(job, request)
        return len(unfinished)

    def _enqueue(
        self, job: AcceptedJob, request: RequestT, *, counted: bool = False, first_id: int | None = None
    ) -> Entry:
        before = job.attempts - counted
        queued = self.kind.queued(request)
        entry = self._store.add(self.kind, job.id, job.project_id, queued, before, first_id=first_id)
        entry.counted = entry.begun = counted
        entry.worker = job.worker
        entry.belongs_to(job)
        self._run(job, request, entry)
        return entry

    def _run(self, job: AcceptedJob, request: RequestT, entry: Entry) -> None:
        # Room was checked before the job was written down: once it is in the record it is never turned away.
        self._runner.submit(job.id, lambda: self._work(job, request, entry))

    # -- running ----------------------------------------------------------------------------------------------------

    async def _work(self, accepted: AcceptedJob, request: RequestT, entry: Entry) -> None:
        job: Job[RequestT, StateT]

        async def keep(changed: RequestT) -> None:
            nonlocal job
            job = replace(job, request=changed)
            await self._jobs.keep_request(accepted.id, self.kind.to_json(changed), entry.worker)

        job = Job(
            id=accepted.id,
            project_id=accepted.project_id,
            request=request,
            accepted_at=accepted.accepted_at,
            now=self._now(),
            stream=entry.stream,
            advance=lambda state: self._advance(entry, state),
            keep=keep,
            person=accepted.person,
        )
        vault = await self._engine.vault_for(job.project_id)
        with job_scope(job.id), holding(vault), self._traced(entry, job.request):
            try:
                # Jobs that wait for the record keep their places: there are never more than may be accepted.
                end = await once_recorded(lambda: self._attempt(job, entry), self.kind.noun)
                ended_at = self._now()
                if (waits := self.kind.waits(end)) is not None:
                    park = self.waiting.park
                    await once_recorded(lambda: park(entry, end, waits), f"what the {self.kind.noun} waits for")
                    return
                await once_recorded(lambda: self._end(entry, end, ended_at), f"the end of the {self.kind.noun}")
            except Superseded:
                self._store.drop(entry)  # unless it was ended here
                logger.info("%s was stopped", self.kind.noun)
            except Exception as error:
                # Neither its end nor what it waits for could be told; an accepted job always ends.
                kind = type(error).__name__
                logger.error("%s broke at its end", self.kind.noun, extra={"error": kind}, exc_info=error)
                broken, ended_at = self.kind.failure(self._unexpected()), self._now()
                await once_recorded(lambda: self._end(entry, broken, ended_at), f"the end of the {self.kind.noun}")

    async def _attempt(self, job: Job[RequestT, StateT], entry: Entry) -> StateT:
        async with self.kind.turn(job.request):
            return await self._attempt_now(job, entry)

    async def _attempt_now(self, job: Job[RequestT, StateT], entry: Entry) -> StateT:
        work = self.kind.begin(job)
        limit = asyncio.timeout(self.kind.deadline)
        try:
            async with limit:
                if not entry.counted:
                    if await self._jobs.start_attempt(job.id, entry.attempts, entry.worker) == 0:
                        raise Superseded  # it has ended in the record
                    entry.begun = True
                entry.counted = False
                if entry.attempts >= MAX_ATTEMPTS:
                    return work.failed(self._gave_up())
                return await work.run()
        except Superseded:
            raise
        except RecordUnavailable:
            queued = self.kind.queued(job.request)
            if self.kind.may_follow(entry.state, queued):
                self._advance(entry, queued)
            raise
        except AskwellError as error:
            logger.warning("%s failed", self.kind.noun, extra={"error": error.code})
            return work.failed(error)
        except Exception as error:
            if isinstance(error, TimeoutError) and limit.expired():
                return work.failed(DeadlineExceeded(self.kind.noun, self.kind.deadline or 0.0))
            # The message may hold a prompt or a row: only the class is logged by default.
            kind = type(error).__name__
            logger.error("%s failed unexpectedly", self.kind.noun, extra={"error": kind}, exc_info=error)
            return work.failed(self._unexpected())

    def _unexpected(self) -> AskwellError:
        return AskwellError(*say("jobs.unexpected", noun=self.kind.noun))

    def _gave_up(self) -> AskwellError:
        return AskwellError(*say("jobs.interrupted_twice", noun=self.kind.noun))

    def _advance(self, entry: Entry, state: Any) -> None:
        if self._store.advance(entry.job_id, entry.state, state):
            return
        if self._store.get(entry.job_id) is not entry or self.kind.is_end(entry.state):
            raise Superseded
        # Begun anew, since the record was away: clients have seen what comes after this state.

    async def _end_waiting(self, entry: Entry, state: StateT, end: StateT) -> bool:
        """End a job that still waits in this state; False where it does not. Raises `RecordUnavailable`."""
        return await self._end(entry, end, self._now(), only_from=state)

    async def _end(self, entry: Entry, end: StateT, ended_at: datetime, only_from: StateT | None = None) -> bool:
        """The record first, then pollers: an end that a client has seen survives a crash. One end only: a stop
        and the job's own end wait for each other, and the second one leaves things as they are (False). Raises
        `RecordUnavailable`, and can be called again with the same moment."""
        async with entry.ending:
            if self.kind.is_end(entry.state) or (only_from is not None and entry.state is not only_from):
                return False
            result, status = self.kind.render(entry.job_id, end), self.kind.status(end)
            with entry.events.holding_text():
                if not await self._write_end(entry, end, result, ended_at):
                    # Another end stands there: that is the one to tell.
                    self._store.drop(entry)
                    return False
                await self._end_is_written(entry)
                self._store.advance(entry.job_id, entry.state, end)
        seconds = time.monotonic() - entry.since
        self.kind.ended(end, seconds)
        ended = (entry.job_id, self.kind.name, entry.project_id, entry.person, entry.asked, status)
        self._engine.on_end(EndedJob(*ended, result=result, seconds=seconds))
        logger.info("%s ended", self.kind.noun, extra={"status": status, **self.kind.facts(end)})
        return True

    async def _write_end(self, entry: Entry, end: StateT, result: Mapping[str, Any], ended_at: datetime) -> bool:
        """Write an end and its result into the record; False where the job has ended otherwise."""
        kept = {"result": result, "text": entry.stream.text(), "events": entry.events.record()}
        status = self.kind.status(end)
        with self.kind.ending(entry.project_id, entry.job_id, end) as also:
            return await self._jobs.end(entry.job_id, status, kept, ended_at, also, worker=entry.worker)

    async def _end_is_written(self, entry: Entry) -> None:
        """The record has the end of a job, and nobody has seen it yet."""

    @contextmanager
    def _traced(self, entry: Entry, request: RequestT) -> Iterator[None]:
        """Everything traced inside belongs to the trace of this job, whose id is the job's, and nothing to what it was
        begun by: that has a trace of its own, to which this one leads."""
        given, begun_by = self.kind.about(request), current_span.get()
        caller = None if begun_by is None else begun_by.context
        root = None
        if given is not None:
            begin = self._engine.tracing.begin
            root = begin(entry.job_id, self.kind.name, given=lambda: masked(given), caller=caller)
        if root is None:
            with within(None):
                yield
            return
        try:
            with within(root):
                yield
        finally:
            end = entry.state
            # A job that was put down while the service stopped has no end: it runs again.
            is_published = self.kind.is_end(end) or self.kind.waits(end) is not None
            status = self.kind.status(end) if is_published else "interrupted"
            error = self.kind.render(entry.job_id, end).get("error", {}) if status == "failed" else {}
            gave = masked(self.kind.answer(end, entry.stream.text()))
            root.end(Outcome(gave=gave, facts={"status": status, **self.kind.facts(end)}, error=error.get("code")))

    # -- stopping ---------------------------------------------------------------------------------------------------

    async def stop(self, job_id: str) -> None:
        """Stop a job: no model or database call of it starts after this returns. An ended one stays as it is."""
        entry = self._entry(job_id)
        if entry is None:
            await self._recorded(job_id)
            return
        await self._end(entry, self.kind.stopped(entry.state), self._now())
        self._engine.deadlines.clear(job_id)
        await self._runner.cancel(job_id)


# Makes the service of a kind.
Serve = Callable[[JobKind[Any, Any], JobEngine], JobService[Any, Any]]


def _own_key(person: Person, idempotency_key: str | None) -> str | None:
    """The key as the record keeps it: two people may choose the same one."""
    if idempotency_key is None or not person.has_signed_in:
        return idempotency_key
    return f"{person.id} {idempotency_key}"
