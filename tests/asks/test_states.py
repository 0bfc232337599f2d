"""The life of an ask: what may follow what, whatever the order in which things are tried."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askwell.asks.states import (
    Account,
    AskError,
    AskState,
    Correcting,
    Failed,
    Finished,
    Generating,
    Known,
    Planning,
    Queued,
    Searching,
    SqlAnswer,
    Stopped,
    Understanding,
    WordsAnswer,
    is_end,
    may_follow,
    status_name,
)
from askwell.jobs.status_store import MemoryStatusStore
from askwell.jobs.text_stream import TextStream
from askwell.pipelines.generation.question import Intent
from askwell.sql.outcome import RejectedSql, RejectionKind, ValidSql
from tests.support.kinds import ask_kind

REJECTED = RejectedSql(RejectionKind.BIND, "SELECT x", "SELECT x", "no column x")
STATES: list[AskState] = [
    Queued(),
    Understanding(),
    Searching(),
    Planning(),
    Generating(),
    Correcting(Known(), REJECTED, 1),
    Finished(Known(), SqlAnswer(ValidSql("SELECT 1", "SELECT 1", "duckdb"), "rules"), Account()),
    Finished(Known(), WordsAnswer(Intent.GENERAL), Account()),
    Failed(AskError("OTHERS", "broken")),
    Stopped(),
]
ASK = ask_kind()
LIVE = [state for state in STATES if not is_end(state)]
ENDS = [state for state in STATES if is_end(state)]


@pytest.mark.parametrize("end", ENDS, ids=status_name)
@pytest.mark.parametrize("following", STATES, ids=status_name)
def test_an_end_is_followed_by_nothing(end: AskState, following: AskState) -> None:
    assert not may_follow(end, following)


@pytest.mark.parametrize("state", LIVE, ids=status_name)
def test_every_live_state_may_fail_or_be_stopped(state: AskState) -> None:
    assert may_follow(state, Failed(AskError("OTHERS", "broken")))
    assert may_follow(state, Stopped())


def test_the_whole_life_in_order() -> None:
    life = [STATES[0], STATES[1], STATES[2], STATES[3], STATES[4], STATES[5], STATES[5], STATES[6]]
    assert all(may_follow(one, other) for one, other in itertools.pairwise(life))


def test_no_way_back_and_no_short_cut_past_the_check() -> None:
    assert not may_follow(Generating(), Searching())
    assert not may_follow(Queued(), STATES[6])
    assert not may_follow(Planning(), STATES[6])


@given(st.lists(st.sampled_from(STATES), max_size=30))
def test_the_store_never_changes_an_end_and_only_follows_the_table(tried: list[AskState]) -> None:
    store = MemoryStatusStore(ttl=60)
    entry = store.add(ASK, "a", "default", Queued())
    for following in tried:
        before = entry.state
        changed = store.advance("a", before, following)
        assert changed == may_follow(before, following)
        assert entry.state is (following if changed else before)
        assert store.get("a") is entry


def test_a_change_computed_from_an_old_state_is_refused() -> None:
    store = MemoryStatusStore(ttl=60)
    entry = store.add(ASK, "a", "default", Queued())
    seen = entry.state
    assert store.advance("a", seen, Stopped())
    assert not store.advance("a", seen, Understanding())
    assert isinstance(entry.state, Stopped)


def test_an_end_is_forgotten_after_its_time_and_a_live_ask_never() -> None:
    store = MemoryStatusStore(ttl=0.0)
    store.add(ASK, "live", "default", Queued())
    ended = store.add(ASK, "ended", "default", Queued())
    store.advance("ended", ended.state, Stopped())
    assert store.get("live") is not None
    assert store.get("ended") is None


async def test_every_reader_of_a_text_sees_all_of_it() -> None:
    stream = TextStream()
    early = asyncio.create_task(_read(stream))
    await asyncio.sleep(0)
    stream.append("one ")
    await asyncio.sleep(0)
    middle = asyncio.create_task(_read(stream))
    stream.append("two")
    stream.close()
    stream.append("too late")
    assert [await early, await middle, await _read(stream)] == ["one two"] * 3


async def _read(stream: TextStream) -> str:
    return "".join([chunk async for chunk in stream.read()])
