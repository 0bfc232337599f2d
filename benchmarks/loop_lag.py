"""How long the event loop was kept from its work: a probe beside what is measured, in the same loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

_EVERY_SECONDS = 0.002


class LoopLag:
    """Sleeps for a moment, again and again, and notes by how much it woke too late. `worst_ms` counts what other
    processes on the machine took, too; `worst_own_ms` only as long as this process itself worked, without the threads
    of the embedder, which keep nothing else from running. `worst_loop_ms` is the processor time of the loop's own
    thread meanwhile: on a busy machine other threads work on while it waits for a processor, which `worst_own_ms`
    cannot tell from waiting for them."""

    def __init__(self) -> None:
        self.worst_ms = self.worst_own_ms = self.worst_loop_ms = 0.0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._probe(), name="loop-lag")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _probe(self) -> None:
        while True:
            began, worked, own = time.perf_counter(), _worked(), time.thread_time()
            await asyncio.sleep(_EVERY_SECONDS)
            late = (time.perf_counter() - began - _EVERY_SECONDS) * 1000
            self.worst_ms = max(self.worst_ms, late)
            self.worst_own_ms = max(self.worst_own_ms, min(late, (_worked() - worked) * 1000))
            self.worst_loop_ms = max(self.worst_loop_ms, (time.thread_time() - own) * 1000)


def _worked() -> float:
    """The process's seconds of processor time, without the embedder's threads."""
    return time.process_time() - sum(_embedding())


def _embedding() -> Iterator[float]:
    for thread in threading.enumerate():
        if thread.name.startswith("embedder") and thread.ident is not None:
            with contextlib.suppress(OSError):  # it has just ended
                yield time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
