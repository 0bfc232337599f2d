"""What is kept of a project is never older than a change that somebody may have written meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.knowledge.project_cache import ProjectCache, ProjectVersions


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


def changed_here(versions: ProjectVersions) -> None:
    with versions.changing("p"):
        pass


def changed_elsewhere(versions: ProjectVersions) -> None:
    versions.changed("p")


@pytest.mark.parametrize("change", [changed_here, changed_elsewhere, ProjectVersions.all_changed])
async def test_what_was_read_before_a_change_is_not_kept(change: Callable[[ProjectVersions], None]) -> None:
    versions = ProjectVersions()
    cache: ProjectCache[str] = ProjectCache(versions)
    saved = Saved()
    reading = asyncio.create_task(cache.get("p", saved.read))
    await saved.has_read.wait()
    saved.value = "new"
    change(versions)
    saved.may_give.set()
    assert await reading == "old"  # a reader from before the change may get what was there
    assert len(cache) == 0
    assert await cache.get("p", saved.read) == "new"
    saved.value = "newer"
    assert await cache.get("p", saved.read) == "new"  # nothing has changed since, as far as is known
    assert len(cache) == 1
    change(versions)
    assert await cache.get("p", saved.read) == "newer"


async def test_all_who_ask_at_once_wait_for_one_reading() -> None:
    cache: ProjectCache[int] = ProjectCache(ProjectVersions())
    reads = []

    async def read() -> int:
        reads.append(1)
        await asyncio.sleep(0)
        return len(reads)

    assert await asyncio.gather(*(cache.get("p", read) for _ in range(5))) == [1] * 5


@pytest.mark.parametrize("hears", [True, False], ids=["the record is away", "changes are not heard of"])
async def test_nobody_waits_for_a_second_reading(*, hears: bool) -> None:
    versions = ProjectVersions()
    versions.hears = lambda: hears
    cache: ProjectCache[int] = ProjectCache(versions)
    reading = peak = 0

    async def read() -> int:
        nonlocal reading, peak
        reading += 1
        peak = max(peak, reading)
        await asyncio.sleep(0.01)
        reading -= 1
        raise ValueError("the record is away")

    ends = await asyncio.gather(*(cache.get("p", read) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(end, ValueError) for end in ends)
    assert peak == (4 if hears else 5)


@pytest.mark.parametrize("mark", ["changed", "no-such-folder/changed"], ids=["a mark", "nowhere to put a mark"])
async def test_a_change_of_another_process_is_heard_of_at_once(tmp_path: Path, mark: str) -> None:
    value = 0

    async def read() -> int:
        return value

    both = [ProjectVersions(), ProjectVersions()]
    caches = {versions: ProjectCache[int](versions) for versions in both}
    for versions in both:
        versions.share_file(tmp_path / mark)
    for writing, reading in [both, both[::-1]] * 20:  # many within one tick of the file system's clock
        with writing.changing("p"):
            value += 1
        assert await caches[reading].get("p", read) == value
    assert await caches[both[0]].get("p", read) == value
    value += 1  # without a word
    assert (await caches[both[0]].get("p", read) == value) is not (tmp_path / mark).exists()
