"""Rows of an answer for programs and documents: CSV, TSV, JSON, NDJSON, Markdown, written as they come."""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO

from askwell.errors import ConfigurationError
from askwell.spelling import free_name

Rows = Sequence[Sequence[Any]]


class RowFormat(StrEnum):
    """How rows are written. `table` is for people."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    NDJSON = "ndjson"
    MARKDOWN = "markdown"


_BY_ENDING = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".ndjson": "ndjson", ".jsonl": "ndjson", ".md": "markdown"}


def format_of(file: Path, wanted: RowFormat | None = None) -> RowFormat:
    """The format that is wanted, or else that of the ending of its name. Raises `ConfigurationError` where these are
    two, and where there is neither."""
    ending = _BY_ENDING.get(file.suffix.lower())
    if wanted is RowFormat.TABLE:
        raise ConfigurationError("A table is for people, and not for files.", "Choose another --format than table.")
    form = wanted or ending
    if form is None:
        raise ConfigurationError(f"{file} is of no known kind.", f"Its name ends in {', '.join(_BY_ENDING)}.")
    if form != (ending or form):
        raise ConfigurationError(
            f"{file} is to be {form}, and its name says {ending}.", "Leave out --format, or name another file."
        )
    return RowFormat(form)


class RowWriter(ABC):
    """Writes rows one after the other, in one format. `count` is how many were written."""

    def __init__(self, names: Sequence[str], out: TextIO) -> None:
        self._names, self._out = names, out
        self.count = 0
        self._begin()

    def write(self, rows: Rows) -> None:
        """The next rows. Raises `OSError` where they cannot be written."""
        for row in rows:
            self._row(row)
            self.count += 1

    def end(self) -> None:
        """No more rows come."""
        self._out.flush()

    @abstractmethod
    def _begin(self) -> None:
        """What stands before the rows."""

    @abstractmethod
    def _row(self, row: Sequence[Any]) -> None: ...


def row_writer(form: RowFormat, names: Sequence[str], out: TextIO) -> RowWriter:
    """What writes rows whose columns have these names. Two columns of one name get numbers behind it where names have
    to differ. Raises `KeyError` for `table`."""
    return _WRITERS[form](names, out)


class _Csv(RowWriter):
    delimiter = ","

    def _begin(self) -> None:
        self._lines = csv.writer(self._out, delimiter=self.delimiter, lineterminator="\n")
        self._lines.writerow(self._names)

    def _row(self, row: Sequence[Any]) -> None:
        self._lines.writerow([_plain(cell) for cell in row])


class _Tsv(_Csv):
    delimiter = "\t"


class _Ndjson(RowWriter):
    def _begin(self) -> None:
        taken: set[str] = set()
        self._keys = [free_name(name, taken) for name in self._names]

    def _row(self, row: Sequence[Any]) -> None:
        self._out.write(f"{self._object(row)}\n")

    def _object(self, row: Sequence[Any]) -> str:
        return json.dumps(dict(zip(self._keys, row, strict=True)), ensure_ascii=False)


class _Json(_Ndjson):
    def _begin(self) -> None:
        super()._begin()
        self._out.write("[")

    def _row(self, row: Sequence[Any]) -> None:
        self._out.write(f"{',' if self.count else ''}\n  {self._object(row)}")

    def end(self) -> None:
        self._out.write("\n]\n" if self.count else "]\n")
        super().end()


class _Markdown(RowWriter):
    def _begin(self) -> None:
        self._line(self._names)
        self._line(["---"] * len(self._names))

    def _row(self, row: Sequence[Any]) -> None:
        self._line(["" if cell is None else str(_plain(cell)) for cell in row])

    def _line(self, cells: Sequence[str]) -> None:
        escaped = (" ".join(cell.replace("\\", "\\\\").replace("|", "\\|").split()) for cell in cells)
        self._out.write(f"| {' | '.join(escaped)} |\n")


def _plain(cell: Any) -> Any:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell


_WRITERS: dict[RowFormat, type[RowWriter]] = {
    RowFormat.CSV: _Csv,
    RowFormat.TSV: _Tsv,
    RowFormat.JSON: _Json,
    RowFormat.NDJSON: _Ndjson,
    RowFormat.MARKDOWN: _Markdown,
}
