"""What is kept of a project is never older than a change that somebody may have written meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from askwell.knowledge.project_cache import ProjectCache


class Saved:
    """What is saved for a project; `get` waits between reading it and giving it."""

    def __init__(self) -> None:
        self.value = "old"
        self.has_read = asyncio.Event()
        self.may_give = asyncio.Event()

    async def read(self) -> str:
        value = self.value
        self.has_read.set()
        await self.may_give.wait()
        return value


def changed_here(cache: ProjectCache[str]) -> None:
    with cache.changing("p"):
        pass


def changed_elsewhere(cache: ProjectCache[str]) -> None:
    cache.forget("p")


def perhaps_changed_unheard(cache: ProjectCache[str]) -> None:
    cache.forget_all()


@pytest.mark.parametrize("change", [changed_here, changed_elsewhere, perhaps_changed_unheard])
async def test_what_was_read_before_a_change_is_not_kept(change: Callable[[ProjectCache[str]], None]) -> None:
    cache: ProjectCache[str] = ProjectCache()
    saved = Saved()
    reading = asyncio.create_task(cache.get("p", saved.read))
    await saved.has_read.wait()
    saved.value = "new"
    change(cache)
    saved.may_give.set()
    assert await reading == "old"  # whoever asked before the change may get what was there
    assert await cache.get("p", saved.read) == "new"
    saved.value = "newer"
    assert await cache.get("p", saved.read) == "new"  # nothing has changed since, as far as is known
    change(cache)
    assert await cache.get("p", saved.read) == "newer"
