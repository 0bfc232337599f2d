"""Excel workbooks as text in cells, read within bounds. What stands in them is `excel.py`'s.

A workbook is a zip archive of XML. Its sizes are checked before anything is unpacked, and the archive is never read
past the sizes that it declares; the XML parser (expat) bounds what entities may grow to.
"""

from __future__ import annotations

import datetime as dt
import errno
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askwell.errors import ConfigurationError
from askwell.messages import say
from askwell.resources import words_file

MAX_BYTES = 50_000_000
# Sheets of text pack ten to one; a description of ten thousand columns has a few megabytes.
_MAX_UNPACKED = 200_000_000
_MAX_PARTS = 5_000
# Twice the columns that are read, for empty rows and titles; and columns beside one another that anybody describes.
MAX_ROWS = 20_000
_MAX_WIDTH = 200
_MAX_SHEETS = 2_000
# What Excel lets a cell hold.
_MAX_TEXT = 32_767

_OTHER_KINDS = {b"\xd0\xcf\x11\xe0": "an Excel file of before 2007, or one with a password", b"%PDF": "a PDF"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """`rows` hold every cell's text, "" where it is empty, up to the last one with any. `faults` say what is
    wrong with a cell that has no value, `cut` says that the sheet has more rows than were read."""

    name: str
    rows: list[list[str]]
    faults: dict[tuple[int, int], str] = field(default_factory=dict)
    cut: bool = False

    def text(self, row: int, column: int) -> str:
        """A cell's text, also of one behind the last."""
        return self.rows[row][column] if 0 <= row < len(self.rows) and 0 <= column < len(self.rows[row]) else ""

    def where(self, row: int, column: int) -> str:
        """A cell as people say it: `Orders!C7`."""
        return f"{self.name}!{column_letters(column)}{row + 1}"


@dataclass(frozen=True, slots=True)
class WorkbookContent:
    """The visible sheets, and the names of the hidden ones, which are not read."""

    sheets: tuple[Sheet, ...]
    hidden: tuple[str, ...]


def column_letters(column: int) -> str:
    """0 → A, 26 → AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def read_workbook(path: Path) -> WorkbookContent:
    """The cells of a workbook. Raises `ConfigurationError` for what is no workbook, or larger than anybody's."""
    load_workbook = openpyxl().load_workbook
    _check_archive(path)
    try:
        values = load_workbook(path, read_only=True, data_only=True)
        formulas = load_workbook(path, read_only=True)
        try:
            return _content(path, values, formulas)
        finally:
            values.close()
            formulas.close()
    except ConfigurationError:
        raise
    except MemoryError:
        raise _unusable(path, "takes more memory than there is") from None
    except Exception as error:  # noqa: BLE001 - the reader raises whatever a broken part makes it raise
        raise _unusable(path, f"isn't a readable workbook ({type(error).__name__})") from None


def openpyxl() -> Any:
    """The library for workbooks. Raises `ConfigurationError` where it is not installed."""
    try:
        import openpyxl as library
    except ImportError:
        raise ConfigurationError(*say("importer.openpyxl_missing")) from None
    return library


def _unusable(path: Path, what: str) -> ConfigurationError:
    return ConfigurationError(*say("importer.workbook_unusable", path=path, what=what))


def _check_archive(path: Path) -> None:
    try:
        if not path.is_file():  # a pipe would be waited for
            raise FileNotFoundError(errno.ENOENT, "there is no such file")
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise ConfigurationError(*say("importer.workbook_unreadable", path=path, strerror=error.strerror)) from None
    if size > MAX_BYTES:
        raise _unusable(path, f"has more than {MAX_BYTES // 1_000_000} MB")
    if start in _OTHER_KINDS:
        raise _unusable(path, f"is {_OTHER_KINDS[start]}, not a workbook (.xlsx)")
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise _unusable(path, "is not a workbook (.xlsx)") from None
    if len(parts) > _MAX_PARTS or sum(part.file_size for part in parts) > _MAX_UNPACKED:
        raise _unusable(path, f"unpacks to more than {_MAX_UNPACKED // 1_000_000} MB or {_MAX_PARTS:,} parts")
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        raise _unusable(path, "is an archive, but no workbook (.xlsx)")


def _content(path: Path, values: Any, formulas: Any) -> WorkbookContent:
    if len(values.worksheets) > _MAX_SHEETS:
        raise _unusable(path, f"has more than {_MAX_SHEETS:,} sheets")
    hidden = tuple(sheet.title for sheet in values.worksheets if sheet.sheet_state != "visible")
    sheets = tuple(_sheet(sheet, formulas[sheet.title]) for sheet in values.worksheets if sheet.title not in hidden)
    return WorkbookContent(sheets, hidden)


def _sheet(values: Any, formulas: Any) -> Sheet:
    rows: list[list[str]] = []
    faults: dict[tuple[int, int], str] = {}
    cut = False
    for number, (cells, sources) in enumerate(zip(_rows(values), _rows(formulas), strict=False)):
        if number == MAX_ROWS:
            cut = True
            break
        texts = [_text(cell.value) for cell in cells]
        for column, (cell, source) in enumerate(zip(cells, sources, strict=False)):
            if cell.data_type == "e":
                faults[number, column] = f"it holds the error {texts[column]}"
            elif cell.value is None and source.data_type == "f":
                faults[number, column] = "it has a formula whose value is not stored in the file"
        while texts and not texts[-1]:
            texts.pop()
        rows.append(texts)
    while rows and not any(rows[-1]):
        rows.pop()
    return Sheet(values.title, rows, faults, cut)


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    # The size that a sheet states is often wrong, and then rows are missing.
    sheet.reset_dimensions()
    rows: Iterator[tuple[Any, ...]] = sheet.iter_rows(min_row=1, max_row=MAX_ROWS + 1, max_col=_MAX_WIDTH)
    return rows


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    # Without runs of blanks, of which patterns would try every part.
    lines = (" ".join(line.split()) for line in str(value)[:_MAX_TEXT].splitlines())
    return "\n".join(line for line in lines if line)


_MOST_CHARACTERS_WIDE = 40


def write_template(path: Path) -> None:
    """Write the workbook. Raises `ConfigurationError` where it cannot be written or openpyxl is not installed."""
    book = openpyxl().Workbook()
    template = words_file(__package__, "workbook_template.yaml")
    notes = book.active
    notes.title = "Notes"
    for line in template["notes"]:
        notes.append([line])
    for name, content in template["sheets"].items():
        headers = content["headers"]
        for texts in ([], [f"The sheet {name}"], *(["", header, meaning] for header, meaning in headers.items())):
            notes.append(texts)
        _write_sheet(book.create_sheet(name), (list(headers), *content["example"]), template["yes_no"])
    _set_widths(notes, [12, 18, 90])
    book.active = 1
    try:
        book.save(path)
    except OSError as error:
        raise ConfigurationError(*say("importer.template_not_writable", path=path, strerror=error.strerror)) from None


def _write_sheet(sheet: Any, rows: Sequence[Sequence[str]], yes_no: Sequence[str]) -> None:
    """The first of the rows are the headers; under some of them stands yes or no."""
    from openpyxl.styles import Font, PatternFill
    from openpyxl.worksheet.datavalidation import DataValidation

    choice = DataValidation(type="list", formula1='"yes,no"', allow_blank=True)
    sheet.add_data_validation(choice)
    for row in rows:
        sheet.append([text or None for text in row])
    for cell in sheet[1]:
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="DDE6F0")
        if cell.value in yes_no:
            choice.add(f"{cell.column_letter}2:{cell.column_letter}5000")
    longest = (max(map(len, texts)) for texts in zip(*rows, strict=True))
    _set_widths(sheet, [min(characters, _MOST_CHARACTERS_WIDE) + 3 for characters in longest])
    sheet.freeze_panes = "C2"


def _set_widths(sheet: Any, widths: Sequence[int]) -> None:
    for letter, width in zip("ABCDEFGHIJKLMNOP", widths, strict=False):
        sheet.column_dimensions[letter].width = width
