"""What happens in a run, in order: in the record first, then to those who follow it, from other processes too."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from askwell.agent import events
from askwell.agent.events import TERMINAL, Event
from askwell.jobs.text_stream import Growing
from askwell.knowledge.jobs import Change
from askwell.knowledge.threads import Message, RunEvent, ThreadShelf, events_of_run, request_of_run, write_of_run

# A word may be lost: readers check for themselves now and then.
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


class RunLog(Growing[RunEvent]):
    """The events of one run in this process. `known` are those that the record has. What is told is written by one
    task, in order, several at once where they come faster than the record takes them."""

    def __init__(
        self, shelf: ThreadShelf, project_id: str, thread_id: str, run_id: str, known: Sequence[RunEvent] = ()
    ) -> None:
        super().__init__(known)
        self.run_id = run_id
        self._shelf = shelf
        self._project_id, self._thread_id = project_id, thread_id
        self._early: dict[int, RunEvent] = {}
        self._next = known[-1].place + 1 if known else 1
        self.segment = _segment_after(known)
        self._waiting: list[tuple[RunEvent | None, Message | None]] = []
        self._writer: asyncio.Task[None] | None = None

    @property
    def has_begun(self) -> bool:
        """Whether anything of this segment was told."""
        return bool(self._items) and self._items[-1].segment == self.segment

    def tell(self, *news: Event) -> None:
        """More happens. Nothing is told after the end."""
        for event in news:
            self._waiting.append((RunEvent(self._next, self.segment, event), None))
            self._next += 1
        self._write_soon()

    def keep(self, *messages: Message) -> None:
        """Messages of the thread, written in the order in which they and the events come."""
        self._waiting += [(None, message) for message in messages]
        self._write_soon()

    def _write_soon(self) -> None:
        if self._waiting and (self._writer is None or self._writer.done()) and not self._closed:
            self._writer = asyncio.create_task(self._write(), name=f"run-log-{self.run_id}")

    async def _write(self) -> None:
        while self._waiting and not self._closed:
            batch, self._waiting = self._waiting, []
            new = [event for event, _ in batch if event is not None]
            messages = [message for _, message in batch if message is not None]
            try:
                change = write_of_run(self._project_id, self._thread_id, self.run_id, new, messages)
                if await self._shelf.write(change):
                    self._publish(new)
                else:
                    self.close()
            except BaseException:
                self._waiting = [*batch, *self._waiting]
                raise

    async def flush(self) -> None:
        """Returns when all that was told is written. Raises `RecordUnavailable`."""
        while self._waiting or (self._writer is not None and not self._writer.done()):
            self._write_soon()
            if self._writer is None or self._closed:
                return
            await asyncio.shield(self._writer)
        if self._writer is not None and not self._closed:
            self._writer.result()

    def ended(self, written: Sequence[RunEvent], *, for_good: bool) -> None:
        """The segment has ended, by these events, which the record has; with `for_good` the run is over too."""
        self._waiting = []
        self._publish(written)
        if for_good:
            self.close()
        elif written:
            self._next, self.segment = written[-1].place + 1, written[-1].segment + 1

    def _publish(self, new: Sequence[RunEvent]) -> None:
        """In their order, also where an end is heard of before what was told ahead of it."""
        self._early |= {one.place: one for one in new}
        last = self._items[-1].place if self._items else 0
        while (following := self._early.pop(last + 1, None)) is not None:
            self._items.append(following)
            last += 1
        self._wake()

    async def read(self, after: int = 0, segment: int | None = None) -> AsyncIterator[RunEvent]:
        """The events behind a place until the end of the run, or of a segment alone."""
        async for one in self._all():
            if one.place > after and segment in (None, one.segment):
                yield one
            if one.segment == segment and one.event["type"] in TERMINAL:
                return


EndOf = Callable[[Mapping[str, Any]], Event]


@contextmanager
def ending(run_id: str, log: RunLog | None, end_of: EndOf, now: datetime, *, for_good: bool) -> Iterator[Change]:
    """Writes how a segment of a run ends: first what closes what it has open, then what `end_of` gives for the run's
    request; and the words that were being written as a message. Readers of its log hear of it later."""
    written: list[RunEvent] = []

    def write(connection: Connection) -> None:
        request, project_id = request_of_run(connection, run_id)
        known = events_of_run(connection, run_id)
        segment = _segment_after(known)
        seen = [one.event for one in known if one.segment == segment]
        begin = known[-1].place + 1 if known else 1
        end = end_of(request)
        client_ids = request.get("client_ids") or [None]
        opening = [] if seen else [events.run_started(request["thread_id"], client_ids[-1] or run_id)]
        new = [*opening, *events.closing(seen), end]
        written[:] = [RunEvent(place, segment, event) for place, event in enumerate(new, begin)]
        messages = []
        if (cut := events.unfinished_text(seen)) is not None:
            part = {"type": "text", "text": cut[1], "is_cut": True}
            messages = [Message.new("assistant", [part], run_id, now, cut[0])]
        write_of_run(project_id, request["thread_id"], run_id, written, messages, open_only=False)(connection)

    yield write
    if log is not None and written:
        log.ended(written, for_good=for_good)


def _segment_after(known: Sequence[RunEvent]) -> int:
    if not known:
        return 0
    last = known[-1]
    return last.segment + (last.event["type"] in TERMINAL)
