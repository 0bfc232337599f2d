"""The events of runs that other processes work on, read from the record as they come."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from askwell.agent.events import TERMINAL
from askwell.knowledge.threads import RunEvent, ThreadShelf

# A word may be lost: whoever reads looks for himself now and then.
_LOOK_SECONDS = 2.0


class RunFeed:
    """`poke` tells all processes that a channel has something new, `changes` is an event that such a word sets."""

    def __init__(
        self,
        shelf: ThreadShelf,
        poke: Callable[[str], None],
        changes: Callable[[str], AbstractAsyncContextManager[asyncio.Event]],
    ) -> None:
        self._shelf = shelf
        self._poke = poke
        self._changes = changes

    def grew(self, run_id: str) -> None:
        """Tell that the record has more events of a run."""
        self._poke(_channel(run_id))

    async def follow(
        self, run_id: str, after: int, segment: int | None, has_ended: Callable[[str], Awaitable[bool]]
    ) -> AsyncIterator[RunEvent]:
        """The events behind a place until the end of the run, or of a segment alone. Raises `NotFound` where it was
        deleted."""
        seen = 0
        async with self._changes(_channel(run_id)) as changed:
            while True:
                changed.clear()
                ended = await has_ended(run_id)  # first: what it ends with is written together with that
                for one in await self._shelf.events(run_id, after=seen):
                    seen = one.place
                    if one.place > after and segment in (None, one.segment):
                        yield one
                    if one.segment == segment and one.event["type"] in TERMINAL:
                        return
                if ended:
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await changed.wait()


def _channel(run_id: str) -> str:
    return f"run:{run_id}"
