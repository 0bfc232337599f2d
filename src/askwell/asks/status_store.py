"""Where live asks are looked up between the record's writes: a dict while they live, a TTL cache from their end on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cachetools import TTLCache

from askwell.asks.events import EventLog
from askwell.asks.result import render
from askwell.asks.states import AskState, Queued, is_end, may_follow

# Bytes of ended asks' results kept for polling; beyond this the oldest are answered from the record instead.
_KEPT_BYTES = 64 * 2**20


class TextStream:
    """Text that is being written for an ask: readers see all of it from the beginning, then wait for more. `on_chunk`
    hears of every piece."""

    def __init__(self, text: str = "", *, closed: bool = False, on_chunk: Callable[[str], None] | None = None) -> None:
        self._chunks: list[str] = [text] if text else []
        self._closed = closed
        self._on_chunk = on_chunk
        self._changed = asyncio.Event()

    def append(self, chunk: str) -> None:
        if not self._closed and chunk:
            self._chunks.append(chunk)
            if self._on_chunk is not None:
                self._on_chunk(chunk)
            self._wake()

    def close(self) -> None:
        self._closed = True
        self._wake()

    def text(self) -> str:
        return "".join(self._chunks)

    def _wake(self) -> None:
        # Waiters hold the old event; whoever comes next waits for a new one.
        self._changed.set()
        self._changed = asyncio.Event()

    async def read(self) -> AsyncIterator[str]:
        """Every chunk from the first, until the text is complete."""
        position = 0
        while True:
            changed = self._changed
            while position < len(self._chunks):
                position += 1
                yield self._chunks[position - 1]
            if self._closed:
                return
            await changed.wait()


def result_bytes(result: Mapping[str, Any]) -> bytes:
    """A result object as JSON. Half a surrogate pair in a model's text becomes a question mark: it has no UTF-8."""
    return json.dumps(result, ensure_ascii=False).encode(errors="replace")


@dataclass(slots=True)
class Entry:
    """An ask as the store holds it: its project, its state, its text, its events, and the result as JSON bytes once
    rendered. `since` is when it was taken up (`time.monotonic`), `ending` is held by whoever is about to end it."""

    ask_id: str
    project_id: str
    state: AskState
    stream: TextStream
    events: EventLog
    since: float = field(default_factory=time.monotonic)
    ending: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _rendered: bytes | None = field(default=None, repr=False)

    def result_json(self) -> bytes:
        """The body of `GET /asks/{id}/result`; rendered once a state, since clients poll far more often."""
        if self._rendered is None:
            self._rendered = result_bytes(render(self.ask_id, self.state))
        return self._rendered


class MemoryStatusStore:
    """States of live and recently ended asks, in a single process. `ttl` (seconds) counts from an ask's end."""

    def __init__(self, ttl: float) -> None:
        self._live: dict[str, Entry] = {}
        self._ended: TTLCache[str, Entry] = TTLCache(_KEPT_BYTES, ttl, getsizeof=lambda entry: len(entry.result_json()))

    def add(self, ask_id: str, project_id: str) -> Entry:
        """A new ask, queued."""
        events = EventLog(ask_id)
        entry = Entry(ask_id, project_id, Queued(), TextStream(on_chunk=events.add), events)
        events.add(entry.state)
        self._live[ask_id] = entry
        return entry

    def get(self, ask_id: str) -> Entry | None:
        return self._live.get(ask_id) or self._ended.get(ask_id)

    def advance(self, ask_id: str, seen: AskState, following: AskState) -> bool:
        """Change the state if `seen` is still current and may be followed by `following`. False otherwise."""
        entry = self._live.get(ask_id)
        if entry is None or entry.state is not seen or not may_follow(seen, following):
            return False
        entry.state = following
        entry._rendered = None
        entry.events.add(following)
        if is_end(following):
            entry.stream.close()
            del self._live[ask_id]
            with contextlib.suppress(ValueError):  # larger than all that is kept: the record answers for it
                self._ended[ask_id] = entry
        return True
