"""What is kept of a project is never older than a change that somebody may have written meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.knowledge.project_cache import ProjectCache, share_file


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


@pytest.mark.parametrize("mark", ["changed", "no-such-folder/changed"], ids=["a mark", "nowhere to put a mark"])
async def test_a_change_of_another_process_is_heard_of_at_once(tmp_path: Path, mark: str) -> None:
    caches: list[ProjectCache[int]] = [ProjectCache(), ProjectCache()]
    for cache in caches:
        share_file(cache, tmp_path / mark)
    value = 0

    async def read() -> int:
        return value

    for writing, reading in [caches, caches[::-1]] * 20:  # many within one tick of the file system's clock
        with writing.changing("p"):
            value += 1
        assert await reading.get("p", read) == value
    assert await caches[0].get("p", read) == value
    value += 1  # without a word
    assert (await caches[0].get("p", read) == value) is not (tmp_path / mark).exists()
