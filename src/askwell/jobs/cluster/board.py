"""What becomes of live jobs, on Redis, for processes that do not work on them.

A job has a hash (the first event id of the attempt that goes on, the last id told, the state as it is polled) and a
stream, whose ids are those that clients see. How a job ended is in the record alone: the stream then has an entry that
says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from askwell.jobs.cluster.signals import Signals, noticing_redis
from askwell.resources import text_of

# A job that goes on is told of again and again; what is not, the record can tell in short.
_KEPT_SECONDS = 3_600
# An answer that nobody polls is in the record too.
_ENDED_SECONDS = 300
PAGE = 256
# A process that ends a job and dies before it says so leaves a state that is none any more.
_FRESH_SECONDS = 5

# `end`: the record has it. `parked`: nothing happens until somebody answers.
BoardKind = Literal["state", "delta", "end"]


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """An event as it is told to others: `data` is JSON, and empty for an end."""

    id: int
    kind: BoardKind
    data: bytes


class Board:
    """States and events of live jobs; `now` is the clock that all processes share. What cannot be read is as if it was
    not there; what cannot be told raises what Redis raised."""

    def __init__(self, redis: Any, prefix: str, signals: Signals, now: Callable[[], datetime]) -> None:
        self._redis = redis
        self._prefix = prefix
        self._signals = signals
        self._now = now
        self._append: Any = redis.register_script(text_of(__package__, "append.lua"))
        self._begin: Any = redis.register_script(text_of(__package__, "begin.lua"))

    async def begin(self, job_id: str, now: datetime) -> int:
        """The first event id of a new attempt, after which earlier ones can tell nothing any more. Where Redis is away
        it goes by the clock."""
        moment = int(now.timestamp() * 1000)
        with noticing_redis(self._signals):
            return int(await self._begin(keys=[self._hash(job_id)], args=[moment, _KEPT_SECONDS]))
        return moment

    async def tell(self, job_id: str, first: int, polled: bytes, events: Sequence[BoardEvent]) -> bool:
        """Tell what has become of a job in the attempt whose first event is `first`, and its state as it is polled.
        False where another attempt has begun."""
        last = events[-1].id if events else 0
        kept = _ENDED_SECONDS if events and events[-1].kind == "end" else _KEPT_SECONDS
        told: list[Any] = [part for event in events for part in (event.id, event.kind, event.data)]
        at = self._now().timestamp()
        args = [first, last, kept, polled, self._signals.channel(_channel(job_id)), at, *told]
        return bool(await self._append(keys=[self._hash(job_id), self._stream(job_id)], args=args))

    async def tell_once(self, job_id: str, first: int, polled: bytes, event: BoardEvent) -> None:
        """Tell one event of a job that nobody works on; nothing where Redis is away, since the record has it."""
        with noticing_redis(self._signals):
            await self.tell(job_id, first, polled, [event])

    async def polled(self, job_id: str) -> tuple[bytes | None, bool]:
        """The state of a job as it is polled, and whether it was told of so shortly ago that it needs no second look.
        Without one the record has to tell."""
        with noticing_redis(self._signals):
            polled, at = await self._redis.hmget(self._hash(job_id), "polled", "at")
            return polled or None, at is not None and self._now().timestamp() - float(at) < _FRESH_SECONDS
        return None, False

    async def events(self, job_id: str, after: int) -> list[BoardEvent]:
        """The events behind an id, some hundred at a time."""
        with noticing_redis(self._signals):
            entries = await self._redis.xrange(self._stream(job_id), min=f"({after}-0", count=PAGE)
            return [
                BoardEvent(int(entry_id.split(b"-")[0]), fields[b"kind"].decode(), fields[b"data"])
                for entry_id, fields in entries
            ]
        return []

    def watch(self, job_id: str) -> contextlib.AbstractAsyncContextManager[Any]:
        """An event that is set when something has become of the job."""
        return self._signals.changes(_channel(job_id))

    async def forget(self, job_ids: Collection[str]) -> None:
        """Tell nothing of these jobs any more."""
        names = [name(job_id) for job_id in job_ids for name in (self._hash, self._stream)]
        if names:
            with noticing_redis(self._signals):
                await self._redis.delete(*names)

    def _hash(self, job_id: str) -> str:
        return f"{self._prefix}:job:{job_id}"

    def _stream(self, job_id: str) -> str:
        return f"{self._prefix}:events:{job_id}"


def _channel(job_id: str) -> str:
    return f"of:{job_id}"
