"""Looking at a record beside whoever uses it, and records of another version."""

from __future__ import annotations

import os
import sqlite3
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askwell.errors import RecordUnavailable
from askwell.knowledge.home_lock import HomeLock
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import FILE_NAME, Record
from tests.support.records import BEFORE_STEPS


def change(home: Path, *statements: str) -> None:
    with sqlite3.connect(home / FILE_NAME) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


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


async def test_one_of_an_earlier_askwell_lacks_what_is_new_and_stays_as_it_is(tmp_path: Path) -> None:
    await (await Record.open("sqlite", tmp_path)).close()
    change(
        tmp_path,
        "ALTER TABLE manifests DROP COLUMN warnings",
        "DROP TABLE embeddings",
        *BEFORE_STEPS,
    )
    for has_everything in (False, False):
        looked = await Record.look("sqlite", tmp_path)
        assert looked is not None
        assert await looked.has_everything() is has_everything
        await looked.close()
    await (await Record.open("sqlite", tmp_path)).close()
    looked = await Record.look("sqlite", tmp_path)
    assert looked is not None
    assert await looked.has_everything()
    await looked.close()


@pytest.mark.parametrize(("version", "age"), [(0, "older"), (3, "newer")])
async def test_one_of_another_version_is_refused_with_what_to_do_and_left_alone(
    tmp_path: Path, version: int, age: str
) -> None:
    await (await Record.open("sqlite", tmp_path)).close()
    change(tmp_path, f"UPDATE record_version SET version = {version}", "DROP TABLE embeddings")
    for way in (Record.open, Record.look):
        with pytest.raises(RecordUnavailable, match=f"has version {version}; this Askwell reads version 2") as caught:
            await way("sqlite", tmp_path)
        assert f"Start the {age} Askwell that wrote it" in caught.value.hint
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "embeddings" not in tables


def test_who_has_a_home_is_told_without_taking_it(tmp_path: Path) -> None:
    assert HomeLock.holder(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()
    lock = HomeLock.take(tmp_path)
    assert "process" in str(HomeLock.holder(tmp_path))
    lock.release()
    assert HomeLock.holder(tmp_path) is None
    HomeLock.take(tmp_path).release()
