"""What other processes are told of the jobs that this one works on, in order and as it comes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable

from askwell.jobs.cluster.board import Board, BoardEvent
from askwell.jobs.cluster.signals import Signals, noticing_redis, redis_trouble
from askwell.jobs.events import JobEvent
from askwell.jobs.kind import Superseded
from askwell.jobs.status_store import Entry
from askwell.knowledge.repeats import pauses

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
        is away whoever watches finds it there."""
        if (telling := self._telling.get(entry.job_id)) is None or telling.task is None:
            return
        if not self._signals.is_connected:
            return  # what is left is told when it is back
        events = [_told(event) for event in entry.events.since(telling.position)]
        end_id = entry.events.first_id + telling.position + len(events)
        with noticing_redis(self._signals):
            told = [*events, BoardEvent(end_id, "end", b"")]
            await self._board.tell(entry.job_id, entry.events.first_id, b"", told)
            telling.task.cancel()

    async def close(self) -> None:
        """Give what is left to be told a moment. Safe to call twice."""
        if tasks := {telling.task for telling in self._telling.values() if telling.task is not None}:
            await asyncio.wait(tasks, timeout=_CLOSING_SECONDS)
        for task in tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

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
        told = [_told(event) for event in events]
        polled = b"" if told[-1].kind == "end" else entry.result_json()
        try:
            is_ours = await self._board.tell(entry.job_id, entry.events.first_id, polled, told)
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
