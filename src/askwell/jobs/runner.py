"""How accepted work runs: asyncio tasks under a bounded queue, each with an owner, a deadline and a cancel path."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from askwell.errors import Busy, ShuttingDown
from askwell.messages import say

logger = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]


async def cancel(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task, unless it is the one that asks for it, and wait for its end. None is passed over."""
    if task is not None and task is not asyncio.current_task():
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class JobRunner:
    """Runs at most `concurrency` jobs at once and lets at most `queue_size` more wait.

    A job is known by its key until it ends. Work that must not be lost is in the record before it comes here: the
    runner itself remembers nothing across a restart. `setting` is the configuration key of the queue's size, if any.
    """

    def __init__(self, *, concurrency: int, queue_size: int, setting: str = "") -> None:
        self._setting = setting
        self._slots = asyncio.Semaphore(concurrency)
        self._concurrency = concurrency
        self._queue_size = queue_size
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closing = False

    @property
    def depth(self) -> int:
        """Jobs accepted and not ended."""
        return len(self._tasks)

    @property
    def running(self) -> int:
        """Jobs being worked on."""
        return min(len(self._tasks), self._concurrency)

    @property
    def waiting(self) -> int:
        """Jobs waiting for their turn."""
        return len(self._tasks) - self.running

    @property
    def queue_size(self) -> int:
        """How many jobs may wait."""
        return self._queue_size

    @property
    def room(self) -> int:
        """How many jobs that come now would begin at once."""
        return 0 if self._closing else max(0, self._concurrency - len(self._tasks))

    @property
    def is_idle(self) -> bool:
        """Whether a job that comes now begins at once."""
        return len(self._tasks) < self._concurrency

    def require_room(self) -> None:
        """Raises `Busy` or `ShuttingDown` when another job would not be taken now. Asked before work is written into
        the record."""
        if self._closing:
            raise ShuttingDown(*say("service.shutting_down"))
        if len(self._tasks) >= self._queue_size + self._concurrency:
            or_raise = f", or raise {self._setting} ({self._queue_size})" if self._setting else ""
            raise Busy(
                *say("jobs.queue_full", running=self.running, waiting=self.waiting, or_raise=or_raise),
                retry_after=2,
            )

    def submit(self, key: str, work: Work) -> None:
        """Take a job. One that is in the record already is never turned away: while closing it is left for the next
        start. A key that is running is not started twice."""
        if self._closing or key in self._tasks:
            return
        task = asyncio.create_task(self._run(work), name=f"job-{key}")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._ended(key, done))

    async def _run(self, work: Work) -> None:
        async with self._slots:
            await work()

    def _ended(self, key: str, task: asyncio.Task[None]) -> None:
        self._tasks.pop(key, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            # The class and place only: the message of an unexpected exception may hold a prompt or a row.
            logger.error("job ended with an unexpected error", extra={"job": key, "error": type(error).__name__})

    async def cancel(self, key: str) -> bool:
        """Cancel a job and wait until it has let go of everything. False when there is no such job."""
        task = self._tasks.get(key)
        if task is None:
            return False
        task.cancel()
        await asyncio.wait([task])
        return True

    async def ended(self, key: str) -> None:
        """Returns when work on the job has ended, or at once where there is none."""
        if (task := self._tasks.get(key)) is not None:
            await asyncio.wait([task])

    def close(self) -> None:
        """Take no more jobs; the running ones go on."""
        self._closing = True

    async def drain(self, seconds: float) -> tuple[str, ...]:
        """Take no more jobs, give the running ones `seconds` to end, cancel the rest. Returns the keys of those that
        were cut. A second call, with less patience, ends a first one that is still waiting."""
        self._closing = True
        tasks = dict(self._tasks)
        if tasks:
            await asyncio.wait(tasks.values(), timeout=seconds)
        late = {key: task for key, task in tasks.items() if not task.done()}
        for task in late.values():
            task.cancel()
        if late:
            await asyncio.wait(late.values())
        return tuple(late)
