"""Rows of an answer as a table for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from askwell.cli.plain_text import shown

_CELL_WIDTH = 60
# What rich's simple boxes take beside the cells: for each column, and for the table.
_GAP, _EDGE = 3, 1
_PAIR = 2
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d(:?\d\d)?|Z)?")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?")
# Databases give averages with sixteen digits behind the point; amounts of money and degrees keep what they have.
_LONG_FRACTION = re.compile(r"-?\d+\.\d{7,}")
_ZEROS = re.compile(r"-?\d+\.\d{5,}")
# Digits behind the point that people read, and digits in all of what is smaller than one.
_DIGITS = 4
_CLAUSES = ("order", "where", "having", "group")


def show_rows(console: Console, data: Mapping[str, Any], limit: int, *, sql: str = "", more: str = "") -> None:
    """The first rows as a table, and how much there is in all. Where not all columns fit, those that the statement
    `sql` sorts, filters or groups by come before others. `more` says how to see more rows."""
    columns, rows = data["columns"], data["rows"][:limit]
    if not rows:
        console.print(Text("\n0 rows\n"))
        return
    values = [[row[index] for row in rows] for index in range(len(columns))]
    cells = [_cells(each) for each in values]
    headings = [_cut(shown(column.get("heading") or column["name"], lines=False)) for column in columns]
    widths = [
        max(Text(name).cell_len, *(cell.cell_len for cell in each)) for name, each in zip(headings, cells, strict=True)
    ]
    fitting = _fitting([column["name"] for column in columns], widths, console.width, sql)
    table = Table(box=box.SIMPLE, pad_edge=True)
    # What is still too wide goes on in the next line; numbers stay whole.
    folds = _width([widths[index] for index in fitting]) > console.width
    for index in fitting:
        numbers = _are_numbers(values[index])
        least = max(cell.cell_len for cell in cells[index]) if numbers else None
        justify: Literal["left", "right"] = "right" if numbers else "left"
        heading = Text(headings[index], overflow="fold")
        table.add_column(heading, justify=justify, no_wrap=not folds, overflow="fold", min_width=least)
    for row in zip(*(cells[index] for index in fitting), strict=True):
        table.add_row(*row)
    console.print(table)
    left_out = [heading for index, heading in enumerate(headings) if index not in fitting]
    for note in _notes(data, len(rows), left_out, more):
        console.print(Text(note), soft_wrap=True)


def _notes(data: Mapping[str, Any], printed: int, left_out: Sequence[str], how: str) -> Iterator[str]:
    count = data["row_count"]
    rows = "1 row" if count == 1 else f"{count} rows"
    more = ", more were cut off (settings.row_limit)" if data["truncated"] else ""
    yield rows + more if printed == count else f"{rows}{more}; the first {printed} are shown{how}"
    if left_out:
        columns = "1 column does" if len(left_out) == 1 else f"{len(left_out)} columns do"
        yield f"{columns} not fit into this terminal: {', '.join(left_out)}"


def _fitting(names: Sequence[str], widths: Sequence[int], width: int, sql: str) -> list[int]:
    """The columns that are shown, at least one, in their own order."""
    every = list(range(len(names)))
    if _width(widths) <= width:
        return every
    wanted = _asked_about(sql)
    used = _EDGE
    kept: list[int] = []
    for index in sorted(every, key=lambda index: names[index].lower() not in wanted):
        if not kept or used + widths[index] + _GAP <= width:
            used += widths[index] + _GAP
            kept.append(index)
    # A figure without what it is about, or that without its figure, answers nothing.
    return every if len(names) == _PAIR and len(kept) < _PAIR else sorted(kept)


def _width(widths: Sequence[int]) -> int:
    """What a table with columns of these widths takes."""
    return sum(widths) + _GAP * len(widths) + _EDGE


def _asked_about(sql: str) -> set[str]:
    """The columns, in lower case, that a statement sorts, filters or groups by."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tree = parse_one(sql)
    except (SqlglotError, RecursionError):
        return set()
    clauses = [clause for select in tree.find_all(exp.Select) for name in _CLAUSES if (clause := select.args.get(name))]
    return {column.name.lower() for clause in clauses for column in clause.find_all(exp.Column)}


def _cells(values: Sequence[Any]) -> list[Text]:
    """A column's values in one form."""
    moments = [value for value in values if value is not None]
    if moments and all(isinstance(value, str) and _MOMENT.fullmatch(value) for value in moments):
        if all(_MIDNIGHT.fullmatch(value[10:]) for value in moments):
            return [_cell(value and value[:10]) for value in values]
        return [_cell(value and value.replace("T", " ")) for value in values]
    return [_cell(value) for value in values]


def _cell(value: Any) -> Text:
    if value is None:
        return Text("NULL", "dim italic")
    if isinstance(value, bool):
        return Text("true" if value else "false")
    if isinstance(value, float):
        # Sums of binary fractions end in digits that mean nothing.
        value = _rounded(format(value, ".15g"))
    if isinstance(value, str) and _ZEROS.fullmatch(value):
        value = _rounded(value.rstrip("0").rstrip("."))
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return Text(_cut(shown(str(value), lines=False)))


def _rounded(number: str) -> str:
    """A number as it is written, without the digits behind the point that nobody reads."""
    if "e" in number:
        return format(float(number), f".{_DIGITS + 1}g")
    if not _LONG_FRACTION.fullmatch(number):
        return number
    exact = Decimal(number)
    digits = _DIGITS if abs(exact) >= 1 else _DIGITS - 1 - exact.adjusted()
    return format(round(exact, digits).normalize(), "f")


def _cut(text: str) -> str:
    return text if len(text) <= _CELL_WIDTH else text[: _CELL_WIDTH - 1] + "…"


def _are_numbers(values: Sequence[Any]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(_is_number(value) for value in known)


def _is_number(value: Any) -> bool:
    """Decimals come as text, since JSON's numbers would round them."""
    if isinstance(value, str):
        digits = value.removeprefix("-").replace(".", "", 1)
        return digits.isascii() and digits.isdigit() and (digits == "0" or not _is_code(value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_code(text: str) -> bool:
    """`00123` is no number."""
    return text.startswith("0") and not text.startswith("0.")
