"""States and events of live jobs on Redis, for processes that do not work on them, and the task for each such job that
writes them.

A job has a hash (the first event id of the attempt that goes on, the last id told, the state as it is polled) and a
stream, whose ids are those that clients see. How a job ended is in the record alone: the stream then has an entry that
says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from askwell.jobs.cluster.signals import Signals, noticing_redis, redis_trouble
from askwell.jobs.events import JobEvent
from askwell.jobs.kind import Superseded
from askwell.jobs.runner import cancel
from askwell.jobs.status_store import Entry
from askwell.knowledge.repeats import pauses
from askwell.resources import text_of

# A job that goes on is told of again and again; what is not, the record can tell in short.
_KEPT_SECONDS = 3_600
# An answer that nobody polls is in the record too.
_ENDED_SECONDS = 300
PAGE = 256
# A process that ends a job and dies before it says so leaves a state that is none any more.
_FRESH_SECONDS = 5

# `end`: the record has it. `parked`: nothing happens until a person answers.
BoardKind = Literal["state", "delta", "end"]


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """An event as it is told to others: `data` is JSON, and empty for an end."""

    id: int
    kind: BoardKind
    data: bytes


class Board:
    """States and events of live jobs; `now` is the clock that all processes share. What cannot be read is as if it was
    not there; what is not known raises what Redis raised."""

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
        arguments: list[Any] = [part for event in events for part in (event.id, event.kind, event.data)]
        at = self._now().timestamp()
        args = [first, last, kept, polled, self._signals.channel(_channel(job_id)), at, *arguments]
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


logger = logging.getLogger(__name__)

# States follow each other within milliseconds, words of a model within tens: what comes so near together is told at
# once.
_TOGETHER_SECONDS = 0.01
_LONGEST_PAUSE = 1.0
# What the last events get to be told when the process ends.
_CLOSING_SECONDS = 2.0

Lost = Callable[[Entry], Awaitable[None]]


class _Telling:
    """A job of which is told: how many of its events were, and the task that does so."""

    __slots__ = ("changed", "position", "task")

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.changed.set()
        self.position = 0
        self.task: asyncio.Task[None] | None = None


class Mirrors:
    """One task for each job that goes on here. Where Redis is away it keeps what it has to tell. `lost` hears of a job
    that another process has taken over."""

    def __init__(self, board: Board, signals: Signals, lost: Lost) -> None:
        self._board = board
        self._signals = signals
        self._lost = lost
        self._telling: dict[str, _Telling] = {}

    def follow(self, entry: Entry) -> None:
        """Tell what becomes of a job until it ends, waits for its owner, or is given up here."""
        telling = self._telling[entry.job_id] = _Telling()
        entry.events.on_change = telling.changed.set
        telling.task = asyncio.create_task(self._tell(entry, telling), name=f"mirror-{entry.job_id}")
        telling.task.add_done_callback(lambda _: self._forget(entry.job_id, telling))

    async def end(self, entry: Entry) -> None:
        """Tell all that is left to be told of a job, and that it has ended, which the record says already. Where Redis
        is away watchers find it there."""
        if (telling := self._telling.get(entry.job_id)) is None or telling.task is None:
            return
        if not self._signals.is_connected:
            return  # what is left is told when it is back
        events = [_told(event) for event in entry.events.since(telling.position)]
        end_id = entry.events.first_id + telling.position + len(events)
        with noticing_redis(self._signals):
            published = [*events, BoardEvent(end_id, "end", b"")]
            await self._board.tell(entry.job_id, entry.events.first_id, b"", published)
            telling.task.cancel()

    async def close(self) -> None:
        """Give what is left to be told a moment. Safe to call twice."""
        if tasks := {telling.task for telling in self._telling.values() if telling.task is not None}:
            await asyncio.wait(tasks, timeout=_CLOSING_SECONDS)
        for task in tasks:
            await cancel(task)

    def _forget(self, job_id: str, telling: _Telling) -> None:
        if self._telling.get(job_id) is telling:
            del self._telling[job_id]

    async def _tell(self, entry: Entry, telling: _Telling) -> None:
        waits = pauses(_LONGEST_PAUSE)
        while True:
            await telling.changed.wait()
            await asyncio.sleep(_TOGETHER_SECONDS)
            telling.changed.clear()
            is_over = entry.events.is_over
            try:
                if await self._tell_new(entry, telling):
                    waits = pauses(_LONGEST_PAUSE)
                    if is_over:
                        return
                    continue
            except Superseded:
                await self._lost(entry)
                return
            except Exception as error:
                kind = type(error).__name__
                logger.error("telling of a job failed", extra={"job": entry.job_id, "error": kind}, exc_info=error)
                if is_over:
                    return  # the record tells the end
            await asyncio.sleep(next(waits))
            telling.changed.set()

    async def _tell_new(self, entry: Entry, telling: _Telling) -> bool:
        """Tell what was not told yet; False where Redis is away. Raises `Superseded` for a job that another process has
        taken over."""
        if not (events := entry.events.since(telling.position)):
            return True
        rendered = [_told(event) for event in events]
        polled = b"" if rendered[-1].kind == "end" else entry.result_json()
        try:
            is_ours = await self._board.tell(entry.job_id, entry.events.first_id, polled, rendered)
        except redis_trouble() as error:
            self._signals.lost(error)
            return False
        if not is_ours:
            raise Superseded
        telling.position += len(events)
        return True


def _told(event: JobEvent) -> BoardEvent:
    if event.kind in ("done", "error"):
        return BoardEvent(event.id, "end", b"")
    return BoardEvent(event.id, "delta" if event.kind == "delta" else "state", event.json)
