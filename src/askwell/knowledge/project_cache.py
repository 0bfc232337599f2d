"""What was read of a project, kept until it is changed."""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")
_PROJECTS = 256


class ProjectCache(Generic[T]):
    """One value for each project, of those that were asked for last. Where several processes write, `on_change` tells
    the others of a project that was changed here, `forget` hears of those that others changed, and nothing is kept
    while `hears` says that it would not be heard of."""

    def __init__(self) -> None:
        self._known: LRUCache[str, T] = LRUCache(_PROJECTS)
        self._changes: Counter[str] = Counter()
        # How often changes may have been missed: of any project, also of one that is being read.
        self._missed = 0
        self.on_change: Callable[[str], None] = _nobody_else
        self.hears: Callable[[], bool] = _always

    async def get(self, project_id: str, read: Callable[[], Awaitable[T]]) -> T:
        """What is known of a project, or else what `read` gives."""
        if self.hears() and (known := self._known.get(project_id)) is not None:
            return known
        seen = self._missed, self._changes[project_id]
        found = await read()
        # Else it may be older than a change that was written meanwhile.
        if seen == (self._missed, self._changes[project_id]):
            self._known[project_id] = found
        return found

    @contextmanager
    def changing(self, project_id: str) -> Iterator[None]:
        """What is known of a project is read anew after the change that is written inside."""
        try:
            yield
        finally:
            self.forget(project_id)
            self.on_change(project_id)

    def forget(self, project_id: str) -> None:
        """Somebody has changed the project: it is read anew."""
        self._changes[project_id] += 1
        self._known.pop(project_id, None)

    def forget_all(self) -> None:
        """Anything may have been changed."""
        self._missed += 1
        self._known.clear()


def share_file(cache: ProjectCache[Any], mark: Path) -> None:
    """Let processes that write to one file hear of each other's changes: each touches `mark` after one, and looks at it
    before it believes what it keeps. Where there can be no mark, nothing is believed."""
    seen: int | None = None

    def touch(_: str) -> None:
        with contextlib.suppress(OSError):
            mark.touch(0o600)
            # The clock that files are touched by may stand still for some milliseconds.
            os.utime(mark, ns=(time.time_ns(),) * 2)

    def hears() -> bool:
        nonlocal seen
        if _moment(mark) is None:
            touch("")
        if (now := _moment(mark)) != seen:
            seen = now
            cache.forget_all()
        return now is not None

    cache.on_change, cache.hears = touch, hears


def _moment(mark: Path) -> int | None:
    try:
        return mark.stat().st_mtime_ns
    except OSError:
        return None


def _nobody_else(_: str) -> None:
    pass


def _always() -> bool:
    return True
