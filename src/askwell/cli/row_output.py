"""The rows of an answer into a file or on standard output: all of them, where they can be read again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import IO, Any

from askwell.errors import AskwellError, ConfigurationError, ResultTooLarge
from askwell.messages import say
from askwell.row_files.columns import FileColumn
from askwell.row_files.text import Rows, row_writer
from askwell.whole_files import whole_file

# Gives all rows of an answer to something that takes them.
AllRows = Callable[[Callable[[Rows], Awaitable[None]]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class RowTarget:
    """Where rows go, and in which format: not that of a table. Without a file they go to standard output."""

    form: RowFormat
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were written, and whether these are all that the answer has."""

    count: int
    is_all: bool

    def told(self, file: Path) -> str:
        """A sentence about them."""
        rows = "1 row is" if self.count == 1 else f"{self.count} rows are"
        return f"{rows} in {file}." if self.is_all else f"{rows} in {file}. {NOT_ALL}"


NOT_ALL = "There are more rows than settings.row_limit; these are the first ones."


async def write_rows(data: Mapping[str, Any], target: RowTarget, all_rows: AllRows | None) -> Written:
    """Write the rows of `data` (of a result object), or `all_rows` where these are not all. Raises `AskwellError` where
    the file cannot be written, which is then as it was before; `BrokenPipeError` where nobody reads."""
    names = [column["name"] for column in data["columns"]]
    fetches = data["truncated"] and all_rows is not None
    file, is_book = target.file, target.form is RowFormat.XLSX
    opened: Any = nullcontext(sys.stdout) if file is None else whole_file(file, "wb" if is_book else "w")
    try:
        with opened as out:
            text = partial(row_writer, target.form, names, out, inert=file is not None)
            writer = _Workbook(data["columns"], out) if is_book else text()

            async def take(rows: Rows) -> None:
                await asyncio.to_thread(writer.write, rows)

            if fetches and all_rows is not None:
                await all_rows(take)
            else:
                await take(data["rows"])
            writer.end()
    except OSError as error:
        if file is None:
            raise
        raise AskwellError(*say("cli.rows_not_writable", file=file, strerror=error.strerror)) from None
    return Written(writer.count, fetches or not data["truncated"])


class _Workbook:
    """Rows of a workbook of Excel, which is written at their end. `count` is how many there are. Raises `NotInstalled`
    without the extra `excel`."""

    def __init__(self, columns: Sequence[Mapping[str, str]], out: IO[bytes]) -> None:
        from askwell.row_files.files import RowFiles

        RowFiles.require("xlsx")
        self._columns, self._out = [FileColumn.of(one["name"], one["type"]) for one in columns], out
        self._rows: list[Sequence[Any]] = []
        self.count = 0

    def write(self, rows: Rows) -> None:
        """See `RowWriter.write`."""
        self._rows += rows
        self.count += len(rows)

    def end(self) -> None:
        """See `RowWriter.end`. Raises `ResultTooLarge` for what no sheet holds."""
        from askwell.child_process.child import Refused
        from askwell.row_files.files import MOST_SHEET_ROWS
        from askwell.row_files.workbook import write_workbook

        try:
            if self.count > MOST_SHEET_ROWS:
                raise Refused(f"it has {self.count:,} rows, and a sheet has {MOST_SHEET_ROWS:,}")
            write_workbook(self._rows, self._columns, self._out)
        except Refused as refused:
            raise ResultTooLarge(*say("files.result_does_not_fit", reason=refused)) from None


class RowFormat(StrEnum):
    """How rows are written. `table` is for people."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    NDJSON = "ndjson"
    MARKDOWN = "markdown"
    XLSX = "xlsx"


_BY_ENDING = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".md": "markdown",
    ".xlsx": "xlsx",
}


def format_of(file: Path, wanted: RowFormat | None = None) -> RowFormat:
    """The format that is wanted, or else that of the ending of its name. Raises `ConfigurationError` where these are
    two, and where there is neither."""
    ending = _BY_ENDING.get(file.suffix.lower())
    if wanted is RowFormat.TABLE:
        raise ConfigurationError(*say("cli.table_into_file"))
    form = wanted or ending
    if form is None:
        raise ConfigurationError(*say("cli.output_kind", file=file, by_ending=", ".join(_BY_ENDING)))
    if form != (ending or form):
        raise ConfigurationError(*say("cli.output_form_and_name", file=file, form=form, ending=ending))
    return RowFormat(form)
