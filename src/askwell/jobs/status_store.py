"""Where live jobs are looked up between the record's writes: a dict while they live, a TTL cache from their end on."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cachetools import TTLCache

from askwell.jobs.events import EventLog, json_bytes
from askwell.jobs.kind import JobKind
from askwell.jobs.text_stream import TextStream

# Bytes of ended jobs' results kept for polling; beyond this the oldest are answered from the record instead.
_KEPT_BYTES = 64 * 2**20


@dataclass(slots=True)
class Entry:
    """A job as the store holds it: its kind, project, state, text and events. `since` is when it was taken up
    (`time.monotonic`), `ending` is held by whoever is about to end it; `attempts` says how often work on it had been
    started when it was taken up, `begun` whether it was since, and `counted` that this stands in the record before it
    is."""

    job_id: str
    project_id: str
    kind: JobKind[Any, Any]
    state: Any
    stream: TextStream
    events: EventLog
    attempts: int = 0
    begun: bool = False
    counted: bool = False
    since: float = field(default_factory=time.monotonic)
    ending: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    def result_json(self) -> bytes:
        """What a client that polls gets; rendered once a state, since clients poll far more often."""
        polled = self.kind.as_polled(self.state)
        if polled is not self.state:
            return json_bytes(self.kind.render(self.job_id, polled))
        return self.events.last_state().json


class MemoryStatusStore:
    """States of live and recently ended jobs, in a single process. `ttl` (seconds) counts from a job's end; `now`
    gives the present moment."""

    def __init__(self, ttl: float, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._live: dict[str, Entry] = {}
        self._ended: TTLCache[str, Entry] = TTLCache(_KEPT_BYTES, ttl, getsizeof=lambda entry: len(entry.result_json()))

    def add(self, kind: JobKind[Any, Any], job_id: str, project_id: str, queued: Any, attempts: int = 0) -> Entry:
        """A new job, with the state it begins with."""
        events = EventLog(kind, job_id, self._now())
        stream = TextStream(on_chunk=events.add_text)
        entry = Entry(job_id, project_id, kind, queued, stream, events, attempts)
        events.add(entry.state)
        self._live[job_id] = entry
        return entry

    def get(self, job_id: str) -> Entry | None:
        return self._live.get(job_id) or self._ended.get(job_id)

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

    def forget(self, job_id: str) -> None:
        """Forget a job that is gone from the record, whether it lives or has ended."""
        if (entry := self._live.get(job_id)) is not None:
            self.drop(entry)
        self._ended.pop(job_id, None)

    def drop(self, entry: Entry) -> None:
        """Forget a live job without an end of its own: another one stands in the record. Readers come to their end."""
        if self._live.pop(entry.job_id, None) is not None:
            entry.events.close()
            entry.stream.close()
