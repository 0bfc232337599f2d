"""Rows on disk, a line of JSON each, until a file is written of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from askwell.errors import ResultTooLarge
from askwell.messages import say

# What one export may take of the disk. The file that is written of it takes less.
MOST_BYTES = 2 << 30
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Spool:
    """A file that rows are added to. `longest` is the longest line so far, in bytes. Use as a context manager."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path, self._most_bytes = path, most_bytes
        self._size = self.longest = 0

    def __enter__(self) -> Spool:
        self._out = self._path.open("wb")
        return self

    def __exit__(self, *_: object) -> None:
        self._out.close()

    async def take(self, rows: Sequence[Sequence[Any]]) -> None:
        """The next rows. Raises `OSError` where the disk takes no more, and `ResultTooLarge`."""
        await asyncio.to_thread(self._write, rows)

    def _write(self, rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        lines = [_encode(row).encode("utf-8", "replace") for row in rows]
        self.longest = max(self.longest, *map(len, lines))
        self._size += sum(map(len, lines)) + len(lines)
        if self._size > self._most_bytes:
            raise ResultTooLarge(*say("files.too_large", most_bytes=self._most_bytes >> 20))
        self._out.write(b"\n".join(lines) + b"\n")


def rows_in(path: Path) -> Iterator[list[Any]]:
    """The rows of such a file, in their order."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        yield from map(json.loads, lines)
