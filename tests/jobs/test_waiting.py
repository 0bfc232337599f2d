"""Jobs that wait for their owner: outside the queue, through a restart, until they are answered, stopped, or late."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from askwell.errors import Conflict
from askwell.jobs.engine import MOST_WAITING, JobEngine
from askwell.jobs.kind import Job, JobState, SimpleKind, Waits
from askwell.jobs.request import Body
from askwell.jobs.runner import JobRunner
from askwell.jobs.service import JobService
from askwell.jobs.status_store import MemoryStatusStore
from askwell.knowledge.record import Record
from askwell.observability.tracing import Tracing

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Asked(Body):
    answer: str = ""


class Waiter(SimpleKind[Asked]):
    """Waits until NOON and an hour for an answer, and says it."""

    name: ClassVar[str] = "waiter"
    noun: ClassVar[str] = "waiter"
    path: ClassVar[str] = "waiters"
    request: ClassVar[type[Body]] = Asked
    statuses: ClassVar[tuple[str, ...]] = ("working", "waiting")
    deadline: float | None = 5.0
    readable: float | None = None

    def __init__(self, *, broken: bool = False) -> None:
        self.runs = 0
        self.broken = broken
        self.go_on = asyncio.Event()
        self.go_on.set()

    def require(self, request: Asked) -> None:
        return

    async def run(self, job: Job[Asked, JobState]) -> JobState:
        self.runs += 1
        await self.go_on.wait()
        return self.finished(response=job.request.answer) if job.request.answer else self.live("waiting", asked="who?")

    def may_follow(self, current: JobState, following: JobState) -> bool:
        return not current.is_end

    def waits(self, state: JobState) -> Waits[JobState] | None:
        if state.status != "waiting":
            return None
        if self.broken:
            raise TypeError("secret row")
        late = JobState("failed", {"error": {"code": "OTHERS", "message": "Too late."}}, is_end=True)
        return Waits(dict(state.fields), NOON + HOUR, late)

    def waiting(self, kept: Mapping[str, Any]) -> JobState | None:
        return self.live("waiting", **kept) if "asked" in kept else None


Waiters = JobService[Asked, JobState]


@asynccontextmanager
async def service(
    folder: Path, kind: Waiter, *, now: datetime = NOON, most_waiting: int = MOST_WAITING
) -> AsyncIterator[Waiters]:
    """Jobs of this kind over a record in `folder`; a second one over the same folder is a restart."""
    record = await Record.open("sqlite", folder)
    runner = JobRunner(concurrency=2, queue_size=10)
    engine = JobEngine(record, MemoryStatusStore(60.0), runner, Tracing(), lambda: now, most_waiting)
    try:
        yield JobService(kind, engine)
    finally:
        await engine.close(5)
        await record.close()


async def until(jobs: Waiters, job_id: str, status: str) -> dict[str, Any]:
    async with asyncio.timeout(5):
        while (result := json.loads(await jobs.result_json(job_id)))["status"] != status:
            await asyncio.sleep(0.005)
    found: dict[str, Any] = result
    return found


async def waiting(jobs: Waiters) -> tuple[str, JobState]:
    job_id = await jobs.start(Asked())
    await until(jobs, job_id, "waiting")
    state = await jobs.waiting.state(job_id)
    assert state is not None
    return job_id, state


async def test_an_answer_is_worked_on_with_the_request_as_it_is_by_then(tmp_path: Path) -> None:
    kind = Waiter()
    async with service(tmp_path, kind) as jobs:
        job_id, state = await waiting(jobs)
        await jobs.waiting.go_on(job_id, state, Asked(answer="me"), kind.live("working"))
        assert (await until(jobs, job_id, "finished"))["response"] == "me"
        for late in (
            jobs.waiting.go_on(job_id, state, Asked(answer="you"), kind.live("working")),
            jobs.waiting.wait_on(job_id, state, kind.live("waiting", asked="really?")),
            jobs.waiting.give_up(job_id, state, kind.finished()),
        ):
            with pytest.raises(Conflict):
                await late


async def test_of_an_answer_and_a_stop_at_once_one_counts(tmp_path: Path) -> None:
    kind = Waiter()
    async with service(tmp_path, kind) as jobs:
        for _ in range(10):
            job_id, state = await waiting(jobs)
            answer = jobs.waiting.go_on(job_id, state, Asked(answer="me"), kind.live("working"))
            outcomes = await asyncio.gather(answer, jobs.stop(job_id), return_exceptions=True)
            refused = [one for one in outcomes if one is not None]
            assert not refused or isinstance(refused[0], Conflict)
            async with asyncio.timeout(5):
                events = [event async for event in await jobs.events(job_id)]
            assert events[-1].data["status"] in ("stopped", "finished")


async def test_of_two_who_give_up_one_is_told_that_it_was_late(tmp_path: Path) -> None:
    kind = Waiter()
    async with service(tmp_path, kind) as jobs:
        job_id, state = await waiting(jobs)
        ends = [kind.finished(response=n) for n in range(2)]
        giving_up = (jobs.waiting.give_up(job_id, state, end) for end in ends)
        outcomes = await asyncio.gather(*giving_up, return_exceptions=True)
        assert [type(one) for one in outcomes].count(Conflict) == 1
        assert (await until(jobs, job_id, "finished"))["response"] == [type(one) for one in outcomes].index(type(None))


async def test_it_waits_on_after_a_restart_and_no_longer_than_it_may(tmp_path: Path) -> None:
    kind = Waiter()
    async with service(tmp_path, kind) as jobs:
        job_id, _ = await waiting(jobs)
    async with service(tmp_path, kind) as jobs:
        assert await jobs.resume() == 1
        assert json.loads(await jobs.result_json(job_id))["asked"] == "who?"
        assert kind.runs == 1
    async with service(tmp_path, kind, now=NOON + 2 * HOUR) as jobs:
        await jobs.resume()
        assert (await until(jobs, job_id, "failed"))["error"]["message"] == "Too late."
    async with service(tmp_path, kind) as jobs:
        assert await jobs.resume() == 0


async def test_what_no_version_can_read_is_worked_on_anew(tmp_path: Path) -> None:
    class Other(Waiter):
        def waits(self, state: JobState) -> Waits[JobState] | None:
            waits = super().waits(state)
            return replace(waits, kept={"question": "who?"}) if waits is not None else None

    async with service(tmp_path, Other()) as jobs:
        job_id, _ = await waiting(jobs)
    kind = Waiter()
    async with service(tmp_path, kind) as jobs:
        assert await jobs.resume() == 1
        assert (await until(jobs, job_id, "waiting"))["asked"] == "who?"
        assert kind.runs == 1


async def test_no_more_wait_than_may(tmp_path: Path) -> None:
    kind = Waiter()
    async with service(tmp_path, kind, most_waiting=3) as jobs:
        first = [await waiting(jobs) for _ in range(3)]
        one_more = await jobs.start(Asked())
        assert (await until(jobs, one_more, "failed"))["error"]["message"] == "Too late."
        await jobs.waiting.go_on(*first[0], Asked(answer="me"), kind.live("working"))
        await until(jobs, first[0][0], "finished")
        await waiting(jobs)


async def test_a_job_that_cannot_say_what_it_waits_for_ends(tmp_path: Path) -> None:
    async with service(tmp_path, Waiter(broken=True)) as jobs:
        result = await until(jobs, await jobs.start(Asked()), "failed")
    assert result["error"]["message"].startswith("Something unexpected")
    assert "secret" not in str(result)


async def test_a_job_that_begins_to_wait_while_the_service_stops_waits_on_after_it(tmp_path: Path) -> None:
    kind = Waiter()
    kind.go_on.clear()
    async with service(tmp_path, kind) as jobs:
        job_id = await jobs.start(Asked())
        async with asyncio.timeout(5):
            while not kind.runs:
                await asyncio.sleep(0.005)
        asyncio.get_running_loop().call_later(0.05, kind.go_on.set)
    async with service(tmp_path, kind) as jobs:
        assert await jobs.resume() == 1
        assert json.loads(await jobs.result_json(job_id))["asked"] == "who?"
        assert kind.runs == 1
