"""When the record cannot be used: what is said, and that nothing is touched."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from askwell.errors import ConfigurationError, RecordUnavailable
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import FILE_NAME, Record
from askwell.services.housekeeping import Housekeeping
from tests.knowledge.test_jobs import ask as accepted


def ask(id: str) -> AcceptedJob:
    return AcceptedJob(id, "ask", "default", {"query": "q"}, None, "h", datetime.now(UTC))


async def test_a_file_that_is_no_record_is_refused_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is not a database, and long enough to have a header" * 20)
    with pytest.raises(RecordUnavailable, match="not an Askwell record") as caught:
        await Record.open("sqlite", tmp_path)
    assert "backup" in caught.value.hint


async def test_a_damaged_record_is_said_to_be_damaged(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    for n in range(200):
        await record.jobs.accept(ask(f"a{n}"))
    await record.close()
    path = tmp_path / FILE_NAME
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)

    async def use() -> None:
        record = await Record.open("sqlite", tmp_path)
        await record.jobs.unfinished("ask")

    with pytest.raises(RecordUnavailable, match=r"damaged|not an Askwell record") as caught:
        await use()
    assert "backup" in caught.value.hint


async def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordUnavailable, match="file"):
        await Record.open("sqlite", tmp_path / "file" / "home")


NO_ROOM = """
import asyncio, resource, sys
from datetime import UTC, datetime
from pathlib import Path
from askwell.errors import RecordUnavailable
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record

async def main():
    record = await Record.open("sqlite", Path(sys.argv[1]))
    ask = AcceptedJob("before", "ask", "default", {"query": "q"}, None, "h", datetime.now(UTC))
    await record.jobs.accept(ask)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    try:
        for n in range(500):
            long = {"query": "x" * 5000}
            await record.jobs.accept(AcceptedJob(f"a{n}", "ask", "default", long, None, "h", datetime.now(UTC)))
    except RecordUnavailable as error:
        print(error.message, "|", error.hint)
    print((await record.jobs.find("before")).job == ask)

asyncio.run(main())
"""


async def test_when_there_is_no_room_left_it_is_said_and_reading_goes_on(tmp_path: Path) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", NO_ROOM, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    output = (await child.communicate())[0].decode().splitlines()
    assert "cannot be written" in output[0]
    assert "space" in output[0]
    assert output[1] == "True"


@pytest.mark.deep
async def test_a_record_that_another_process_holds_is_said(tmp_path: Path) -> None:
    record = await Record.open(f"sqlite:///{tmp_path / FILE_NAME}", tmp_path)
    holder = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(record.jobs.accept(ask("a")))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    holder.execute("ROLLBACK")
    assert (await waiting) == (await record.jobs.unfinished("ask"))[0]

    # One that keeps it is waited for once by all that arrived together, and not by each in its turn.
    holder.execute("BEGIN IMMEDIATE")
    many = [record.jobs.accept(ask(f"b{number}")) for number in range(20)]
    ends = await asyncio.gather(*many, return_exceptions=True)
    assert len(set(ends)) == 1
    assert str(ends[0]) == f"The record {FILE_NAME} is locked by another process."
    holder.execute("ROLLBACK")
    holder.close()
    await record.jobs.accept(ask("c"))
    assert [one.id for one in await record.jobs.unfinished("ask")] == ["a", "c"]
    await record.close()


async def test_a_closed_record_says_so(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    await record.close()
    await record.close()
    with pytest.raises(RecordUnavailable, match="closed"):
        await record.jobs.accept(ask("a"))


@pytest.mark.parametrize("url", ["mysql://user@host/db", "nonsense", "oracle://x"])
async def test_another_database_is_refused_in_words(tmp_path: Path, url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"knowledge\.url"):
        await Record.open(url, tmp_path)


async def test_no_password_is_told(tmp_path: Path) -> None:
    pytest.importorskip("psycopg", reason="no PostgreSQL driver is installed")
    with pytest.raises(RecordUnavailable) as caught:
        await Record.open("postgresql+psycopg://me:topsecret@127.0.0.1:1/none", tmp_path)
    assert "topsecret" not in caught.value.message + caught.value.hint


CHILD = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record

async def main():
    record = await Record.open("sqlite", Path(sys.argv[1]))
    n = 0
    while True:
        now = datetime.now(UTC)
        some = [AcceptedJob(f"a{n + k}", "ask", "default", {"query": "q"}, None, "h", now) for k in range(7)]
        for one in await asyncio.gather(*(record.jobs.accept(one) for one in some)):
            print(one.id, flush=True)
        n += 7

asyncio.run(main())
"""


async def test_what_was_told_survives_kill_9(tmp_path: Path) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    told = [(await child.stdout.readline()).decode().strip() for _ in range(100)]
    child.send_signal(signal.SIGKILL)
    told += (await child.stdout.read()).decode().split()[:-1]  # the last line may be half written
    await child.wait()
    record = await Record.open("sqlite", tmp_path)
    stored = {one.id for one in await record.jobs.unfinished("ask")}
    await record.close()
    assert len(told) >= 100
    assert set(told) <= stored


@pytest.mark.parametrize(
    ("spoil", "happened"),
    [
        (lambda home: shutil.rmtree(home), "was deleted"),
        (lambda home: (home / FILE_NAME).unlink(), "was deleted"),
        (lambda home: (home / FILE_NAME).rename(home / "moved"), "was deleted"),
        (lambda home: shutil.copy(home / FILE_NAME, home / "new").rename(home / FILE_NAME), "was replaced"),
    ],
    ids=["home deleted", "file deleted", "file moved away", "another file in its place"],
)
async def test_nothing_is_accepted_once_the_file_is_gone(
    tmp_path: Path, spoil: Callable[[Path], object], happened: str
) -> None:
    home = tmp_path / "home"
    record = await Record.open("sqlite", home)
    await record.jobs.accept(ask("before"))
    await record.check()
    spoil(home)
    with pytest.raises(RecordUnavailable, match=happened) as caught:
        await record.jobs.accept(ask("after"))
    assert "restart the service" in caught.value.hint
    assert str(tmp_path) not in caught.value.message + caught.value.hint
    with pytest.raises(RecordUnavailable, match=happened):
        await record.check()
    # What was told before can still be answered, and no empty record takes the place of the lost one.
    assert (await record.jobs.find("before")) is not None
    await asyncio.gather(*(record.jobs.find("before") for _ in range(20)), return_exceptions=True)
    assert happened == "was replaced" or not (home / FILE_NAME).exists()
    await record.close()


async def test_a_file_that_was_put_back_is_used_again(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    file = tmp_path / FILE_NAME
    file.rename(tmp_path / "elsewhere")
    with pytest.raises(RecordUnavailable):
        await record.jobs.accept(ask("a"))
    (tmp_path / "elsewhere").rename(file)
    assert await record.jobs.accept(ask("a")) == (await record.jobs.unfinished("ask"))[0]
    await record.close()


# -- The rows of old results go; what was asked, how it ended and its SQL stay.


def kept(data: Any = None) -> dict[str, Any]:
    result = {"status": "finished", "response": [{"sql": 'SELECT "é" FROM t', "type": "llm"}], "data": data}
    return {"result": {name: value for name, value in result.items() if value is not None}, "text": "word"}


ROWS = {"columns": [{"name": "n", "type": "INTEGER"}], "rows": [[1], [2]], "row_count": 2, "truncated": False}


async def ended(record: Record, id: str, end: dict[str, Any]) -> None:
    await record.jobs.accept(accepted(id))
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
