"""SQL pairs and instructions: stored by project and id."""

from __future__ import annotations

import asyncio
from pathlib import Path

from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, PairParameter, SqlPair
from tests.support.records import save_pairs, written

PAIR = SqlPair("1", "How many orders?", "SELECT COUNT(*) FROM orders", (PairParameter(name="day", type="date"),))
RULE = Instruction("1", "Amounts are in euros.", ("What is the revenue?",), is_default=True, scope="sql")


async def test_what_is_saved_survives_reopening(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    await save_pairs(record, "p", [PAIR])
    await written(record, "p", record.saved.saving("p", [RULE]))
    before = await record.saved.of("p")
    await record.close()
    record = await Record.open("sqlite", tmp_path)
    after = await record.saved.of("p")
    assert (dict(after.pairs), dict(after.instructions)) == ({"1": PAIR}, {"1": RULE})
    assert after.digest == before.digest
    await record.close()


async def test_the_same_id_replaces_and_other_projects_stay_apart(record: Record) -> None:
    await save_pairs(record, "p", [PAIR, SqlPair("2", "b", "SELECT 2")])
    await save_pairs(record, "q", [SqlPair("1", "q's own", "SELECT 1")])
    await save_pairs(record, "p", [SqlPair("1", "changed", "SELECT 3")])
    assert {pair.question for pair in (await record.saved.of("p")).pairs.values()} == {"b", "changed"}
    assert [pair.question for pair in (await record.saved.of("q")).pairs.values()] == ["q's own"]
    await written(record, "p", record.saved.deleting("sql_pair", "p", ["1", "unknown"]))
    assert set((await record.saved.of("p")).pairs) == {"2"}
    assert set((await record.saved.of("q")).pairs) == {"1"}


async def test_the_digest_follows_the_content(record: Record) -> None:
    empty = (await record.saved.of("p")).digest
    await written(record, "p", record.saved.saving("p", [RULE]))
    full = (await record.saved.of("p")).digest
    await written(record, "p", record.saved.deleting("instruction", "p", ["1"]))
    assert (await record.saved.of("p")).digest == empty != full


async def test_a_pair_with_parameters_is_no_answer_by_itself(record: Record) -> None:
    await save_pairs(record, "p", [PAIR, SqlPair("2", "Which are open?", "SELECT 2")])
    assert set((await record.saved.of("p")).pairs_by_question) == {"which are open"}


async def test_whoever_saves_reads_what_was_saved_whatever_is_read_meanwhile(record: Record) -> None:
    async def save(n: int) -> bool:
        await save_pairs(record, "p", [SqlPair(str(n), f"question {n}", "SELECT 1")])
        return str(n) in (await record.saved.of("p")).pairs

    async def read() -> bool:
        await record.saved.of("p")
        return True

    assert all(await asyncio.gather(*(save(n) if n % 2 else read() for n in range(60))))
    assert len((await record.saved.of("p")).pairs) == 30
