"""What is to happen at given moments, each with an owner and a cancel path."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

logger = logging.getLogger(__name__)

# A longer sleep is cut in pieces: the clock may be set, and a laptop may sleep.
_LONGEST_SLEEP = 60.0


class Deadlines:
    """What is to happen at given moments, by key. `now` gives the present moment (timezone-aware). What goes wrong then
    is logged: nobody waits for it."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def set(self, key: str, at: datetime, call: Callable[[], Awaitable[None]]) -> None:
        """Call at this moment, or at once where it has passed; in place of what was set for the key before."""
        self.clear(key)
        task = asyncio.create_task(self._wait(at, call), name=f"deadline-{key}")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._forget(key, done))

    def clear(self, key: str) -> None:
        """Nothing happens for this key any more."""
        task = self._tasks.pop(key, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def close(self) -> None:
        """Nothing happens any more."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _wait(self, at: datetime, call: Callable[[], Awaitable[None]]) -> None:
        while (left := (at - self._now()).total_seconds()) > 0:  # noqa: ASYNC110 - a moment, not an event, is waited for
            await asyncio.sleep(min(left, _LONGEST_SLEEP))
        await call()

    def _forget(self, key: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("what was due did not happen", extra={"error": type(error).__name__})
