"""One service on one home."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askwell.errors import RecordUnavailable
from askwell.knowledge.claims import Wanted
from askwell.knowledge.home_lock import LOCK_NAME, HomeLock
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import FILE_NAME, Record
from tests.knowledge.test_jobs import ask

HOLDER = """
import sys
from pathlib import Path
from askwell.knowledge.home_lock import HomeLock
lock = HomeLock.take(Path(sys.argv[1]))
print("taken", flush=True)
sys.stdin.read()
"""


def holding(home: Path) -> subprocess.Popen[str]:
    """A process that has the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_a_second_one_is_told_who_has_it_and_what_to_do(tmp_path: Path) -> None:
    first = holding(tmp_path / "home")
    with pytest.raises(RecordUnavailable) as caught:
        HomeLock.take(tmp_path / "home")
    assert str(tmp_path / "home") in caught.value.message
    assert f"process {first.pid}" in caught.value.message
    assert "ASKWELL_HOME" in caught.value.hint
    first.communicate()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_is_free_again_however_its_holder_ended(tmp_path: Path, how: signal.Signals) -> None:
    first = holding(tmp_path)
    first.send_signal(how)
    first.communicate()
    HomeLock.take(tmp_path).release()


def test_it_can_be_released_and_taken_again_in_one_process(tmp_path: Path) -> None:
    lock = HomeLock.take(tmp_path)
    with pytest.raises(RecordUnavailable):
        HomeLock.take(tmp_path)
    lock.release()
    lock.release()
    HomeLock.take(tmp_path).release()


def test_who_only_looks_at_it_keeps_nobody_from_taking_it(tmp_path: Path) -> None:
    HomeLock.take(tmp_path).release()
    with (tmp_path / LOCK_NAME).open() as looked_at, ThreadPoolExecutor() as threads:
        fcntl.flock(looked_at, fcntl.LOCK_SH)
        taking = threads.submit(HomeLock.take, tmp_path)
        with pytest.raises(TimeoutError):
            taking.result(0.05)
        fcntl.flock(looked_at, fcntl.LOCK_UN)
        lock = taking.result()
    assert HomeLock.holder(tmp_path) is not None
    lock.release()


def test_a_home_that_cannot_hold_the_lock_is_said(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(RecordUnavailable, match=str(tmp_path)) as caught:
        HomeLock.take(tmp_path)
    assert "home" in caught.value.hint


# -- Which process takes which jobs, on PostgreSQL.


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


# -- Looking at a record beside whoever uses it, and records of another version.


def rights(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


async def test_where_there_is_no_record_none_is_made(tmp_path: Path) -> None:
    assert await Record.look("sqlite", tmp_path / "home") is None
    assert os.listdir(tmp_path) == []


async def test_its_owner_alone_may_read_it(tmp_path: Path) -> None:
    record = await Record.open("sqlite", tmp_path)
    try:
        assert rights(tmp_path) == {FILE_NAME: 0o600, f"{FILE_NAME}-shm": 0o600, f"{FILE_NAME}-wal": 0o600}
    finally:
        await record.close()


async def test_one_in_use_can_be_looked_at_and_its_user_goes_on(tmp_path: Path) -> None:
    used = await Record.open("sqlite", tmp_path)
    looked = await Record.look("sqlite", tmp_path)
    assert looked is not None
    assert await looked.has_everything()
    assert await looked.models.projects() == []
    await looked.close()
    await used.jobs.accept(AcceptedJob("a", "ask", "default", {"query": "q"}, None, "h", datetime.now(UTC)))
    await used.close()


def test_who_has_a_home_is_told_without_taking_it(tmp_path: Path) -> None:
    assert HomeLock.holder(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()
    lock = HomeLock.take(tmp_path)
    assert "process" in str(HomeLock.holder(tmp_path))
    lock.release()
    assert HomeLock.holder(tmp_path) is None
    HomeLock.take(tmp_path).release()
