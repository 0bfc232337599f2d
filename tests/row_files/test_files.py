"""Files of rows: what ends the writing, and what is left of it then."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from askwell.errors import ResultTooLarge, Unavailable
from askwell.providers.engine.base import ResultColumn, TakeRows
from askwell.row_files.files import RowFiles

COLUMNS = (ResultColumn("id", "BIGINT"), ResultColumn("text", "VARCHAR"))


async def many(take: TakeRows) -> Sequence[ResultColumn]:
    for start in range(0, 300_000, 1_000):
        await take([(number, f"text {number}") for number in range(start, start + 1_000)])
    return COLUMNS


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def left_in(folder: Path) -> list[str]:
    return os.listdir(folder)


async def test_whoever_goes_away_ends_the_process_that_writes(place: Path) -> None:
    files = RowFiles()
    writing = asyncio.create_task(files.write("xlsx", many))
    me = psutil.Process()
    while not (children := me.children()):
        assert not writing.done()
        await asyncio.sleep(0.01)
    writing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await writing
    await files.close()
    assert [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []
    assert left_in(place) == []


async def test_what_takes_too_long_or_too_much_is_told(place: Path) -> None:
    for files, why in (
        (RowFiles(seconds=0.2), "more than 0.2 seconds"),
        (RowFiles(most_bytes=1 << 20), "more than 1 MiB"),
    ):
        with pytest.raises(ResultTooLarge, match=why):
            await files.write("xlsx", many)
        await files.close()
        assert left_in(place) == []


async def test_without_a_place_for_temporary_files_it_says_so(place: Path) -> None:
    shutil.rmtree(place)
    files = RowFiles()
    with pytest.raises(Unavailable, match="can't write temporary files"):
        await files.write("csv", many)
    await files.close()


async def test_others_wait_for_their_turn(place: Path) -> None:
    files = RowFiles()
    begun = 0
    go_on = asyncio.Event()

    async def waiting(take: TakeRows) -> Sequence[ResultColumn]:
        nonlocal begun
        begun += 1
        await go_on.wait()
        return COLUMNS

    writing = [asyncio.create_task(files.write("csv", waiting)) for _ in range(4)]
    await asyncio.sleep(0.05)
    assert begun == 2
    go_on.set()
    assert [file.read() for file in await asyncio.gather(*writing)] == [b"\xef\xbb\xbfid,text\r\n"] * 4
    await files.close()
