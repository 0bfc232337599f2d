"""SQL pairs and instructions: stored by project and id, with an event for each change."""

from __future__ import annotations

import asyncio
from pathlib import Path

from askwell.errors import EmbedderUnavailable
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, SqlPair

PAIR = SqlPair("1", "How many orders?", "SELECT COUNT(*) FROM orders", ({"name": "day", "type": "date"},))
RULE = Instruction("1", "Amounts are in euros.", ("What is the revenue?",), is_default=True, scope="sql")


async def test_what_is_saved_survives_reopening(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    await record.saved.save_pairs("p", [PAIR], "e1")
    await record.saved.save_instructions("p", [RULE], "e2")
    before = await record.saved.of("p")
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    after = await record.saved.of("p")
    assert (dict(after.pairs), dict(after.instructions)) == ({"1": PAIR}, {"1": RULE})
    assert after.digest == before.digest
    assert [event.id for event in await record.saved.unfinished_events()] == ["e1", "e2"]
    await record.close()


async def test_the_same_id_replaces_and_other_projects_stay_apart(record: Record) -> None:
    await record.saved.save_pairs("p", [PAIR, SqlPair("2", "b", "SELECT 2")], "e1")
    await record.saved.save_pairs("q", [SqlPair("1", "q's own", "SELECT 1")], "e2")
    await record.saved.save_pairs("p", [SqlPair("1", "changed", "SELECT 3")], "e3")
    assert {pair.question for pair in (await record.saved.of("p")).pairs.values()} == {"b", "changed"}
    assert [pair.question for pair in (await record.saved.of("q")).pairs.values()] == ["q's own"]
    await record.saved.delete_pairs("p", ["1", "unknown"], "e4")
    assert set((await record.saved.of("p")).pairs) == {"2"}
    assert set((await record.saved.of("q")).pairs) == {"1"}


async def test_the_digest_follows_the_content(record: Record) -> None:
    empty = (await record.saved.of("p")).digest
    await record.saved.save_instructions("p", [RULE], "e1")
    full = (await record.saved.of("p")).digest
    await record.saved.delete_instructions("p", ["1"], "e2")
    assert (await record.saved.of("p")).digest == empty != full


async def test_a_pair_with_parameters_is_no_answer_by_itself(record: Record) -> None:
    await record.saved.save_pairs("p", [PAIR, SqlPair("2", "Which are open?", "SELECT 2")], "e1")
    assert set((await record.saved.of("p")).pairs_by_question) == {"which are open"}


async def test_an_event_tells_how_its_change_went(record: Record) -> None:
    await record.saved.save_pairs("p", [PAIR], "e1")
    await record.saved.delete_pairs("p", ["1"], "e2")
    statuses = [event.status for id in ("e1", "e2") if (event := await record.saved.event(id))]
    assert statuses == ["indexing", "deleting"]
    await record.saved.end_event("e1")
    await record.saved.end_event("e2", EmbedderUnavailable("It is down."))
    first, second = await record.saved.event("e1"), await record.saved.event("e2")
    assert first is not None
    assert second is not None
    assert second.error is not None
    assert (first.status, second.status, second.error.message) == ("finished", "failed", "It is down.")
    assert await record.saved.event("nope") is None


async def test_whoever_saves_reads_what_was_saved_whatever_is_read_meanwhile(record: Record) -> None:
    async def save(n: int) -> bool:
        await record.saved.save_pairs("p", [SqlPair(str(n), f"question {n}", "SELECT 1")], f"e{n}")
        return str(n) in (await record.saved.of("p")).pairs

    async def read() -> bool:
        await record.saved.of("p")
        return True

    assert all(await asyncio.gather(*(save(n) if n % 2 else read() for n in range(60))))
    assert len((await record.saved.of("p")).pairs) == 30
