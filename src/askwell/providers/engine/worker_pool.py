"""A few query processes for one database: started when needed, lent to one request at a time, let go when idle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from askwell.errors import EngineUnavailable
from askwell.providers.engine.worker_process import QUERY_PROCESS, WorkerProcess


class WorkerPool:
    """At most `size` processes. A process that is not handed back in good order is stopped, and the next one is new.

    `grace_seconds` is how long it then has to stop its query elsewhere before it is killed. `entry_point` is the file
    that a process runs.
    """

    def __init__(
        self,
        settings: dict[str, Any],
        modules: tuple[str, ...],
        *,
        size: int,
        idle_seconds: float,
        grace_seconds: float = 0.0,
        entry_point: Path = QUERY_PROCESS,
    ) -> None:
        self._entry_point = entry_point
        self._settings = settings
        self._modules = modules
        self._idle_seconds = idle_seconds
        self._grace_seconds = grace_seconds
        self._free_slots = asyncio.Semaphore(size)
        self._idle: list[tuple[float, WorkerProcess]] = []
        self._busy: set[WorkerProcess] = set()
        self._starting: set[asyncio.Task[WorkerProcess]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._reaper: asyncio.TimerHandle | None = None
        self._closed = False

    @asynccontextmanager
    async def worker(self, longest_wait: float | None = None) -> AsyncIterator[WorkerProcess]:
        """A process of one's own for one request. Leaving with an exception, cancellation too, stops it.

        Raises `EngineUnavailable` where none becomes free within `longest_wait` seconds.
        """
        try:
            async with asyncio.timeout(longest_wait):
                await self._free_slots.acquire()
        except TimeoutError:
            raise EngineUnavailable(
                f"The database is busy with other questions, and was for {longest_wait:g} seconds.",
                "Ask again in a while, or let more queries run at once: pool_size of the data source.",
            ) from None
        try:
            if self._closed:
                raise EngineUnavailable(
                    "The database has been closed.", "The service is shutting down; ask again later."
                )
            worker = self._pop_idle() or await self._start()
        except BaseException:
            self._free_slots.release()
            raise
        self._busy.add(worker)
        try:
            yield worker
        except BaseException:
            # Its slot is free once it is gone, and its query with it.
            self._end(worker).add_done_callback(lambda _: self._free_slots.release())
            raise
        else:
            self._keep(worker)
            self._free_slots.release()
        finally:
            self._busy.discard(worker)

    async def close(self) -> None:
        """Kill every process and wait until none is left. Safe to call twice."""
        self._closed = True
        if self._reaper is not None:
            self._reaper.cancel()
            self._reaper = None
        for task in self._starting:
            task.add_done_callback(self._end_late_starter)
        for worker in [*self._busy, *(worker for _, worker in self._idle)]:
            self._end(worker)
        self._idle.clear()
        while pending := [*self._starting, *self._ending]:
            await asyncio.wait(pending)

    def _pop_idle(self) -> WorkerProcess | None:
        while self._idle:
            _, worker = self._idle.pop()
            if worker.is_alive:
                return worker
            self._end(worker)
        return None

    async def _start(self) -> WorkerProcess:
        # Starting cannot be interrupted half-way, or a child could be left that nobody knows.
        task = asyncio.create_task(WorkerProcess.start(self._settings, self._modules, self._entry_point))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(self._end_late_starter)
            raise
        except OSError as error:
            raise EngineUnavailable(
                f"A process to run queries in could not be started: {error.strerror}.",
                "Check how much memory and how many processes this machine has left.",
            ) from None

    def _end_late_starter(self, task: asyncio.Task[WorkerProcess]) -> None:
        if not task.cancelled() and task.exception() is None:
            self._end(task.result())

    def _keep(self, worker: WorkerProcess) -> None:
        if self._closed or not worker.is_alive:
            self._end(worker)
            return
        loop = asyncio.get_running_loop()
        self._idle.append((loop.time() + self._idle_seconds, worker))
        if self._reaper is None:
            self._reaper = loop.call_later(self._idle_seconds, self._reap)

    def _reap(self) -> None:
        """Dismiss what has been idle for long enough. The most recently used are taken first, so the others do age."""
        now = asyncio.get_running_loop().time()
        expired = [worker for expiry, worker in self._idle if expiry <= now]
        self._idle = [(expiry, worker) for expiry, worker in self._idle if expiry > now]
        for worker in expired:
            self._see_off(worker.leave())
        self._reaper = None
        if self._idle:
            next_expiry = min(expiry for expiry, _ in self._idle)
            self._reaper = asyncio.get_running_loop().call_at(next_expiry, self._reap)

    def _end(self, worker: WorkerProcess) -> asyncio.Task[None]:
        if self._grace_seconds:
            worker.interrupt()
        else:
            worker.kill()
        return self._see_off(worker.end(self._grace_seconds))

    def _see_off(self, ending: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Wait for the end of a process in the background; the pool owns the waiting."""
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task
