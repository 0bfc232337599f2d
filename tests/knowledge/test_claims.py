"""Which process takes which jobs, on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from askwell.knowledge.claims import Wanted
from askwell.knowledge.record import Record
from tests.knowledge.test_jobs import ask

# With the last, PostgreSQL joins each job with all that are free; large records may come to that by themselves.
PLANS = ["", "hashjoin hashagg sort material seqscan"]


@pytest.mark.parametrize("off", PLANS)
async def test_no_more_are_taken_than_there_is_room_for(postgresql: str, tmp_path: Path, off: str) -> None:
    settings = "".join(f"%20-cenable_{one}%3Doff" for one in off.split())
    record = await Record.open(postgresql + settings, tmp_path, shared=True)
    for number in range(30):
        await record.jobs.accept(ask(f"a{number:02}"))
    await record.claims.join("one", {"host": "here", "version": "0.1.0"})
    taken = await record.claims.take("one", Wanted(("ask",)), 5, [])
    assert [job.id for job in taken] == [f"a{number:02}" for number in range(5)]
    assert await record.claims.waiting(("ask",)) == 25
    await record.close()
