"""Where live jobs are looked up between the record's writes: a dict while they live, a TTL cache from their end on."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cachetools import TTLCache

from askwell.jobs.events import EventLog, first_id_at, json_bytes
from askwell.jobs.kind import JobKind
from askwell.jobs.text_stream import TextStream
from askwell.knowledge.jobs import AcceptedJob
from askwell.principal import NOBODY, Person

# Bytes of ended jobs' results kept for polling; beyond this the oldest are answered from the record instead.
_KEPT_BYTES = 64 * 2**20
# What requests of any kind may have that says what they are about, and how many characters of it are kept.
_TELLING = {"query": 2_000, "question": 2_000, "message": 2_000, "sql": 20_000}


@dataclass(slots=True)
class Entry:
    """A job as the store holds it: its kind, project, state, text and events. `since` is when it was taken up
    (`time.monotonic`), `ending` is held by whoever is about to end it; `attempts` says how often work on it had been
    started when it was taken up, `begun` whether it was since, and `counted` that this stands in the record before it
    is. `worker` is the name under which this process has it, where several share the record. `person` is for whom it
    is, and `asked` what of the request tells others what it was about."""

    job_id: str
    project_id: str
    kind: JobKind[Any, Any]
    state: Any
    stream: TextStream
    events: EventLog
    attempts: int = 0
    begun: bool = False
    counted: bool = False
    worker: str | None = None
    person: Person = NOBODY
    asked: Mapping[str, str] = field(default_factory=dict)
    since: float = field(default_factory=time.monotonic)
    ending: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    def belongs_to(self, job: AcceptedJob) -> None:
        """Note whose job it is, and what it is about."""
        self.person = job.person
        self.asked = asked_of(job)

    def result_json(self) -> bytes:
        """What a client that polls gets; rendered once a state, since clients poll far more often."""
        polled = self.kind.as_polled(self.state)
        if polled is not self.state:
            return json_bytes(self.kind.render(self.job_id, polled))
        return self.events.last_state().json


def asked_of(job: AcceptedJob) -> dict[str, str]:
    """What of a job's request tells others what it was about, by its name there."""
    said = {name: job.request.get(name) for name in _TELLING}
    return {name: text[: _TELLING[name]] for name, text in said.items() if isinstance(text, str)}


class MemoryStatusStore:
    """States of live and recently ended jobs, in a single process. `ttl` (seconds) counts from a job's end; `now`
    gives the present moment."""

    def __init__(self, ttl: float, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._live: dict[str, Entry] = {}
        self._ended: TTLCache[str, Entry] = TTLCache(_KEPT_BYTES, ttl, getsizeof=lambda entry: len(entry.result_json()))

    def add(
        self,
        kind: JobKind[Any, Any],
        job_id: str,
        project_id: str,
        state: Any,
        attempts: int = 0,
        *,
        first_id: int | None = None,
    ) -> Entry:
        """A job that is taken up, with the state it begins with; its first event has the id `first_id`, or that of the
        moment."""
        events = EventLog(kind, job_id, first_id_at(self._now()) if first_id is None else first_id)
        stream = TextStream(on_chunk=events.add_text)
        entry = Entry(job_id, project_id, kind, state, stream, events, attempts)
        events.add(entry.state)
        self._live[job_id] = entry
        return entry

    def get(self, job_id: str) -> Entry | None:
        return self._live.get(job_id) or self._ended.get(job_id)

    def live(self, kind: JobKind[Any, Any]) -> list[Entry]:
        """The jobs of a kind that have not ended."""
        return [entry for entry in self._live.values() if entry.kind is kind]

    def advance(self, job_id: str, seen: Any, following: Any) -> bool:
        """Change the state if `seen` is still current and may be followed by `following`. False otherwise."""
        entry = self._live.get(job_id)
        if entry is None or entry.state is not seen or not entry.kind.may_follow(seen, following):
            return False
        entry.state = following
        entry.events.add(following)
        if entry.kind.is_end(following):
            entry.stream.close()
            del self._live[job_id]
            with contextlib.suppress(ValueError):  # larger than all that is kept: the record answers for it
                self._ended[job_id] = entry
        return True

    def forget(self, job_ids: Collection[str]) -> None:
        """Forget jobs that are gone from the record, whether they live or have ended."""
        for job_id in job_ids:
            if (entry := self._live.get(job_id)) is not None:
                self.drop(entry)
            self._ended.pop(job_id, None)

    def forget_ended(self) -> None:
        """Leave it to the record to tell of jobs that have ended."""
        self._ended.clear()

    def drop(self, entry: Entry) -> None:
        """Forget a live job without an end of its own: another one stands in the record. Readers come to their end."""
        if self._live.pop(entry.job_id, None) is not None:
            entry.events.close()
            entry.stream.close()
