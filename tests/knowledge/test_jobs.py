"""Accepted asks: stored before anybody hears of them, ended once, found again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askwell.knowledge.jobs import AcceptedJob, IdempotencyConflict, JobFilter
from askwell.knowledge.record import Record
from askwell.knowledge.repeats import pauses
from askwell.knowledge.saved import Instruction
from tests.support.examples import examples

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)


def ask(id: str, **changed: Any) -> AcceptedJob:
    facts: dict[str, Any] = {
        "id": id,
        "kind": "ask",
        "project_id": "default",
        "request": {"query": "How many orders?", "histories": []},
        "idempotency_key": None,
        "body_hash": "h",
        "accepted_at": MOMENT,
    }
    return AcceptedJob(**facts | changed)


async def test_an_ask_is_found_as_it_was_accepted_after_reopening(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    accepted = ask("a", request={"query": "Wie viele Aufträge? 🛒", "n": 1}, idempotency_key="k")
    assert await record.jobs.accept(accepted) == accepted
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    stored = await record.jobs.find("a")
    assert stored is not None
    assert (stored.job, stored.status, stored.result, stored.finished_at) == (accepted, None, None, None)
    assert await record.jobs.unfinished("ask") == [accepted]
    await record.close()


async def test_an_unknown_ask_is_none(record: Record) -> None:
    assert await record.jobs.find("nope") is None
    assert await record.jobs.start_attempt("nope", 0) == 0
    assert await record.jobs.end("nope", "finished", {}) is False


async def test_the_last_note_stands_beside_what_is_kept(record: Record) -> None:
    await record.jobs.accept(ask("a"))
    await record.jobs.note("a", "notes", {"n": 1})
    await record.jobs.end("a", "finished", {"result": {"status": "finished"}})
    for value in (2, 3):
        await record.jobs.note("a", "notes", {"n": value})
    stored = await record.jobs.find("a")
    assert stored is not None
    assert stored.result == {"result": {"status": "finished"}, "notes": {"n": 3}}


async def test_attempts_are_counted_until_the_end(record: Record) -> None:
    await record.jobs.accept(ask("a"))
    assert [await record.jobs.start_attempt("a", before) for before in (0, 1, 1)] == [1, 2, 2]
    await record.jobs.end("a", "failed", {})
    assert await record.jobs.start_attempt("a", 2) == 0
    stored = await record.jobs.find("a")
    assert stored is not None
    assert stored.job.attempts == 2


async def test_what_is_written_again_because_nobody_heard_that_it_was_kept_is_kept_once(record: Record) -> None:
    assert await record.jobs.accept(ask("a", idempotency_key="k")) == ask("a", idempotency_key="k")
    assert await record.jobs.accept(ask("a", idempotency_key="k")) == ask("a", idempotency_key="k")
    assert len(await record.jobs.unfinished("ask")) == 1
    ends = [await record.jobs.end("a", "finished", {"n": n}, MOMENT) for n in range(2)]
    other = [await record.jobs.end("a", *end) for end in (("stopped", {}, MOMENT), ("finished", {}))]
    assert (ends, other) == ([True, True], [False, False])
    stored = await record.jobs.find("a")
    assert stored is not None
    assert (stored.status, stored.result, stored.finished_at) == ("finished", {"n": 0}, MOMENT)
    change = record.saved.saving("p", [Instruction("i", "Be brief.", (), True, "sql")])
    for _ in range(2):
        assert await record.jobs.accept(ask("b"), change) == ask("b")
    assert set((await record.saved.of("p")).instructions) == {"i"}


async def test_the_first_end_stands(record: Record) -> None:
    await record.jobs.accept(ask("a"))
    ends = await asyncio.gather(
        record.jobs.end("a", "stopped", {"n": 1}),
        record.jobs.end("a", "finished", {"n": 2}),
        record.jobs.end("a", "failed", {"n": 3}),
    )
    assert sorted(ends) == [False, False, True]
    stored = await record.jobs.find("a")
    assert stored is not None
    assert (stored.status, stored.result) == (
        ["stopped", "finished", "failed"][ends.index(True)],
        {"n": ends.index(True) + 1},
    )
    assert stored.finished_at is not None
    assert await record.jobs.unfinished("ask") == []


async def test_the_same_key_and_body_gives_the_first_ask_and_another_body_a_conflict(record: Record) -> None:
    first = ask("a", idempotency_key="k", body_hash="1")
    assert await record.jobs.accept(first) == first
    assert await record.jobs.accept(ask("b", idempotency_key="k", body_hash="1")) == first
    assert await record.jobs.accept(ask("c", idempotency_key="k", body_hash="2")) == IdempotencyConflict("a")
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["a"]


async def test_a_key_belongs_to_its_project(record: Record) -> None:
    await record.jobs.accept(ask("a", idempotency_key="k", body_hash="1"))
    other = ask("b", idempotency_key="k", body_hash="2", project_id="other")
    assert await record.jobs.accept(other) == other


async def test_of_many_with_one_key_at_once_one_is_stored(record: Record) -> None:
    same = [ask(f"a{n}", idempotency_key="k") for n in range(20)]
    answers = await asyncio.gather(*(record.jobs.accept(one) for one in same))
    assert len({one.id for one in answers if isinstance(one, AcceptedJob)}) == 1
    assert len(await record.jobs.unfinished("ask")) == 1


async def test_one_bad_write_does_not_take_its_group_with_it(record: Record) -> None:
    outcomes = await asyncio.gather(
        record.jobs.accept(ask("a")),
        record.jobs.accept(ask("bad", request={"query": object()})),
        record.jobs.accept(ask("b")),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], Exception)
    assert {one.id for one in await record.jobs.unfinished("ask")} == {"a", "b"}


async def test_unfinished_asks_come_oldest_first(record: Record) -> None:
    for minutes, id in ((3, "c"), (1, "a"), (2, "b")):
        await record.jobs.accept(ask(id, accepted_at=MOMENT + timedelta(minutes=minutes)))
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["a", "b", "c"]


async def test_only_asks_that_ended_before_are_forgotten(record: Record) -> None:
    await record.jobs.accept(ask("ended"))
    await record.jobs.accept(ask("running"))
    await record.jobs.end("ended", "finished", {})
    assert await record.jobs.forget(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert await record.jobs.forget(datetime.now(UTC) + timedelta(seconds=1)) == 1
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["running"]


async def test_only_jobs_of_the_kinds_that_are_named_are_forgotten(record: Record) -> None:
    for kind in ("ask", "chart"):
        await record.jobs.accept(ask(kind, kind=kind))
        await record.jobs.end(kind, "finished", {})
    assert await record.jobs.forget(datetime.now(UTC) + timedelta(seconds=1), ["chart", "sql_answer"]) == 1
    assert await record.jobs.find("ask") is not None
    assert await record.jobs.find("chart") is None


async def test_jobs_are_listed_latest_first_by_project_status_and_words(record: Record) -> None:
    for n, (project, question) in enumerate((("p", "How many Orders?"), ("p", "Who paid 100%?"), ("q", "orders?"))):
        when = MOMENT + timedelta(minutes=n)
        await record.jobs.accept(ask(str(n), project_id=project, request={"query": question}, accepted_at=when))
    await record.jobs.end("0", "finished", {}, MOMENT)

    async def listed(ended_since: datetime = MOMENT, **wanted: Any) -> tuple[list[str], int]:
        bounds = {"limit": 10, "offset": 0} | {name: wanted.pop(name) for name in ("limit", "offset") if name in wanted}
        page, total = await record.jobs.page("ask", "p", JobFilter(**wanted), ended_since=ended_since, **bounds)
        return [one.job.id for one in page], total

    assert await listed() == (["1", "0"], 2)
    assert await listed(limit=1, offset=1) == (["0"], 2)
    assert await listed(status="finished") == (["0"], 1)
    assert await listed(text="orders") == (["0"], 1)
    assert await listed(text="100%") == (["1"], 1)
    assert await listed(text="1_0%") == ([], 0)
    assert await listed(ended_since=MOMENT + timedelta(hours=1)) == (["1"], 1)


async def test_a_caller_that_gives_up_leaves_the_record_working(record: Record) -> None:
    task = asyncio.create_task(record.jobs.accept(ask("a")))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await record.jobs.accept(ask("b"))
    assert "b" in {one.id for one in await record.jobs.unfinished("ask")}


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("start"), st.integers(0, 2)),
            st.tuples(st.sampled_from(["finished", "failed", "stopped"]), st.integers(0, 2)),
        ),
        max_size=12,
    )
)
async def test_whatever_happens_an_end_never_changes(record: Record, steps: list[tuple[str, int]]) -> None:
    await record.jobs.forget(datetime.now(UTC) + timedelta(days=1))
    for left in await record.jobs.unfinished("ask"):
        await record.jobs.end(left.id, "failed", {})
    await record.jobs.forget(datetime.now(UTC) + timedelta(days=1))
    ended: dict[str, str] = {}
    for n in range(3):
        await record.jobs.accept(ask(f"a{n}"))
    for step, n in steps:
        id = f"a{n}"
        if step == "start":
            assert (await record.jobs.start_attempt(id, 0) == 0) == (id in ended)
        else:
            assert await record.jobs.end(id, step, {"by": step}) == (id not in ended)
            ended.setdefault(id, step)
    for n in range(3):
        stored = await record.jobs.find(f"a{n}")
        assert stored is not None
        assert stored.status == ended.get(f"a{n}")


async def test_jobs_are_counted_by_day_and_end_and_the_last_that_failed_are_named(record: Record) -> None:
    def ended(result: dict[str, Any]) -> dict[str, Any]:
        return {"result": result, "text": ""}

    used = {"usage": {"llm_calls": 1, "prompt_tokens": 10, "completion_tokens": 2, "cost_usd": 0.25}}
    failed = ended({"error": {"code": "NO_RELEVANT_SQL"}} | used)
    for number, (status, result) in enumerate(
        (
            ("finished", ended({"sql_source": "rules"} | used)),
            ("finished", ended({"sql_source": "rules", "usage": {"llm_calls": 0, "cost_usd": 0}})),
            ("failed", failed),
            ("failed", failed),
            ("failed", failed),
            ("stopped", ended({})),
            (None, {}),
        )
    ):
        accepted = ask(str(number), accepted_at=MOMENT + timedelta(days=number == 4, seconds=number))
        await record.jobs.accept(accepted)
        if status is not None:
            await record.jobs.end(str(number), status, result, MOMENT)
    await record.jobs.accept(ask("before", accepted_at=MOMENT - timedelta(days=1)))
    await record.jobs.accept(ask("elsewhere", project_id="other"))
    groups = await record.usage.groups("ask", "default", MOMENT)
    day = MOMENT.date()
    assert {(one.day, one.status, one.code, one.source, one.jobs, one.llm_calls, one.cost_usd) for one in groups} == {
        (day, "finished", None, "rules", 2, 1, 0.25),
        (day, "failed", "NO_RELEVANT_SQL", None, 2, 2, 0.5),
        (day + timedelta(days=1), "failed", "NO_RELEVANT_SQL", None, 1, 1, 0.25),
        (day, "stopped", None, None, 1, 0, 0.0),
        (day, None, None, None, 1, 0, 0.0),
    }
    assert [one.id for one in await record.usage.failed("ask", "default", MOMENT, 2)] == ["4", "3"]
    assert await record.usage.failed("ask", "default", MOMENT, 2, owner="key:somebody") == []
    await record.jobs.note("0", "notes", {"feedback": {"positive": True}})
    await record.jobs.note("2", "notes", {"feedback": {"positive": False}})
    for positive, expected in ((True, "0"), (False, "2")):
        (found,), total = await record.jobs.page(
            "ask", "default", JobFilter(feedback=positive), limit=5, offset=0, ended_since=MOMENT - timedelta(days=1)
        )
        assert (found.job.id, total) == (expected, 1)


def test_pauses_grow_to_the_longest() -> None:
    waits = list(islice(pauses(2.0), 20))
    assert waits[0] <= 0.05
    assert all(1.0 <= wait <= 2.0 for wait in waits[6:])
