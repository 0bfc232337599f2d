"""Text that is being written, for readers who come at any time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable


class TextStream:
    """Text that is being written for a job: readers see all of it from the beginning, then wait for more. `on_chunk`
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
