"""Kinds of jobs as the engine sees them: their states as a machine, their events, and jobs that are run by it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from pydantic import BaseModel

from askwell.errors import AskwellError, InvalidRequest, NotFound, RecordUnavailable
from askwell.jobs.engine import JobEngine
from askwell.jobs.events import EventLog, first_id_at, recorded_events
from askwell.jobs.kind import Job, JobFailed, JobState, SimpleKind, body_hash
from askwell.jobs.request import Body
from askwell.jobs.runner import JobRunner
from askwell.jobs.service import JobService
from askwell.jobs.status_store import MemoryStatusStore
from askwell.knowledge.jobs import JobFilter
from askwell.knowledge.record import Record
from askwell.observability.tracing import Tracing
from tests.support.examples import examples

STATUSES = ("fetching", "generating", "correcting")


class Asked(Body):
    words: str = ""
    fails: str = ""


class Told(BaseModel):
    query_id: str


class Work(SimpleKind[Asked]):
    """Does what its `script` says."""

    name: ClassVar[str] = "work"
    noun: ClassVar[str] = "work"
    path: ClassVar[str] = "works"
    request: ClassVar[type[Body]] = Asked
    result: ClassVar[type[BaseModel]] = Told
    statuses: ClassVar[tuple[str, ...]] = STATUSES
    codes: ClassVar[frozenset[str]] = frozenset({"NO_CHART", "OTHERS"})
    deadline: float | None = 5.0
    readable: float | None = None

    def __init__(self) -> None:
        self.runs = 0
        self.go_on = asyncio.Event()

    def require(self, request: Asked) -> None:
        if request.words == "refuse":
            raise InvalidRequest("Not this.", "Another.")

    async def run(self, job: Job[Asked, JobState]) -> JobState:
        self.runs += 1
        job.advance(self.live("fetching", rows=1))
        job.advance(self.live("generating", response=[]))
        match job.request.fails:
            case "record" if self.runs == 1:
                raise RecordUnavailable("Away.", "Look.")
            case "chart":
                raise JobFailed("NO_CHART", "None.", fields={"invalid_sql": "SELECT"})
            case "other":
                raise AskwellError("Broken.", "Mend it.")
            case "defect":
                raise ValueError("secret row")
            case "hang":
                await self.go_on.wait()
        job.stream.append("a")
        job.stream.append("b")
        return self.finished(response=[job.request.words])


KIND = Work()
STATES = st.one_of(
    st.sampled_from(STATUSES).map(JobState),
    st.sampled_from(["finished", "failed", "stopped"]).map(lambda status: JobState(status, is_end=True)),
)


@settings(max_examples=examples(100))
class Machine(RuleBasedStateMachine):
    """Whatever is tried, a job goes through its states in order, and ends once."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStatusStore(60.0)
        self.entry = self.store.add(KIND, "j", "default", KIND.queued(Asked()))
        self.seen = [self.entry.state]

    @rule(state=STATES)
    def try_to_advance(self, state: JobState) -> None:
        before = self.entry.state
        if self.store.advance("j", before, state):
            assert not before.is_end
            self.seen.append(state)
        else:
            assert self.entry.state is before
            assert before.is_end or STATUSES.index(state.status) < STATUSES.index(before.status)

    @rule(state=STATES)
    def try_with_a_state_that_is_not_the_present_one(self, state: JobState) -> None:
        assert not self.store.advance("j", JobState("fetching"), state)

    @rule(text=st.text())
    def write(self, text: str) -> None:
        before = self.entry.stream.text()
        self.entry.stream.append(text)
        assert self.entry.stream.text() == (before if self.entry.state.is_end else before + text)

    @invariant()
    def states_are_in_order_and_one_end_is_the_last(self) -> None:
        live = [STATUSES.index(state.status) for state in self.seen if not state.is_end]
        assert live == sorted(live)
        assert not [state for state in self.seen[:-1] if state.is_end]
        assert json.loads(self.entry.result_json())["status"] == self.seen[-1].status


TestMachine = Machine.TestCase


@settings(max_examples=examples(40))
@given(
    st.dictionaries(
        st.text(),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        ),
    )
)
def test_the_hash_of_a_body_is_that_of_its_json(kept: dict[str, Any]) -> None:
    assert body_hash(kept) == hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


@given(st.lists(st.one_of(st.text(min_size=1), st.sampled_from(STATUSES)), max_size=12), st.data())
async def test_readers_who_come_back_miss_nothing(what: list[str], data: st.DataObject) -> None:
    log = EventLog(KIND, "j", first_id_at(datetime.now(UTC)))
    log.add(KIND.queued(Asked()))
    text = ""
    for one in what:
        if one in STATUSES:
            log.add(KIND.live(one))
        else:
            log.add_text(one)
            text += one
    kept = log.record()
    log.add(KIND.finished(response=[text]))
    log.add_text("too late")
    log.add(KIND.stopped(KIND.queued(Asked())))
    events = [event async for event in log.read()]
    assert [event.id for event in events] == list(range(events[0].id, events[0].id + len(what) + 2))
    assert events[-1].kind == "done"
    seen = data.draw(st.integers(0, len(events) - 1))
    after = events[seen].id
    assert [event async for event in log.read(after)] == events[seen + 1 :]
    assert log.ended_with(after) == (seen == len(events) - 1)
    end = events[-1].data
    later = [event async for event in recorded_events(end, text, kept, after)]
    told = "".join(event.data["message"] for event in events[: seen + 1] if event.kind == "delta")
    assert told + "".join(event.data["message"] for event in later if event.kind == "delta") == text
    assert ([later[-1].id, later[-1].data] == [events[-1].id, end]) if later else after == events[-1].id


