"""Jobs of one kind: accepted, run, polled, stopped, and found again after a restart."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from askwell.errors import AskwellError, InvalidRequest, NotFound, RecordUnavailable
from askwell.jobs.engine import JobEngine
from askwell.jobs.events import JobEvent, json_bytes, recorded_end, recorded_events
from askwell.jobs.kind import DeadlineExceeded, Job, JobKind, Superseded, body_hash
from askwell.jobs.status_store import Entry
from askwell.jobs.text_stream import TextStream
from askwell.jobs.waiting import WaitingJobs
from askwell.knowledge.jobs import AcceptedJob, Change, IdempotencyConflict
from askwell.knowledge.repeats import once_recorded
from askwell.observability.logging import job_scope
from askwell.observability.tracing import within

logger = logging.getLogger(__name__)

_ALWAYS = datetime.min.replace(tzinfo=UTC)
# A crash may be the job's own doing: it runs again once, and no more.
MAX_ATTEMPTS = 2

RequestT = TypeVar("RequestT")
StateT = TypeVar("StateT")


class JobService(Generic[RequestT, StateT]):
    """Every accepted job is in the record before its id is told, and ends there."""

    def __init__(self, kind: JobKind[RequestT, StateT], engine: JobEngine) -> None:
        self.kind = kind
        self._engine = engine
        self._jobs = engine.record.jobs
        self._store = engine.store
        self._runner = engine.runner
        self._now = engine.now
        self.waiting = WaitingJobs(kind, engine, end=self._end_waiting, run=self._run)

    def now(self) -> datetime:
        """The present moment."""
        return self._now()

    # -- accepting --------------------------------------------------------------------------------------------------

    def require_room(self, request: RequestT) -> None:
        """Raises what `start` would raise before anything is written."""
        self.kind.require(request)
        self._runner.require_room()

    async def start(self, request: RequestT, idempotency_key: str | None = None, *, also: Change | None = None) -> str:
        """Accept a job and return its id; `also` is written together with it. Raises `Busy`, `ShuttingDown`, and
        `InvalidRequest` when the idempotency key was used for another request, or the kind does not accept it."""
        self.require_room(request)
        # Rows or a whole model may come with a request; and every attempt sees it as the record has it.
        # One write less for a job that begins as soon as it is accepted: it is counted as begun together with it.
        begins = self._runner.is_idle and not self.kind.takes_turns
        accepted, request = await asyncio.to_thread(self._new_and_kept, request, idempotency_key, int(begins))
        stored = await self._jobs.accept(accepted, also)
        if isinstance(stored, IdempotencyConflict):
            raise InvalidRequest(
                "This Idempotency-Key was used for another request.", "Use a new key for a new request."
            )
        if stored.id == accepted.id or await self._is_left(stored.id):
            self._enqueue(stored, request, counted=begins and stored.id == accepted.id)
        return stored.id

    async def refuse(self, request: RequestT, error: AskwellError) -> str:
        """Keep a job that fails before it begins; its id."""
        job, end = self._new(request), self.kind.failure(error)
        await self._jobs.accept(job)
        kept = {"result": self.kind.render(job.id, end), "text": ""}
        await self._jobs.end(job.id, self.kind.status(end), kept, job.accepted_at)
        self.kind.ended(end, 0.0)
        return job.id

    def _new(self, request: RequestT, idempotency_key: str | None = None, attempts: int = 0) -> AcceptedJob:
        kept = self.kind.to_json(request)
        return AcceptedJob(
            id=uuid.uuid4().hex,
            kind=self.kind.name,
            project_id=self.kind.project_of(request),
            request=kept,
            idempotency_key=idempotency_key,
            body_hash=body_hash(self.kind.body(kept)),
            accepted_at=self._now(),
            attempts=attempts,
            label=self.kind.label(request),
        )

    def _new_and_kept(
        self, request: RequestT, idempotency_key: str | None, attempts: int
    ) -> tuple[AcceptedJob, RequestT]:
        accepted = self._new(request, idempotency_key, attempts)
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

    def _enqueue(self, job: AcceptedJob, request: RequestT, *, counted: bool = False) -> None:
        before = job.attempts - counted
        entry = self._store.add(self.kind, job.id, job.project_id, self.kind.queued(request), before)
        entry.counted = entry.begun = counted
        self._run(job, request, entry)

    def _run(self, job: AcceptedJob, request: RequestT, entry: Entry) -> None:
        # Room was checked before the job was written down: once it is in the record it is never turned away.
        self._runner.submit(job.id, lambda: self._work(job, request, entry))

    # -- running ----------------------------------------------------------------------------------------------------

    async def _work(self, accepted: AcceptedJob, request: RequestT, entry: Entry) -> None:
        job: Job[RequestT, StateT]

        async def keep(changed: RequestT) -> None:
            nonlocal job
            job = replace(job, request=changed)
            await self._jobs.keep_request(accepted.id, self.kind.to_json(changed))

        job = Job(
            id=accepted.id,
            project_id=accepted.project_id,
            request=request,
            accepted_at=accepted.accepted_at,
            now=self._now(),
            stream=entry.stream,
            advance=lambda state: self._advance(entry, state),
            keep=keep,
        )
        with job_scope(job.id), self._traced(entry, job.request):
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
                    attempts = await self._jobs.start_attempt(job.id, entry.attempts)
                    if attempts == 0:
                        raise Superseded  # it has ended in the record
                    entry.begun = True
                    if attempts > MAX_ATTEMPTS:
                        return work.failed(self._gave_up())
                entry.counted = False
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
        return AskwellError(
            "Something unexpected went wrong inside the service.",
            f"Try again; if it happens again, report it with the trace_id of this {self.kind.noun}.",
        )

    def _gave_up(self) -> AskwellError:
        return AskwellError(
            f"The service was interrupted twice while working on this {self.kind.noun}, and has given up on it.",
            "Send it again; if the service stops once more, look into its log for the reason.",
        )

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
        """The record first, then whoever polls: an end that a client has seen survives a crash. One end only: a stop
        and the job's own end wait for each other, and the second one leaves things as they are (False). Raises
        `RecordUnavailable`, and can be called again with the same moment."""
        async with entry.ending:
            if self.kind.is_end(entry.state) or (only_from is not None and entry.state is not only_from):
                return False
            kept = {
                "result": self.kind.render(entry.job_id, end),
                "text": entry.stream.text(),
                "events": entry.events.record(),
            }
            status = self.kind.status(end)
            with self.kind.ending(entry.project_id, entry.job_id, end) as also:
                was_open = await self._jobs.end(entry.job_id, status, kept, ended_at, also)
            if not was_open:
                # Another end stands there: that is the one to tell.
                self._store.drop(entry)
                return False
            self._store.advance(entry.job_id, entry.state, end)
        self.kind.ended(end, time.monotonic() - entry.since)
        logger.info("%s ended", self.kind.noun, extra={"status": status, **self.kind.facts(end)})
        return True

    @contextmanager
    def _traced(self, entry: Entry, request: RequestT) -> Iterator[None]:
        """Everything traced inside belongs to the trace of this job, whose id is the job's."""
        given = self.kind.about(request)
        root = None if given is None else self._engine.tracing.begin(entry.job_id, self.kind.name, given=given)
        if root is None:
            yield
            return
        try:
            with within(root):
                yield
        finally:
            end = entry.state
            # A job that was put down while the service stopped has no end: it runs again.
            told = self.kind.is_end(end) or self.kind.waits(end) is not None
            status = self.kind.status(end) if told else "interrupted"
            error = self.kind.render(entry.job_id, end).get("error", {}) if status == "failed" else {}
            root.end(
                gave=self.kind.answer(end, entry.stream.text()),
                facts={"status": status, **self.kind.facts(end)},
                error=error.get("code"),
            )

    # -- reading ----------------------------------------------------------------------------------------------------

    async def require_project(self, job_id: str, project_id: str) -> None:
        """Raises `NotFound` where the job is unknown or another project's, which looks the same."""
        entry = self._entry(job_id)
        if entry is not None:
            found: str | None = entry.project_id
        else:
            stored = await self._jobs.find(job_id)
            found = None if stored is None or stored.job.kind != self.kind.name else stored.job.project_id
        if found != project_id:
            raise self._unknown(job_id)

    async def result_json(self, job_id: str, wait: float = 0) -> bytes:
        """The result object as JSON bytes, rendered once a state: polls are many. Held back until the state changes,
        for at most `wait` seconds. Raises `NotFound`."""
        entry = self._entry(job_id)
        if entry is not None:
            if wait:
                await entry.events.next_state(wait)
            return entry.result_json()
        return json_bytes((await self._recorded(job_id))["result"])

    async def request(self, job_id: str) -> RequestT:
        """The request of a job, as it is by now. Raises `NotFound`."""
        stored = await self._jobs.find(job_id)
        if stored is None or stored.job.kind != self.kind.name:
            raise self._unknown(job_id)
        return await asyncio.to_thread(self.kind.from_json, stored.job.request)

    async def request_and_result(self, job_id: str) -> tuple[RequestT, Mapping[str, Any]]:
        """The request and the present result of a job. Raises `NotFound`."""
        result: Mapping[str, Any] = json.loads(await self.result_json(job_id))
        return await self.request(job_id), result

    async def stream(self, job_id: str) -> AsyncIterator[str]:
        """The text being written for the job, from its beginning. Raises `NotFound` before anything is read."""
        entry = self._entry(job_id)
        stream = entry.stream if entry else TextStream((await self._recorded(job_id))["text"], closed=True)
        return stream.read()

    async def events(self, job_id: str, after: int | None = None) -> AsyncIterator[JobEvent]:
        """What happens to the job, from the event that follows the id `after` until its end. Raises `NotFound` before
        anything is read."""
        entry = self._entry(job_id)
        if entry is not None:
            return entry.events.read(after)
        kept = await self._recorded(job_id)
        return recorded_events(kept["result"], kept["text"], kept.get("events", {}), after)

    async def ended_with(self, job_id: str, event_id: int) -> bool:
        """Whether this event is the job's last, so that nothing follows it. Raises `NotFound`."""
        entry = self._entry(job_id)
        if entry is not None:
            return entry.events.ended_with(event_id)
        kept = await self._recorded(job_id)
        return event_id == recorded_end(kept.get("events", {}))

    async def latest(
        self, project_id: str, *, limit: int, offset: int, status: str | None = None, text: str | None = None
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of a project's jobs, latest first, and how many there are: the request as `request`, the result
        without `data`, `created_at` and `notes`, what was noted of it. `text` is part of the question, in any case."""
        page, total = await self._jobs.page(
            self.kind.name, project_id, limit=limit, offset=offset, status=status, text=text, ended_since=self._oldest()
        )
        return [self._listed(one.job, one.result) for one in page], total

    def _listed(self, job: AcceptedJob, kept: Mapping[str, Any] | None) -> Mapping[str, Any]:
        entry = self._entry(job.id)
        if entry is not None:
            result = self.kind.render(job.id, entry.state)
        else:
            queued = self.kind.queued(self.kind.from_json(job.request))
            result = dict(kept["result"]) if kept is not None else self.kind.render(job.id, queued)
        result.pop("data", None)
        notes = (kept or {}).get("notes", {})
        return {"id": job.id, "request": job.request, "result": result, "created_at": job.accepted_at, "notes": notes}

    async def notes(self, job_id: str) -> Mapping[str, Any]:
        """What was noted of a job. Raises `NotFound`."""
        notes: Mapping[str, Any] = (await self._recorded(job_id)).get("notes", {})
        return notes

    async def note(self, job_id: str, notes: Mapping[str, Any]) -> None:
        """Keep these notes (JSON) with a job that has ended, in place of earlier ones."""
        await self._jobs.note(job_id, "notes", dict(notes))

    def _entry(self, job_id: str) -> Entry | None:
        entry = self._store.get(job_id)
        return entry if entry is not None and entry.kind is self.kind else None

    async def _recorded(self, job_id: str) -> Mapping[str, Any]:
        """What the record keeps of an ended job, for as long as ends stay readable."""
        stored = await self._jobs.find(job_id)
        if (
            stored is None
            or stored.job.kind != self.kind.name
            or stored.result is None
            or stored.finished_at is None
            or stored.finished_at < self._oldest()
        ):
            raise self._unknown(job_id)
        return stored.result

    def _oldest(self) -> datetime:
        """What ended before cannot be read any more."""
        readable = self.kind.readable
        return _ALWAYS if readable is None else self._now() - timedelta(seconds=readable)

    def _unknown(self, job_id: str) -> NotFound:
        return NotFound(
            f"There is no {self.kind.noun} {job_id[:64]}.", "Ids are kept for a while after the end; start it again."
        )

    def forget(self, job_id: str) -> None:
        """Tell nothing more of a job that is gone from the record."""
        self._store.forget(job_id)

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
