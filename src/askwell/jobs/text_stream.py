"""Text that is being written, for readers who come at any time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Growing(Generic[T]):
    """Items that become more, for readers who come at any time. `on_change` is called whenever something was added,
    and at the end."""

    def __init__(self, items: Iterable[T] = (), *, closed: bool = False) -> None:
        self._items = list(items)
        self._closed = closed
        self._changed = asyncio.Event()
        self.on_change: Callable[[], None] = lambda: None

    def close(self) -> None:
        """Nothing more is added here."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        # Waiters hold the old event; whoever comes next waits for a new one.
        self._changed.set()
        self._changed = asyncio.Event()
        self.on_change()

    async def _all(self, position: int = 0) -> AsyncIterator[T]:
        """The items from a position on, until there will be no more."""
        while True:
            changed = self._changed
            while position < len(self._items):
                position += 1
                yield self._items[position - 1]
            if self._closed:
                return
            await changed.wait()


class TextStream(Growing[str]):
    """Text that is being written for a job: readers see all of it from the beginning, then wait for more. `on_chunk`
    hears of every piece."""

    def __init__(self, text: str = "", *, closed: bool = False, on_chunk: Callable[[str], None] | None = None) -> None:
        super().__init__([text] if text else [], closed=closed)
        self._on_chunk = on_chunk

    def append(self, chunk: str) -> None:
        if not self._closed and chunk:
            self._items.append(chunk)
            if self._on_chunk is not None:
                self._on_chunk(chunk)
            self._wake()

    def text(self) -> str:
        return "".join(self._items)

    def read(self) -> AsyncIterator[str]:
        """Every chunk from the first, until the text is complete."""
        return self._all()
