"""How running jobs end when the service stops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from askwell.jobs.engine import JobEngine
from askwell.jobs.runner import JobRunner

# What running jobs get to end when the service is stopped.
DRAIN_SECONDS = 10.0


async def _nothing() -> None:
    pass


class Draining:
    """Ends the jobs of `engines` in the background and takes no more `housework`. `ending` is set when that is over.
    Before all that `put_down` sees to it that no jobs are taken from elsewhere."""

    def __init__(
        self,
        engines: Sequence[JobEngine],
        housework: JobRunner,
        ending: asyncio.Event,
        put_down: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._engines = engines
        self._housework = housework
        self._ending = ending
        self._put_down = put_down
        self._endings: list[asyncio.Task[None]] = []

    @property
    def has_begun(self) -> bool:
        """Whether nothing new is taken any more."""
        return bool(self._endings)

    def begin(self) -> int:
        """No new work is taken, running jobs get `DRAIN_SECONDS`. How many there are. Safe to call twice."""
        running = sum(engine.running for engine in self._engines)
        if not self._endings:
            self._endings.append(asyncio.create_task(self._drain(), name="drain"))
        return running

    async def _drain(self) -> None:
        self._housework.close()
        try:
            await self._put_down()
            await asyncio.gather(*(engine.close(DRAIN_SECONDS) for engine in self._engines))
        finally:
            self._ending.set()

    async def finished(self) -> None:
        """Returns when the jobs that ran when it began have ended, or were cut. Raises what went wrong with ending
        them."""
        while not all(ending.done() for ending in self._endings):
            await asyncio.wait(self._endings)  # another one may have come meanwhile
        for ending in self._endings:
            ending.result()

    def hurry(self) -> None:
        """Wait no longer for running jobs: they are in the record, and run again after the next start."""
        self._endings.append(asyncio.create_task(self._close_now(), name="drain-now"))

    async def _close_now(self) -> None:
        await asyncio.gather(*(engine.close(0) for engine in self._engines))

    async def close(self) -> None:
        """Begin, if need be, and wait for the end. Safe to call twice."""
        self.begin()
        await self.finished()
