"""Rows as a workbook of one sheet, written row by row (openpyxl's write-only mode): nothing of it stays in memory.

Numbers, dates and moments are cells of their type; what Excel would show as something else stays text. Text is never a
formula. How texts stand in cells: ECMA-376 Part 1, 22.9.2.19 (ST_Xstring).
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from askwell.child_process.child import Refused
from askwell.row_files.columns import ColumnKind, FileColumn

# Specifications and limits of Excel.
_MOST_COLUMNS = 16_384
_MOST_CHARACTERS = 32_767
_DIGITS = 15
_LARGEST = 10**_DIGITS
# Excel takes 1900 for a leap year: days before this one are off by one.
_FIRST_DAY = datetime.date(1900, 3, 1)
# Of which a number is the same again: no 01, and nothing that is no number.
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
# What XML does not hold, and what would read as such a character.
_ESCAPED = re.compile("[\x00-\x08\x0b-\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write_workbook(rows: Iterable[Sequence[Any]], columns: Sequence[FileColumn], file: Path | IO[bytes]) -> None:
    """Write the rows, as the spool has them, under the names of their columns. Raises `Refused` and `OSError`."""
    if len(columns) > _MOST_COLUMNS:
        raise Refused(f"it has {len(columns):,} columns, and a sheet has {_MOST_COLUMNS:,}")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Result")
    sheet.freeze_panes = "A2"

    def text_cell(text: str) -> Any:
        if text[:1] not in ("=", "#"):
            return text
        cell = WriteOnlyCell(sheet, text)
        cell.data_type = "s"
        return cell

    readers = [_READERS.get(column.kind, str) for column in columns]
    sheet.append([text_cell(_text(column.name, "name of a column")) for column in columns])
    for row in rows:
        cells = []
        for value, read, column in zip(row, readers, columns, strict=True):
            found = read(value) if isinstance(value, str) else _of_json(value)
            if isinstance(found, str):
                found = text_cell(_text(found, f"value of {column.name[:64]}"))
            cells.append(found)
        sheet.append(cells)
    book.save(file)


def _text(text: str, what: str) -> str:
    if len(text) > _MOST_CHARACTERS // 2 and len(text.encode("utf-16-le")) // 2 > _MOST_CHARACTERS:
        raise Refused(f"a {what} is longer than the {_MOST_CHARACTERS:,} characters that a cell holds")
    return _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def _of_json(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    # Excel shows no more digits than fifteen: keys would look like others.
    return str(value) if type(value) is int and abs(value) >= _LARGEST else value


def _number(value: str) -> Any:
    if not _NUMBER.fullmatch(value):
        return value
    number = Decimal(value)
    if len(number.normalize().as_tuple().digits) > _DIGITS or abs(number) >= _LARGEST:
        return value
    return int(number) if number == number.to_integral_value() else float(number)


def _date(value: str) -> Any:
    try:
        day = datetime.date.fromisoformat(value)
    except ValueError:
        return value
    return day if day >= _FIRST_DAY else value


def _moment(value: str) -> Any:
    """As the clock shows it in the time zone that it was read in: Excel knows no zones."""
    try:
        moment = datetime.datetime.fromisoformat(value).replace(tzinfo=None)
    except ValueError:
        return value
    return moment if moment.date() >= _FIRST_DAY else value


_READERS: dict[ColumnKind, Callable[[str], Any]] = {
    ColumnKind.INTEGER: _number,
    ColumnKind.DECIMAL: _number,
    ColumnKind.DATE: _date,
    ColumnKind.TIMESTAMP: _moment,
    ColumnKind.TIMESTAMP_TZ: _moment,
}