# -- run by the engine --------------------------------------------------------------------------------


@asynccontextmanager
async def service(folder: Path, kind: Work) -> AsyncIterator[JobService[Asked, JobState]]:
    """Jobs of this kind over a record in `folder`; a second one over the same folder is a restart."""
    record = await Record.open("sqlite", folder)
    engine = JobEngine(record, MemoryStatusStore(60.0), JobRunner(concurrency=2, queue_size=10), Tracing())
    try:
        yield JobService(kind, engine)
    finally:
        await engine.close(0)
        await record.close()


async def ended(jobs: JobService[Asked, JobState], job_id: str) -> dict[str, Any]:
    async with asyncio.timeout(5):
        events = [event async for event in await jobs.events(job_id)]
    assert events[-1].kind == ("error" if events[-1].data["status"] == "failed" else "done")
    return json.loads(await jobs.result_json(job_id))


@pytest.mark.parametrize(
    ("fails", "told"),
    [
        ("", {"status": "finished", "response": ["hello"]}),
        ("chart", {"status": "failed", "error": {"code": "NO_CHART", "message": "None."}, "invalid_sql": "SELECT"}),
        ("other", {"status": "failed", "error": {"code": "OTHERS", "message": "Broken.", "hint": "Mend it."}}),
    ],
)
async def test_ends_of_every_sort_are_told_and_kept(tmp_path: Path, fails: str, told: dict[str, Any]) -> None:
    async with service(tmp_path, Work()) as jobs:
        job_id = await jobs.start(Asked(words="hello", fails=fails))
        result = await ended(jobs, job_id)
        assert result == {"query_id": job_id, "trace_id": job_id, **told}
    async with service(tmp_path, Work()) as jobs:
        assert json.loads(await jobs.result_json(job_id)) == result
        assert "".join([piece async for piece in await jobs.stream(job_id)]) == ("" if fails else "ab")
        assert await jobs.resume() == 0


async def test_a_defect_tells_nobody_of_its_rows(tmp_path: Path) -> None:
    async with service(tmp_path, Work()) as jobs:
        result = await ended(jobs, await jobs.start(Asked(fails="defect")))
        assert result["error"]["code"] == "OTHERS"
        assert "secret" not in str(result)


async def test_a_job_whose_record_was_away_meanwhile_is_done_again(tmp_path: Path) -> None:
    kind = Work()
    async with service(tmp_path, kind) as jobs:
        job_id = await jobs.start(Asked(words="hello", fails="record"))
        result = await ended(jobs, job_id)
        told = [event.data["status"] async for event in await jobs.events(job_id) if event.kind == "state"]
        assert told == sorted(told, key=STATUSES.index)
        assert result["response"] == ["hello"]
        assert kind.runs == 2


async def test_polls_are_held_back_until_the_state_changes(tmp_path: Path) -> None:
    kind = Work()
    async with service(tmp_path, kind) as jobs:
        job_id = await jobs.start(Asked(fails="hang"))
        async with asyncio.timeout(5):
            while json.loads(await jobs.result_json(job_id))["status"] != "generating":
                await jobs.result_json(job_id, wait=1)
        begun = asyncio.get_running_loop().time()
        assert json.loads(await jobs.result_json(job_id, wait=0.05))["status"] == "generating"
        assert asyncio.get_running_loop().time() - begun >= 0.05
        waiting = [asyncio.create_task(jobs.result_json(job_id, wait=20)) for _ in range(20)]
        await asyncio.sleep(0.01)
        kind.go_on.set()
        async with asyncio.timeout(5):
            assert {json.loads(one)["status"] for one in await asyncio.gather(*waiting)} == {"finished"}
            assert json.loads(await jobs.result_json(job_id, wait=20))["status"] == "finished"


async def test_a_stop_is_the_end_also_of_one_that_waits_for_its_turn(tmp_path: Path) -> None:
    kind = Work()
    async with service(tmp_path, kind) as jobs:
        ids = [await jobs.start(Asked(fails="hang")) for _ in range(4)]
        await asyncio.sleep(0.05)
        for job_id in ids[::-1]:
            await jobs.stop(job_id)
            assert json.loads(await jobs.result_json(job_id))["status"] == "stopped"
        kind.go_on.set()
        assert kind.runs == 2
        assert kind.stopped(kind.live("generating")) == JobState("stopped", is_end=True)
        with pytest.raises(NotFound):
            await jobs.stop("nothing")


