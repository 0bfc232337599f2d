"""The rows of old results go; what was asked, how it ended and its SQL stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from askwell.knowledge.record import Record
from askwell.services.housekeeping import Housekeeping
from tests.knowledge.test_jobs import ask


def kept(data: Any = None) -> dict[str, Any]:
    result = {"status": "finished", "response": [{"sql": 'SELECT "é" FROM t', "type": "llm"}], "data": data}
    return {"result": {name: value for name, value in result.items() if value is not None}, "text": "word"}


ROWS = {"columns": [{"name": "n", "type": "INTEGER"}], "rows": [[1], [2]], "row_count": 2, "truncated": False}


async def ended(record: Record, id: str, end: dict[str, Any]) -> None:
    await record.jobs.accept(ask(id))
    await record.jobs.end(id, "finished", end)


async def result(record: Record, id: str) -> Any:
    stored = await record.jobs.find(id)
    assert stored is not None
    assert stored.job.request["query"]
    return stored.result


async def test_only_rows_of_asks_that_ended_before_go(record: Record) -> None:
    for n in range(45):  # more than are taken at once
        await ended(record, f"old-{n}", kept(ROWS))
    await ended(record, "no rows", kept())
    await record.jobs.accept(ask("unfinished"))
    moment = datetime.now(UTC)
    await ended(record, "new", kept(ROWS))
    assert await record.jobs.drop_rows(moment) == 45
    assert await record.jobs.drop_rows(moment) == 0
    for id in ("old-0", "old-44", "no rows"):
        assert await result(record, id) == kept()
    assert await result(record, "new") == kept(ROWS)
    assert await result(record, "unfinished") is None
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["unfinished"]


async def test_housekeeping_goes_on_where_it_was_and_leaves_what_can_be_polled(record: Record) -> None:
    later = timedelta()
    housekeeping = Housekeeping(record, 60, now=lambda: datetime.now(UTC) + later)
    await ended(record, "a", kept(ROWS))
    assert await housekeeping.tidy() == 0
    later = timedelta(seconds=60)
    assert await housekeeping.tidy() == 1
    assert await result(record, "a") == kept()
    await ended(record, "b", kept(ROWS))
    assert await housekeeping.tidy() == 1
    assert await result(record, "b") == kept()


async def test_it_can_be_stopped_at_any_time(record: Record) -> None:
    housekeeping = Housekeeping(record, 0)
    await housekeeping.stop()
    housekeeping.start()
    await housekeeping.stop()
    await housekeeping.stop()
