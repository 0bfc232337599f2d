"""What happens to a job, in order, for readers that come, go and come back (`GET …/{id}/events`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from askwell.jobs.kind import JobKind
from askwell.jobs.text_stream import Growing

EventKind = Literal["state", "delta", "done", "error"]


@dataclass(frozen=True)
class JobEvent:
    """One event. `data` is the result object for a state, and `{message}` for a piece of text (`delta`). `done` ends a
    job that did not fail, `error` one that did."""

    id: int
    kind: EventKind
    data: Mapping[str, Any]

    @cached_property
    def json(self) -> bytes:
        """`data` as JSON, written once for all who read it."""
        return json_bytes(self.data)


@dataclass(frozen=True, slots=True)
class _Text:
    """A piece of the text that is being written."""

    piece: str


class EventLog(Growing[Any]):
    """The events of one job in this process. Ids only grow, and go on growing when the job runs again after a restart:
    the first one is the wall clock in milliseconds (`first_id_at`). Where that was set back meanwhile, readers who come
    back begin anew."""

    def __init__(self, kind: JobKind[Any, Any], job_id: str, first_id: int) -> None:
        super().__init__()  # states are rendered for those who read them
        self._kind = kind
        self._job_id = job_id
        self._first_id = first_id
        self._last_state = 0
        # The last state that was rendered: an end may be megabytes, and have a hundred readers.
        self._rendered: JobEvent | None = None
        self._held: list[str] | None = None

    def add(self, state: Any) -> None:
        """A new state. After an end nothing more."""
        if self._closed:
            return
        self._last_state = len(self._items)
        self._items.append(state)
        self._closed = self._kind.is_end(state)
        self._wake()

    def add_text(self, piece: str) -> None:
        """A piece of the text that is being written. After an end nothing more."""
        if self._held is not None:
            self._held.append(piece)
        elif not self._closed:
            self._items.append(_Text(piece))
            self._wake()

    @contextlib.contextmanager
    def holding_text(self) -> Iterator[None]:
        """Text that comes inside is added later, unless the job has ended: while its end is written, what the
        record says of the events has to stay true."""
        self._held = []
        try:
            yield
        finally:
            held, self._held = self._held, None
            for piece in held or ():
                self.add_text(piece)

    @property
    def first_id(self) -> int:
        """The id of the first event."""
        return self._first_id

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens here."""
        return self._closed

    def since(self, position: int) -> Sequence[JobEvent]:
        """The events from a position on."""
        return [self._event(place) for place in range(position, len(self._items))]

    def last_state(self) -> JobEvent:
        """The event of the present state."""
        return self._event(self._last_state)

    async def next_state(self, seconds: float) -> None:
        """Returns when the state changes, at the end, and after `seconds`."""
        seen = self._last_state
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._closed and self._last_state == seen:
                    await self._changed.wait()

    def ended_with(self, event_id: int) -> bool:
        """Whether nothing follows this event, and nothing will."""
        return self._closed and event_id + 1 - self._first_id == len(self._items)

    async def read(self, after: int | None = None) -> AsyncIterator[JobEvent]:
        """The events that follow the id `after`, or all of them, until the job has ended."""
        position = after + 1 - self._first_id if after is not None else 0
        if not 0 <= position <= len(self._items):
            position = 0  # an id of an earlier run; of a later time, where the clock was set back since
        async for _ in self._all(position):
            yield self._event(position)
            position += 1

    def record(self) -> dict[str, Any]:
        """What has to outlive the process for readers to go on without gaps: the id of the end that is about to come,
        and the ids of the pieces of text with the length of the text up to each."""
        pieces: list[tuple[int, int]] = []
        length = 0
        for position, what in enumerate(self._items):
            if isinstance(what, _Text):
                length += len(what.piece)
                pieces.append((self._first_id + position, length))
        return {"end": self._first_id + len(self._items), "pieces": pieces}

    def _event(self, position: int) -> JobEvent:
        what = self._items[position]
        event_id = self._first_id + position
        if isinstance(what, _Text):
            return JobEvent(event_id, "delta", {"message": what.piece})
        if self._rendered is None or self._rendered.id != event_id:
            rendered = self._kind.render(self._job_id, what)
            self._rendered = JobEvent(event_id, _name(rendered, self._kind.is_end(what)), rendered)
        return self._rendered


def first_id_at(moment: datetime) -> int:
    """The id that the first event gets at a moment."""
    return int(moment.timestamp() * 1000)


def _name(result: Mapping[str, Any], is_end: bool) -> EventKind:
    if not is_end:
        return "state"
    return "error" if result.get("status") == "failed" else "done"


def json_bytes(result: Any) -> bytes:
    """What clients get as JSON. Half a surrogate pair in a model's text becomes a question mark: it has no UTF-8."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def recorded_end(log: Mapping[str, Any]) -> int:
    """The id of the last event of an ended job, from what the record keeps."""
    return int(log.get("end", 0))


async def recorded_events(
    result: Mapping[str, Any], text: str, log: Mapping[str, Any], after: int | None
) -> AsyncIterator[JobEvent]:
    """The events of an ended job from what the record keeps: the text that `after` has not seen, and the end."""
    pieces: Sequence[Sequence[int]] = log.get("pieces", ())
    end = recorded_end(log)
    if after == end:
        return
    if after is not None and after > end:
        after = None  # an id of an earlier run, since when the clock was set back
    seen = bisect_right([piece[0] for piece in pieces], after) if after is not None else 0
    rest = text[pieces[seen - 1][1] if seen else 0 :]
    if rest and pieces:
        yield JobEvent(pieces[-1][0], "delta", {"message": rest})
    yield JobEvent(end, _name(result, True), result)
