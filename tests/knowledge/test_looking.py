"""Looking at a record beside whoever uses it, and records of another version."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from askwell.knowledge.engines import HomeLock
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import FILE_NAME, Record


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
