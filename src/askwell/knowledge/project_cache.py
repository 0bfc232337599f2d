"""What this process keeps of projects in memory, each by the version of the project's record that it was read at."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")
Version = tuple[int, int]
_PROJECTS = 256


class ProjectVersions:
    """Versions of the projects of a record, as far as this process knows: the one place that is told of every change.

    Where several processes write, `tell_others` is called after a change that was made here, `changed` and
    `all_changed` are for those of others, and while `hears` is False there may be some that were not heard of."""

    def __init__(self) -> None:
        self._changes: Counter[str] = Counter()
        self._changes_of_all = 0
        self.tell_others: Callable[[str], None] = lambda project_id: None
        self.hears: Callable[[], bool] = lambda: True

    def of(self, project_id: str) -> Version | None:
        """The version of a project; None while it cannot be known."""
        return (self._changes_of_all, self._changes[project_id]) if self.hears() else None

    @contextmanager
    def changing(self, project_id: str, change: T | None = None) -> Iterator[T | None]:
        """The project has another version after the change that is written inside, which may be given here."""
        try:
            yield change
        finally:
            self.changed(project_id)
            self.tell_others(project_id)

    def changed(self, project_id: str) -> None:
        """The project has another version."""
        self._changes[project_id] += 1

    def all_changed(self) -> None:
        """Every project may have another version."""
        self._changes_of_all += 1

    def share_file(self, mark: Path) -> None:
        """Let processes that write to one file hear of each other's changes: each touches `mark` after one, and looks
        at it before it goes by a version. Where there can be no mark, no version is known."""
        seen: int | None = None

        def touch(_: str) -> None:
            with contextlib.suppress(OSError):
                mark.touch(0o600)
                # The clock that files are touched by may stand still for some milliseconds.
                os.utime(mark, ns=(time.time_ns(),) * 2)

        def hears() -> bool:
            nonlocal seen
            if _modified(mark) is None:
                touch("")
            if (now := _modified(mark)) != seen:
                seen = now
                self.all_changed()
            return now is not None

        self.tell_others, self.hears = touch, hears


class ProjectCache(Generic[T]):
    """Values of projects, one for each key of a project, of those that were asked for last."""

    def __init__(self, versions: ProjectVersions, most: int = _PROJECTS) -> None:
        self._versions = versions
        self._kept: LRUCache[tuple[str, str], tuple[Version, T]] = LRUCache(most)
        self._readings: dict[tuple[str, str], asyncio.Event] = {}

    def __len__(self) -> int:
        return sum(version == self._versions.of(project_id) for (project_id, _), (version, _) in self._kept.items())

    def find(self, project_id: str, key: str = "") -> T | None:
        """What is kept, where it is of the present version; what is of another one goes."""
        known, version = self._kept.get((project_id, key)), self._versions.of(project_id)
        if known is None or version is None:
            return None
        if known[0] != version:
            del self._kept[project_id, key]
            return None
        return known[1]

    async def get(self, project_id: str, read: Callable[[], Awaitable[T]], key: str = "") -> T:
        """What is kept, or else what `read` gives, which is called once for all who ask at the same time. Where that
        one fails, or what it gives cannot be kept, they read by themselves: nobody waits for a second one."""
        if (known := self.find(project_id, key)) is not None:
            return known
        if (version := self._versions.of(project_id)) is None:
            return await read()
        place = (project_id, key)
        if (other := self._readings.get(place)) is not None:
            await other.wait()
            if (known := self.find(project_id, key)) is not None:
                return known
            return await self._read(project_id, read, self._versions.of(project_id), key)
        done = self._readings[place] = asyncio.Event()
        try:
            return await self._read(project_id, read, version, key)
        finally:
            del self._readings[place]
            done.set()

    async def _read(self, project_id: str, read: Callable[[], Awaitable[T]], version: Version | None, key: str) -> T:
        found = await read()
        self.keep(project_id, found, version, key)
        return found

    def keep(self, project_id: str, value: T, version: Version | None, key: str = "") -> None:
        """Keep what was read at a version, unless the project has another one by now."""
        if value is not None and version is not None and version == self._versions.of(project_id):
            self._kept[project_id, key] = (version, value)

    def forget(self, project_id: str) -> None:
        """Let go of what is kept of a project."""
        for place in [place for place in self._kept if place[0] == project_id]:
            del self._kept[place]


def _modified(file: Path) -> int | None:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return None
