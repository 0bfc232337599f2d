"""Writing whole results into files, in processes of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Literal

from askwell.child_process.pool import ChildKind, ChildWork, temporary_folder
from askwell.errors import Busy, NotInstalled, ResultTooLarge, Unavailable
from askwell.messages import say
from askwell.providers.engine.base import ResultColumn, TakeRows
from askwell.row_files.spool import MOST_BYTES, Spool

RowFileFormat = Literal["csv", "xlsx", "json", "parquet"]
# Rows of a sheet of Excel, without that of the names.
MOST_SHEET_ROWS = 1_048_575
# What writing a file gets: a million rows of ten columns took a workbook three minutes on a slow machine.
SECONDS = 600.0
# How many are fetched and written at once, and how long others wait for them.
_AT_ONCE = 2
_LONGEST_WAIT = 60.0
_KIND = ChildKind(
    "askwell.row_files.child",
    "to write files in",
    "writing it",
    ("duckdb", "openpyxl", "et_xmlfile", "lxml"),
    size=_AT_ONCE,
)

# Gives rows to what takes them; what the columns are, at the end.
Fill = Callable[[TakeRows], Awaitable[Sequence[ResultColumn]]]


class RowFiles(ChildWork):
    """Writes files."""

    def __init__(self, *, seconds: float = SECONDS, most_bytes: int = MOST_BYTES) -> None:
        """`seconds` are for writing one file, `most_bytes` what its rows may take of the disk meanwhile."""
        super().__init__(_KIND, seconds)
        self._most_bytes = most_bytes
        self._places = asyncio.Semaphore(_AT_ONCE)

    @staticmethod
    def require(form: RowFileFormat) -> None:
        """Raises `NotInstalled` where what writes this format is not installed."""
        if form == "xlsx" and find_spec("openpyxl") is None:
            raise NotInstalled(*say("files.openpyxl_missing"))

    async def write(self, form: RowFileFormat, fill: Fill) -> IO[bytes]:
        """A file of the rows that `fill` gives, open at its beginning and without a name: it is gone once it is closed.
        Raises `ResultTooLarge`, `NotInstalled`, `Busy`, `Unavailable` where there is no room on the disk, and as
        `fill`. Cancelling it ends the process that writes."""
        self.require(form)
        async with self._place():
            try:
                with temporary_folder("askwell-rows-") as folder:
                    return await self._write(form, fill, Path(folder))
            except OSError as error:
                raise _no_room(error.strerror) from None

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(_LONGEST_WAIT):
                await self._places.acquire()
        except TimeoutError:
            raise Busy(*say("files.busy"), retry_after=30) from None
        try:
            yield
        finally:
            self._places.release()

    async def _write(self, form: RowFileFormat, fill: Fill, folder: Path) -> IO[bytes]:
        rows, file = folder / "rows", folder / "file"
        with Spool(rows, self._most_bytes) as spool:
            columns = await fill(spool.take)
        request = {
            "format": form,
            "rows": str(rows),
            "file": str(file),
            "columns": [[column.name, column.type] for column in columns],
            "longest": spool.longest,
        }
        fields = await self._answer(request, _does_not_fit)
        if (trouble := fields.get("disk")) is not None:
            raise _no_room(trouble)
        return file.open("rb")


def _does_not_fit(reason: str) -> ResultTooLarge:
    return ResultTooLarge(*say("files.result_does_not_fit", reason=reason))


def _no_room(reason: str | None) -> Unavailable:
    return Unavailable(*say("files.not_written", reason=reason or "unknown trouble"))
