"""What is told of jobs, read from the board once for all who follow one of them here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from askwell.errors import AskwellError
from askwell.jobs.cluster.live_states import PAGE, Board, BoardEvent
from askwell.jobs.events import JobEvent, recorded_events
from askwell.jobs.runner import cancel
from askwell.jobs.text_stream import Growing
from askwell.messages import say

# A word may be lost, and so may a process before its last one: who follows a job looks for himself now and then.
LOOK_SECONDS = 2.0

logger = logging.getLogger(__name__)

KeptIfEnded = Callable[[str], Awaitable[Mapping[str, Any] | None]]


class Feed(Growing[JobEvent]):
    """The events of one job as they come, whichever process works on it and however often that changes. `kept` is what
    the record keeps once the job has ended; `error` why nothing more is known."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: Mapping[str, Any] | None = None
        self.error: AskwellError | None = None
        self.task: asyncio.Task[None] | None = None
        self.readers = 0
        self._end: JobEvent | None = None

    async def fill(self, board: Board, job_id: str, kept_if_ended: KeptIfEnded) -> None:
        """Read what comes until the end."""
        try:
            async with board.watch(job_id) as changed:
                await self._fill(board, job_id, kept_if_ended, changed)
        except AskwellError as error:
            self._fail(error)
        except Exception as error:
            # Readers would wait for ever.
            kind = type(error).__name__
            logger.error("following a job failed", extra={"job": job_id, "error": kind}, exc_info=error)
            self._fail(AskwellError(*say("jobs.not_followed")))

    async def _fill(self, board: Board, job_id: str, kept_if_ended: KeptIfEnded, changed: asyncio.Event) -> None:
        looks = True
        while True:
            events = await board.events(job_id, self._items[-1].id if self._items else 0)
            has_ended = bool(events) and events[-1].kind == "end"
            self._items += [_event(event) for event in events if event.kind != "end"]
            if (looks or has_ended) and (kept := await kept_if_ended(job_id)) is not None:
                self.kept = kept
                self.close()
                return
            if events:
                self._wake()
            if len(events) < PAGE:
                looks = not await set_in_time(changed)

    async def read(self, after: int | None) -> AsyncIterator[JobEvent]:
        """The events behind an id, or all of them, until the job has ended. Raises what went wrong with reading."""
        seen = after
        async for one in self._all():
            if seen is None or one.id > seen:
                seen = one.id
                yield one
        if self.kept is None:
            raise self.error or AskwellError(*say("jobs.not_followed"))
        # What this reader has not been told: another one may have come from further behind.
        log = self.kept.get("events", {})
        async for event in recorded_events(self.kept["result"], self.kept["text"], log, seen):
            if self._end is None or self._end.id != event.id:
                self._end = event
            yield self._end  # it may be large, and is written once for all who read it

    def _fail(self, error: AskwellError) -> None:
        self.error = error
        self.close()


class Feeds:
    """The feeds of jobs that someone follows here."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._feeds: dict[str, Feed] = {}

    @asynccontextmanager
    async def of(self, job_id: str, kept_if_ended: KeptIfEnded) -> AsyncIterator[Feed]:
        """The feed of a job, for as long as it is followed. `kept_if_ended` gives what the record keeps of a job that
        has ended, None of one that has not."""
        feed = self._feeds.get(job_id)
        if feed is None:
            feed = self._feeds[job_id] = Feed()
            filling = feed.fill(self._board, job_id, kept_if_ended)
            feed.task = asyncio.create_task(filling, name=f"feed-{job_id}")
        feed.readers += 1
        try:
            yield feed
        finally:
            feed.readers -= 1
            if not feed.readers:
                if self._feeds.get(job_id) is feed:
                    del self._feeds[job_id]
                await cancel(feed.task)

    async def close(self) -> None:
        """Nothing is followed any more. Safe to call twice."""
        for feed in list(self._feeds.values()):
            await cancel(feed.task)


async def set_in_time(changed: asyncio.Event) -> bool:
    """Whether the event was set within the time after which one looks for oneself; it is cleared."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LOOK_SECONDS):
            await changed.wait()
    was_set = changed.is_set()
    changed.clear()
    return was_set


def _event(event: BoardEvent) -> JobEvent:
    return JobEvent(event.id, "delta" if event.kind == "delta" else "state", json.loads(event.data))
