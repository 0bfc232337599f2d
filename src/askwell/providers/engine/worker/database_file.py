"""The database file as the operating system sees it: is it there, is it the one we opened, who holds it."""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from askwell.providers.engine.worker.outcomes import Unusable

_SQLITE_MAGIC = b"SQLite format 3\x00"
_DUCKDB_MAGIC = b"DUCK"
_DUCKDB_MAGIC_OFFSET = 8


@dataclass(frozen=True)
class FileState:
    """Which file a path leads to. `version` is only used where another process cannot write while we read."""

    device: int
    inode: int
    version: tuple[int, int]


def file_state(path: str) -> FileState:
    """The file that `path` leads to now. Raises `Unusable` when there is no such file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise Unusable("missing") from None
    except OSError as error:
        raise Unusable("unreadable", error.strerror or "") from None
    if not stat.S_ISREG(found.st_mode):
        raise Unusable("not_a_file", "a directory" if stat.S_ISDIR(found.st_mode) else "not a regular file")
    return FileState(found.st_dev, found.st_ino, (found.st_size, found.st_mtime_ns))


def kind_of_file(path: str) -> str:
    """`duckdb`, `sqlite`, `empty` or `unknown`, from the first bytes. Raises `Unusable` when it cannot be read."""
    try:
        with open(path, "rb") as file:
            start = file.read(16)
    except FileNotFoundError:
        raise Unusable("missing") from None
    except OSError as error:
        raise Unusable("unreadable", error.strerror or "") from None
    if not start:
        return "empty"
    if start.startswith(_SQLITE_MAGIC):
        return "sqlite"
    if start[_DUCKDB_MAGIC_OFFSET:].startswith(_DUCKDB_MAGIC):
        return "duckdb"
    return "unknown"


def lock_holder(state: FileState) -> str:
    """Who holds a write lock on the file, in words; empty when the system does not say (only Linux does)."""
    try:
        with open("/proc/locks") as locks:
            holders = [line.split() for line in locks if " WRITE " in line and f":{state.inode} " in line]
        process = int(holders[0][4])
        with open(f"/proc/{process}/comm") as name:
            return f"{name.read().strip()} (PID {process})"
    except (OSError, IndexError, ValueError):
        return ""


class FileSession(ABC):
    """A connection that follows its path: a file that was replaced is opened again. `kinds` are those of files that the
    engine opens."""

    kinds: ClassVar[tuple[str, ...]]

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._path: str = settings["path"]
        self._memory_mb: int = settings["memory_mb"]
        self._connection: Any = None
        self._opened: object = None

    @abstractmethod
    def _open(self) -> Any:
        """A new connection."""

    def _connected(self, state: object) -> Any:
        """The open connection; one that was opened in another `state` of the file is closed before."""
        if self._connection is not None and state != self._opened:
            self._close()
        if self._connection is None:
            kind = kind_of_file(self._path)
            if kind not in self.kinds:
                raise Unusable("other_kind", kind)
            self._connection = self._open()
            self._opened = state
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
