"""Accepted asks: stored before anybody hears of them, ended once, found again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askwell.knowledge.asks import AcceptedAsk, IdempotencyConflict
from askwell.knowledge.record import Record

MOMENT = datetime(2026, 3, 4, 5, 6, 7, 890123, tzinfo=UTC)


def ask(id: str, **changed: Any) -> AcceptedAsk:
    facts: dict[str, Any] = {
        "id": id,
        "project_id": "default",
        "request": {"query": "How many orders?", "histories": []},
        "idempotency_key": None,
        "body_hash": "h",
        "accepted_at": MOMENT,
    }
    return AcceptedAsk(**facts | changed)


async def test_an_ask_is_found_as_it_was_accepted_after_reopening(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    accepted = ask("a", request={"query": "Wie viele Aufträge? 🛒", "n": 1}, idempotency_key="k")
    assert await record.accept_ask(accepted) == accepted
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    stored = await record.find_ask("a")
    assert stored is not None
    assert (stored.ask, stored.status, stored.result, stored.finished_at) == (accepted, None, None, None)
    assert await record.unfinished_asks() == [accepted]
    await record.close()


async def test_an_unknown_ask_is_none(record: Record) -> None:
    assert await record.find_ask("nope") is None
    assert await record.start_attempt("nope") == 0
    assert await record.end_ask("nope", "finished", {}) is False


async def test_attempts_are_counted_until_the_end(record: Record) -> None:
    await record.accept_ask(ask("a"))
    assert [await record.start_attempt("a"), await record.start_attempt("a")] == [1, 2]
    await record.end_ask("a", "failed", {})
    assert await record.start_attempt("a") == 0
    stored = await record.find_ask("a")
    assert stored is not None
    assert stored.ask.attempts == 2


async def test_the_first_end_stands(record: Record) -> None:
    await record.accept_ask(ask("a"))
    ends = await asyncio.gather(
        record.end_ask("a", "stopped", {"n": 1}),
        record.end_ask("a", "finished", {"n": 2}),
        record.end_ask("a", "failed", {"n": 3}),
    )
    assert sorted(ends) == [False, False, True]
    stored = await record.find_ask("a")
    assert stored is not None
    assert (stored.status, stored.result) == (
        ["stopped", "finished", "failed"][ends.index(True)],
        {"n": ends.index(True) + 1},
    )
    assert stored.finished_at is not None
    assert await record.unfinished_asks() == []


async def test_the_same_key_and_body_gives_the_first_ask_and_another_body_a_conflict(record: Record) -> None:
    first = ask("a", idempotency_key="k", body_hash="1")
    assert await record.accept_ask(first) == first
    assert await record.accept_ask(ask("b", idempotency_key="k", body_hash="1")) == first
    assert await record.accept_ask(ask("c", idempotency_key="k", body_hash="2")) == IdempotencyConflict("a")
    assert [one.id for one in await record.unfinished_asks()] == ["a"]


async def test_a_key_belongs_to_its_project(record: Record) -> None:
    await record.accept_ask(ask("a", idempotency_key="k", body_hash="1"))
    other = ask("b", idempotency_key="k", body_hash="2", project_id="other")
    assert await record.accept_ask(other) == other


async def test_of_many_with_one_key_at_once_one_is_stored(record: Record) -> None:
    same = [ask(f"a{n}", idempotency_key="k") for n in range(20)]
    answers = await asyncio.gather(*(record.accept_ask(one) for one in same))
    assert len({one.id for one in answers if isinstance(one, AcceptedAsk)}) == 1
    assert len(await record.unfinished_asks()) == 1


async def test_one_bad_write_does_not_take_its_group_with_it(record: Record) -> None:
    outcomes = await asyncio.gather(
        record.accept_ask(ask("a")),
        record.accept_ask(ask("bad", request={"query": object()})),
        record.accept_ask(ask("b")),
        return_exceptions=True,
    )
    assert isinstance(outcomes[1], Exception)
    assert {one.id for one in await record.unfinished_asks()} == {"a", "b"}


async def test_unfinished_asks_come_oldest_first(record: Record) -> None:
    for minutes, id in ((3, "c"), (1, "a"), (2, "b")):
        await record.accept_ask(ask(id, accepted_at=MOMENT + timedelta(minutes=minutes)))
    assert [one.id for one in await record.unfinished_asks()] == ["a", "b", "c"]


async def test_only_asks_that_ended_before_are_forgotten(record: Record) -> None:
    await record.accept_ask(ask("ended"))
    await record.accept_ask(ask("running"))
    await record.end_ask("ended", "finished", {})
    assert await record.forget_asks(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert await record.forget_asks(datetime.now(UTC) + timedelta(seconds=1)) == 1
    assert [one.id for one in await record.unfinished_asks()] == ["running"]


async def test_a_caller_that_gives_up_leaves_the_record_working(record: Record) -> None:
    task = asyncio.create_task(record.accept_ask(ask("a")))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await record.accept_ask(ask("b"))
    assert "b" in {one.id for one in await record.unfinished_asks()}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    await record.forget_asks(datetime.now(UTC) + timedelta(days=1))
    for left in await record.unfinished_asks():
        await record.end_ask(left.id, "failed", {})
    await record.forget_asks(datetime.now(UTC) + timedelta(days=1))
    ended: dict[str, str] = {}
    for n in range(3):
        await record.accept_ask(ask(f"a{n}"))
    for step, n in steps:
        id = f"a{n}"
        if step == "start":
            assert (await record.start_attempt(id) == 0) == (id in ended)
        else:
            assert await record.end_ask(id, step, {"by": step}) == (id not in ended)
            ended.setdefault(id, step)
    for n in range(3):
        stored = await record.find_ask(f"a{n}")
        assert stored is not None
        assert stored.status == ended.get(f"a{n}")
