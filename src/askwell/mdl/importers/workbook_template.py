"""A workbook to fill in: an example of two tables that can be imported as it is, and a sheet that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from askwell.errors import ConfigurationError
from askwell.mdl.importers.workbook import openpyxl
from askwell.messages import say

# What stands under each header; the second line is for the sheet of notes.
_TABLES = (
    ("table", "What people call the table. Required."),
    ("physical table", "The table's name in the database, where it is another."),
    ("schema", "The schema that it is in, where the database has several."),
    ("description", "One sentence: what a row of it is."),
    ("display name", "The name to show, where the name is a technical one."),
    ("synonyms", "Other words that people use, divided by commas."),
)
_COLUMNS = (
    ("table", "The table that the column belongs to. Required; an empty cell repeats the one above."),
    ("column", "What people call the column. Required."),
    ("type", "A type of SQL: INTEGER, DECIMAL(10,2), DATE, TIMESTAMP, BOOLEAN, VARCHAR. Empty: the database's."),
    ("description", "One sentence; say the unit of a number."),
    ("primary key", "yes for the column, or all the columns, that tell rows apart."),
    ("foreign key", "Where it leads: table.column."),
    ("nullable", "no where there is always a value."),
    ("essential", "yes for the columns that most questions are about."),
    ("display name", "The name to show, where the name is a technical one."),
    ("synonyms", "Other words that people use, divided by commas."),
    ("values", "All values that it can have, divided by commas; O=open where the database holds a code."),
    ("physical name", "The column's name in the database, where it is another."),
)
_EXAMPLE_TABLES = (
    ("customers", "CUST", "", "One row for each person or company that buys.", "", "clients, buyers"),
    ("orders", "", "", "One row for each order.", "", "purchases"),
)
_EXAMPLE_COLUMNS = (
    ("customers", "id", "INTEGER", "", "yes", "", "no", "", "", "", "", "CUST_NO"),
    ("customers", "name", "VARCHAR", "", "", "", "no", "yes", "", "", "", "NM1"),
    ("customers", "city", "VARCHAR", "Where the customer lives.", "", "", "", "", "", "town", "", ""),
    ("orders", "id", "INTEGER", "", "yes", "", "no", "", "", "", "", ""),
    ("orders", "customer_id", "INTEGER", "", "", "customers.id", "no", "", "", "", "", ""),
    ("orders", "ordered_on", "DATE", "", "", "", "no", "yes", "Order date", "", "", ""),
    ("orders", "total", "DECIMAL(10,2)", "What the order cost, in euros.", "", "", "", "yes", "", "amount", "", ""),
    ("orders", "status", "VARCHAR", "", "", "", "", "", "", "", "O=open, P=paid, C=cancelled", ""),
)
_NOTES = (
    "Describe your tables on the sheets Tables and Columns, in place of the example there.",
    "Then run: askwell model import THIS_FILE.xlsx -o model.json",
    "With --database, types come from the database, and names that it does not have are told.",
    "Columns that you do not need may be removed or left empty, and their order does not matter.",
    "Instead of one sheet Columns there may be a sheet for each table, called like the table.",
)
_YES_NO = ("primary key", "nullable", "essential")
_MOST_CHARACTERS_WIDE = 40


def write_template(path: Path) -> None:
    """Write the workbook. Raises `ConfigurationError` where it cannot be written or openpyxl is not installed."""
    book = openpyxl().Workbook()
    notes = book.active
    notes.title = "Notes"
    for line in _NOTES:
        notes.append([line])
    for name, fields, rows in (("Tables", _TABLES, _EXAMPLE_TABLES), ("Columns", _COLUMNS, _EXAMPLE_COLUMNS)):
        for texts in ([], [f"The sheet {name}"], *(["", header, meaning] for header, meaning in fields)):
            notes.append(texts)
        _write_sheet(book.create_sheet(name), [header for header, _ in fields], rows)
    _set_widths(notes, [12, 18, 90])
    book.active = 1
    try:
        book.save(path)
    except OSError as error:
        raise ConfigurationError(*say("importer.template_not_writable", path=path, strerror=error.strerror)) from None


def _write_sheet(sheet: Any, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from openpyxl.styles import Font, PatternFill
    from openpyxl.worksheet.datavalidation import DataValidation

    choice = DataValidation(type="list", formula1='"yes,no"', allow_blank=True)
    sheet.add_data_validation(choice)
    for row in (headers, *rows):
        sheet.append([text or None for text in row])
    for cell in sheet[1]:
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="DDE6F0")
        if cell.value in _YES_NO:
            choice.add(f"{cell.column_letter}2:{cell.column_letter}5000")
    longest = (max(map(len, texts)) for texts in zip(headers, *rows, strict=True))
    _set_widths(sheet, [min(characters, _MOST_CHARACTERS_WIDE) + 3 for characters in longest])
    sheet.freeze_panes = "C2"


def _set_widths(sheet: Any, widths: Sequence[int]) -> None:
    for letter, width in zip("ABCDEFGHIJKLMNOP", widths, strict=False):
        sheet.column_dimensions[letter].width = width
