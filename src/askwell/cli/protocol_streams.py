"""The standard streams of a process that speaks a protocol over them: lines in, lines out, and nothing between."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial

from askwell.cli.threads import in_own_thread

_PIECE = 1 << 16
# Lines that are read ahead.
_AHEAD = 64


class Lines:
    """The lines that come in, as they come. A thread waits for them, which keeps no process alive."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: asyncio.Queue[str | None] | None = None

    def __aiter__(self) -> Lines:
        return self

    async def __anext__(self) -> str:
        if self._queue is None:
            self._queue = asyncio.Queue(_AHEAD)
            read = partial(self._read, asyncio.get_running_loop(), self._queue)
            threading.Thread(target=read, name="askwell-reading", daemon=True).start()
        line = await self._queue.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self, loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[str | None]) -> None:
        def put(line: str | None) -> None:
            asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()

        begun = bytearray()
        with contextlib.suppress(OSError, RuntimeError):  # closed, or nobody reads any more
            while piece := os.read(self._descriptor, _PIECE):
                *whole, rest = piece.split(b"\n")
                for part in whole:
                    put((begun + part).decode(errors="replace"))
                    begun.clear()
                begun += rest
        with contextlib.suppress(RuntimeError):
            if begun:
                put(begun.decode(errors="replace"))
            put(None)


class Writer:
    """Lines that go out, each as soon as it is flushed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = bytearray()

    async def write(self, text: str) -> None:
        """Keep it until `flush`."""
        self._waiting += text.encode(errors="replace")

    async def flush(self) -> None:
        """Raises `OSError` once nobody reads any more."""
        whole, self._waiting = bytes(self._waiting), bytearray()
        await in_own_thread(partial(_write, self._descriptor, whole))


@contextlib.contextmanager
def protocol_streams() -> Iterator[tuple[Lines, Writer]]:
    """Standard input and output for the protocol alone. Meanwhile whatever else is printed goes to standard error, and
    whatever else reads finds nothing, in child processes too."""
    sys.stdout.flush()
    ours = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield Lines(ours[0]), Writer(ours[1])
    finally:
        os.dup2(ours[1], 1)
        os.close(nothing)


def _write(descriptor: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
