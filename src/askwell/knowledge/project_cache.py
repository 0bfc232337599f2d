"""What was read of a project, kept until it is changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from cachetools import LRUCache

T = TypeVar("T")
_PROJECTS = 256


class ProjectCache(Generic[T]):
    """One value for each project, of those that were asked for last. A change made by another process is seen only
    after a restart: one process writes, until there is a way to tell the others."""

    def __init__(self) -> None:
        self._known: LRUCache[str, T] = LRUCache(_PROJECTS)
        self._changes: Counter[str] = Counter()

    async def get(self, project_id: str, read: Callable[[], Awaitable[T]]) -> T:
        """What is known of a project, or else what `read` gives."""
        if (known := self._known.get(project_id)) is not None:
            return known
        changes = self._changes[project_id]
        found = await read()
        if changes == self._changes[project_id]:  # else it may be older than a change that was written meanwhile
            self._known[project_id] = found
        return found

    @contextmanager
    def changing(self, project_id: str) -> Iterator[None]:
        """What is known of a project is read anew after the change that is written inside."""
        try:
            yield
        finally:
            self._changes[project_id] += 1
            self._known.pop(project_id, None)