async def attempts(folder: Path, ids: list[str]) -> list[int]:
    record = await Record.open("sqlite", folder)
    try:
        return [stored.job.attempts for job_id in ids if (stored := await record.jobs.find(job_id)) is not None]
    finally:
        await record.close()


async def test_what_begins_at_once_is_counted_with_its_acceptance_and_what_waits_is_not(tmp_path: Path) -> None:
    kind = Work()
    async with service(tmp_path, kind) as jobs:
        ids = [await jobs.start(Asked(fails="hang")) for _ in range(4)]
        copy = tmp_path / "crashed"
        shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("crashed"))
    assert await attempts(copy, ids) == [1, 1, 0, 0]
    # Nothing counts against those that were only put down.
    assert await attempts(tmp_path, ids) == [0, 0, 0, 0]
    kind.go_on.set()
    for folder, counted in ((copy, [2, 2, 1, 1]), (tmp_path, [1, 1, 1, 1])):
        async with service(folder, kind) as jobs:
            assert await jobs.resume() == 4
            assert {(await ended(jobs, job_id))["status"] for job_id in ids} == {"finished"}
        assert await attempts(folder, ids) == counted


async def test_a_job_that_runs_out_of_time_says_so(tmp_path: Path) -> None:
    kind = Work()
    kind.deadline = 0.05
    async with service(tmp_path, kind) as jobs:
        result = await ended(jobs, await jobs.start(Asked(fails="hang")))
        assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
        assert "0.05 seconds" in result["error"]["message"]


class EarlyTold(Work):
    """Tells its end before its words are written, and the words break off as the request says."""

    statuses: ClassVar[tuple[str, ...]] = ("fetching", "finished")

    async def run(self, job: Job[Asked, JobState]) -> JobState:
        job.advance(self.live("finished", rows=3))
        job.stream.append(job.request.words)
        if job.request.fails == "hang":
            await self.go_on.wait()
        if job.request.fails == "defect":
            raise ValueError("secret row")
        raise AskwellError("Broken.", "Mend it.")


@pytest.mark.parametrize("words", ["", "Ada spent"])
@pytest.mark.parametrize(
    ("fails", "told"), [("hang", "0.05 seconds"), ("defect", "Something unexpected"), ("other", "Broken.")]
)
async def test_a_job_that_was_told_as_done_does_not_fail_later(
    tmp_path: Path, fails: str, told: str, words: str
) -> None:
    kind = EarlyTold()
    kind.deadline = 0.05 if fails == "hang" else 5.0
    async with service(tmp_path, kind) as jobs:
        job_id = await jobs.start(Asked(fails=fails, words=words))
        statuses = [event.data["status"] async for event in await jobs.events(job_id) if event.kind != "delta"]
        assert set(statuses[1:]) == {"finished"}
        result = json.loads(await jobs.result_json(job_id))
        assert (result["status"], result["rows"], result["error"]["code"]) == ("finished", 3, "OTHERS")
        assert told in result["error"]["message"]
        text = "".join([chunk async for chunk in await jobs.stream(job_id)])
        assert text.startswith(words or "The work breaks off here.")
        assert text.endswith(f"The work breaks off here. {result['error']['message']}")


async def test_keys_find_the_job_they_started(tmp_path: Path) -> None:
    kind = Work()
    async with service(tmp_path, kind) as jobs:
        started = await asyncio.gather(*(jobs.start(Asked(words="a"), "key") for _ in range(8)))
        assert len(set(started)) == 1
        await ended(jobs, started[0])
        assert kind.runs == 1
        with pytest.raises(InvalidRequest):
            await jobs.start(Asked(words="b"), "key")
        assert await jobs.start(Asked(words="b", project_id="other"), "key") != started[0]
        with pytest.raises(InvalidRequest):
            await jobs.start(Asked(words="refuse"))


async def test_pages_are_of_one_project_and_forget_with_time(tmp_path: Path) -> None:
    kind = Work()
    async with service(tmp_path, kind) as jobs:
        ids = [await jobs.start(Asked(words=str(number))) for number in range(3)]
        other = await jobs.start(Asked(project_id="other"))
        for job_id in (*ids, other):
            await ended(jobs, job_id)
        page, total = await jobs.latest("default", limit=2, offset=0)
        assert ([one["id"] for one in page], total) == (ids[:0:-1], 3)
        assert page[0]["request"]["words"] == "2"
        assert (await jobs.latest("other", JobFilter(status="finished"), limit=9, offset=0))[1] == 1
        assert (await jobs.latest("other", JobFilter(status="failed"), limit=9, offset=0)) == ([], 0)
        await jobs.require_project(other, "other")
        for job_id, project in ((other, "default"), ("nothing", "default")):
            with pytest.raises(NotFound):
                await jobs.require_project(job_id, project)
    kind.readable = timedelta(microseconds=1).total_seconds()
    async with service(tmp_path, kind) as jobs:
        assert await jobs.latest("default", limit=9, offset=0) == ([], 0)
        with pytest.raises(NotFound):
            await jobs.result_json(ids[0])
