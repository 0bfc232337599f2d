"""Rows as text, written as they come: CSV, TSV, JSON, NDJSON, Markdown."""

from __future__ import annotations

import csv
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from askwell.spelling import free_name

Rows = Sequence[Sequence[Any]]
# Excel reads a CSV file without it in the code page of the machine, where "Zürich" is "ZÃ¼rich".
_BYTE_ORDER_MARK = "\ufeff"
# Where a spreadsheet may read a cell's beginning: at the text's own, and, where its list separator is a semicolon, also
# behind one and on a new line, since quotes in the middle of a cell are letters then.
_LINE_ENDS = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
# What some programs leave out before a formula, and what holds only a number, dashes or a remark behind its sign.
_LEFT_OUT = rf'[^\S{_LINE_ENDS}]|[\x00-\x08\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"]|%0[9ad]'
_HARMLESS = (
    r"(?:[-+]*|[\d.,:' \u00a0\u202f()$€£¥%]*(?:e[-+]?\d+)?|"
    rf"[-+]*[ \t]+[^\W\d][^;{_LINE_ENDS}()!|&^*/=<>+]*)(?=[;{_LINE_ENDS}]|\Z)"
)
_BEGINS = rf"(?:[=@\uff1d\uff20]|[-+\uff0d\uff0b](?!{_HARMLESS}))"
_FORMULA = re.compile(
    rf"\A(?=(?:[{_LINE_ENDS}]|{_LEFT_OUT})*{_BEGINS})|(?<=[;{_LINE_ENDS}])(?=(?:{_LEFT_OUT})*{_BEGINS})", re.IGNORECASE
)


class RowWriter(ABC):
    """Writes rows one after the other, in one format. `count` is how many were written."""

    def __init__(self, names: Sequence[str], out: TextIO, inert: bool = False) -> None:
        self._names, self._out, self._inert = names, out, inert
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


def row_writer(form: str, names: Sequence[str], out: TextIO, *, inert: bool = False) -> RowWriter:
    """What writes rows whose columns have these names. Two columns of one name get numbers behind it where names have
    to differ. With `inert`, an apostrophe stands in CSV and TSV before what a spreadsheet would take for a formula.
    Raises `KeyError` for a format that is none of text."""
    return _WRITERS[form](names, out, inert)


class _Csv(RowWriter):
    delimiter = ","
    line_end = "\n"

    def _begin(self) -> None:
        self._lines = csv.writer(self._out, delimiter=self.delimiter, lineterminator=self.line_end)
        self._row(self._names)

    def _row(self, row: Sequence[Any]) -> None:
        self._lines.writerow([_no_formula(_plain(cell)) if self._inert else _plain(cell) for cell in row])


class _Tsv(_Csv):
    delimiter = "\t"


class _SpreadsheetCsv(_Csv):
    """CSV (RFC 4180) that people open in a spreadsheet: always inert."""

    line_end = "\r\n"

    def _begin(self) -> None:
        self._inert = True
        self._out.write(_BYTE_ORDER_MARK)
        super()._begin()


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
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict) else cell


def _no_formula(cell: Any) -> Any:
    return _FORMULA.sub("'", cell) if isinstance(cell, str) else cell


_WRITERS: Mapping[str, type[RowWriter]] = {
    "csv": _Csv,
    "spreadsheet_csv": _SpreadsheetCsv,
    "tsv": _Tsv,
    "json": _Json,
    "ndjson": _Ndjson,
    "markdown": _Markdown,
}
