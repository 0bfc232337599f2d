"""What is told of jobs of one kind: from memory while they go on here, and from the record once they have ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from askwell.errors import NotFound
from askwell.jobs.engine import JobEngine
from askwell.jobs.events import JobEvent, json_bytes, recorded_end, recorded_events
from askwell.jobs.kind import JobKind
from askwell.jobs.status_store import Entry
from askwell.jobs.text_stream import TextStream
from askwell.knowledge.jobs import AcceptedJob, JobFilter, StoredJob
from askwell.messages import say
from askwell.principal import Person

# An answer to a poll without `wait` is held back so long while nothing changes: clients that poll without a pause would
# else ask a dozen times for one answer, and take the processor from those that work on it.
LEAST_WAIT = 0.04
_ALWAYS = datetime.min.replace(tzinfo=UTC)
_ALL = JobFilter()

RequestT = TypeVar("RequestT")
StateT = TypeVar("StateT")


class JobReader(Generic[RequestT, StateT]):
    """States, results, texts and events of jobs, and whose they are."""

    def __init__(self, kind: JobKind[RequestT, StateT], engine: JobEngine) -> None:
        self.kind = kind
        self._jobs = engine.record.jobs
        self._store = engine.store
        self._now = engine.now

    def now(self) -> datetime:
        """The present moment."""
        return self._now()

    async def require_project(self, job_id: str, project_id: str) -> None:
        """Raises `NotFound` where the job is unknown or another project's, which looks the same."""
        if (await self.whose(job_id))[0] != project_id:
            raise self.unknown(job_id)

    async def require_owner(self, job_id: str, project_id: str, person: Person) -> None:
        """Raises `NotFound` where the job is unknown, another project's, or of someone else than the person who
        signed in; all of it looks the same."""
        project, owner = await self.whose(job_id)
        if project != project_id or (person.has_signed_in and owner != person.id):
            raise self.unknown(job_id)

    async def whose(self, job_id: str) -> tuple[str, str]:
        """The project of a job and the id of the person for whom it is, "" where nobody had signed in. Raises
        `NotFound`."""
        entry = self._entry(job_id)
        if entry is not None:
            return entry.project_id, entry.person.id
        found = await self._jobs.whose(job_id, self.kind.name)
        if found is None:
            raise self.unknown(job_id)
        return found

    async def result_json(self, job_id: str, wait: float = 0) -> bytes:
        """The result object as JSON bytes, rendered once a state: polls are many. Held back until the state changes,
        for at most `wait` seconds. Raises `NotFound`."""
        entry = self._entry(job_id)
        if entry is not None:
            if wait:
                await entry.events.next_state(wait)
            return entry.result_json()
        return json_bytes((await self._recorded(job_id))["result"])

    async def result(self, job_id: str, project_id: str | None = None, wait: float = 0) -> Mapping[str, Any]:
        """The result object, as `result_json` gives it, of a job of that project where one is said. Raises
        `NotFound`."""
        if project_id is not None:
            await self.require_project(job_id, project_id)
        result: Mapping[str, Any] = json.loads(await self.result_json(job_id, wait))
        return result

    async def request(self, job_id: str) -> RequestT:
        """The request of a job, as it is by now. Raises `NotFound`."""
        stored = await self._stored(job_id)
        return await asyncio.to_thread(self.kind.from_json, stored.job.request)

    async def person(self, job_id: str) -> Person:
        """For whom a job was started. Raises `NotFound`."""
        return (await self._stored(job_id)).job.person

    async def request_and_result(self, job_id: str) -> tuple[RequestT, Mapping[str, Any]]:
        """The request and the present result of a job. Raises `NotFound`."""
        return await self.request(job_id), await self.result(job_id)

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
        self,
        project_id: str,
        chosen: JobFilter = _ALL,
        *,
        limit: int,
        offset: int,
    ) -> tuple[Sequence[Mapping[str, Any]], int]:
        """A page of a project's jobs that are `chosen`, latest first, and how many there are: the request as `request`,
        the result without `data`, `created_at`, the `owner` (an id) and `notes`, what was noted of it."""
        page, total = await self._jobs.page(
            self.kind.name, project_id, chosen, limit=limit, offset=offset, ended_since=self.oldest()
        )
        return [await self._listed(one.job, one.result) for one in page], total

    async def _listed(self, job: AcceptedJob, kept: Mapping[str, Any] | None) -> Mapping[str, Any]:
        entry = self._entry(job.id)
        if entry is not None:
            result = self.kind.render(job.id, entry.state)
        else:
            result = dict(kept["result"]) if kept is not None else await self._result_so_far(job)
        result.pop("data", None)
        notes = (kept or {}).get("notes", {})
        return {
            "id": job.id,
            "request": job.request,
            "result": result,
            "created_at": job.accepted_at,
            "owner": job.person.id,
            "notes": notes,
        }

    async def _result_so_far(self, job: AcceptedJob) -> dict[str, Any]:
        """What is told of a job that has not ended, and that nobody works on here."""
        return self.kind.render(job.id, self.kind.queued(self.kind.from_json(job.request)))

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

    async def _stored(self, job_id: str) -> StoredJob:
        """A job as the record has it. Raises `NotFound`."""
        stored = await self._jobs.find(job_id)
        if stored is None or stored.job.kind != self.kind.name:
            raise self.unknown(job_id)
        return stored

    async def _recorded(self, job_id: str) -> Mapping[str, Any]:
        """What the record keeps of an ended job. Raises `NotFound`, also where it has not ended."""
        return self._kept(await self._stored(job_id))

    def _kept(self, stored: StoredJob) -> Mapping[str, Any]:
        """The same of a job that was found, for as long as ends stay readable."""
        if stored.result is None or stored.finished_at is None or stored.finished_at < self.oldest():
            raise self.unknown(stored.job.id)
        return stored.result

    def oldest(self) -> datetime:
        """What ended before cannot be read any more."""
        readable = self.kind.readable
        return _ALWAYS if readable is None else self._now() - timedelta(seconds=readable)

    def unknown(self, job_id: str) -> NotFound:
        """What is said of a job that there is not, or that is not for the caller."""
        return NotFound(*say("jobs.unknown", noun=self.kind.noun, job_id=job_id[:64]))

    async def forget(self, job_ids: Collection[str]) -> None:
        """Tell nothing more of jobs, of any kind, that are gone from the record."""
        self._store.forget(job_ids)
