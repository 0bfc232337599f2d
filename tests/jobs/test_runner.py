"""The bounded queue: what it takes, and how it says that it is full."""

from __future__ import annotations

import asyncio

import pytest

from askwell.errors import Busy
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
