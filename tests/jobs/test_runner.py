"""The bounded queue: what it takes, how it says that it is full, and how what runs ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askwell.errors import Busy
from askwell.jobs.engine import Draining
from askwell.jobs.runner import JobRunner


async def full(setting: str = "") -> tuple[JobRunner, Busy]:
    runner = JobRunner(concurrency=2, queue_size=3, setting=setting)
    for key in range(5):
        runner.require_room()
        runner.submit(str(key), lambda: asyncio.sleep(60))
    await asyncio.sleep(0)
    with pytest.raises(Busy) as caught:
        runner.require_room()
    return runner, caught.value


async def test_a_full_queue_counts_as_it_is_configured() -> None:
    runner, busy = await full("settings.queue_size")
    assert busy.message == "The queue is full: 2 running, 3 waiting."
    assert "raise settings.queue_size (3)" in busy.hint
    assert await runner.cancel("4")
    runner.require_room()
    await runner.drain(0)


async def test_a_queue_that_nobody_can_configure_names_no_setting() -> None:
    runner, busy = await full()
    assert busy.hint == "Send the request again in a moment."
    await runner.drain(0)


@pytest.mark.parametrize("failing", [None, "slowly", "at once"])
async def test_whoever_waits_for_the_end_waits_for_all_of_it_and_hears_what_went_wrong(failing: str | None) -> None:
    class Engine:
        running = 1
        cut, ended = asyncio.Event(), list[str]()

        async def close(self, seconds: float) -> None:
            how = "slowly" if seconds else "at once"
            if seconds:
                await self.cut.wait()
            else:
                self.cut.set()
                await asyncio.sleep(0.05)
            self.ended.append(how)
            if how == failing:
                raise ValueError

    engine: Any = Engine()
    draining = Draining([engine], JobRunner(concurrency=1, queue_size=1), asyncio.Event())
    assert draining.begin() == 1
    waiting = asyncio.create_task(draining.finished())
    await asyncio.sleep(0)
    draining.hurry()
    await asyncio.wait([waiting])
    assert isinstance(waiting.exception(), ValueError) is (failing is not None)
    assert engine.ended == ["slowly", "at once"]
