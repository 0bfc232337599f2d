"""What happens to an ask, in order, for readers that come, go and come back (`GET /asks/{id}/events`)."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from askwell.asks.result import render
from askwell.asks.states import AskState, Failed, is_end

EventKind = Literal["state", "delta", "done", "error"]


@dataclass(frozen=True, slots=True)
class AskEvent:
    """One event. `data` is the result object for a state, and `{message}` for a piece of text (`delta`). `done` ends an
    ask that finished or was stopped, `error` one that failed."""

    id: int
    kind: EventKind
    data: Mapping[str, Any]


class EventLog:
    """The events of one ask in this process. Ids only grow, and go on growing when the ask runs again after a restart:
    the first one is the wall clock in milliseconds."""

    def __init__(self, ask_id: str) -> None:
        self._ask_id = ask_id
        self._first_id = time.time_ns() // 1_000_000
        # States are rendered for those who read them: most asks are polled.
        self._events: list[AskState | str] = []
        self._ended = False
        self._changed = asyncio.Event()

    def add(self, what: AskState | str) -> None:
        """A new state, or a piece of the text that is being written. After an end nothing more."""
        if self._ended:
            return
        self._events.append(what)
        self._ended = not isinstance(what, str) and is_end(what)
        # Waiters hold the old event; whoever comes next waits for a new one.
        self._changed.set()
        self._changed = asyncio.Event()

    def ended_with(self, event_id: int) -> bool:
        """Whether nothing follows this event, and nothing will."""
        return self._ended and event_id + 1 - self._first_id >= len(self._events)

    async def read(self, after: int | None = None) -> AsyncIterator[AskEvent]:
        """The events that follow the id `after`, or all of them, until the ask has ended."""
        position = max(after + 1 - self._first_id, 0) if after is not None else 0
        while True:
            changed = self._changed
            while position < len(self._events):
                yield self._event(position)
                position += 1
            if self._ended:
                return
            await changed.wait()

    def record(self) -> dict[str, Any]:
        """What has to outlive the process for readers to go on without gaps: the id of the end that is about to come,
        and the ids of the pieces of text with the length of the text up to each."""
        pieces: list[tuple[int, int]] = []
        length = 0
        for position, what in enumerate(self._events):
            if isinstance(what, str):
                length += len(what)
                pieces.append((self._first_id + position, length))
        return {"end": self._first_id + len(self._events), "pieces": pieces}

    def _event(self, position: int) -> AskEvent:
        what = self._events[position]
        event_id = self._first_id + position
        if isinstance(what, str):
            return AskEvent(event_id, "delta", {"message": what})
        kind: EventKind = "error" if isinstance(what, Failed) else "done" if is_end(what) else "state"
        return AskEvent(event_id, kind, render(self._ask_id, what))


def recorded_end(log: Mapping[str, Any]) -> int:
    """The id of the last event of an ended ask, from what the record keeps."""
    return int(log.get("end", 0))


async def recorded_events(
    result: Mapping[str, Any], text: str, log: Mapping[str, Any], after: int | None
) -> AsyncIterator[AskEvent]:
    """The events of an ended ask from what the record keeps: the text that `after` has not seen, and the end."""
    pieces: Sequence[Sequence[int]] = log.get("pieces", ())
    end = recorded_end(log)
    if after is not None and after >= end:
        return
    seen = bisect_right([piece[0] for piece in pieces], after) if after is not None else 0
    rest = text[pieces[seen - 1][1] if seen else 0 :]
    if rest and pieces:
        yield AskEvent(pieces[-1][0], "delta", {"message": rest})
    yield AskEvent(end, "error" if result.get("status") == "failed" else "done", result)
