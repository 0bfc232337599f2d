"""The record's file as the file system sees it: SQLite goes on writing to a file that has been deleted, to no end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

_Identity = tuple[int, int]


class RecordFile:
    """A file that is open, and whether its path still leads to it. One look costs some microseconds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened = _identity(path)

    @property
    def name(self) -> str:
        return self._path.name

    def what_happened(self) -> Literal["was deleted", "was replaced"] | None:
        """None while the path leads to the file that was opened."""
        now = _identity(self._path)
        if now == self._opened:
            return None
        return "was deleted" if now is None else "was replaced"


def _identity(path: Path) -> _Identity | None:
    try:
        found = os.stat(path)
    except OSError:  # also a folder on the way that is gone, or that may not be entered any more
        return None
    return found.st_dev, found.st_ino
