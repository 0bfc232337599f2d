"""Whether the first line of a CSV file names the columns, or is a row like those below it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise

from askwell.csv_files.words import word_set
from askwell.mdl.names import words

_ROWS = 200
# A column is of a kind that so many of its values are of.
_MOST = 0.8
_MOST_WORDS = 4
_DAY = r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})|\d{1,2}[ -][^\W\d]{3,9}[ -]\d{2,4})"
_TIME = r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
_KINDS = (
    ("number", re.compile(r"[-+(]?\s?[$€£¥₹]?\s?[-+]?\d[\d.,']*([eE][-+]?\d+)?\s?[%$€£¥₹]?\)?")),
    ("date", re.compile(_DAY)),
    ("moment", re.compile(rf"{_DAY}[ T]+{_TIME}.*")),
    ("time", re.compile(_TIME)),
    ("truth", re.compile(r"true|false", re.I)),
    ("id", re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)),
    ("address", re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}|https?://\S+", re.I)),
)
# Kinds of which no name is.
_NEVER_NAMES = frozenset(("date", "moment", "id", "address"))
_YEAR = re.compile(r"(?:19|20)\d{2}")


class FirstLine(Enum):
    """What the first line is; `UNSURE` where it is read as names and nothing tells it from the rows below."""

    NAMES = "names"
    ROW = "row"
    UNSURE = "unsure"


class _Sign(Enum):
    """What one cell of the first line speaks for: it is a name; a value; a name if no other cell is a value; a value if
    no other cell is a name."""

    NAME = "name"
    VALUE = "value"
    LIKE_A_NAME = "like a name"
    LIKE_A_VALUE = "like a value"


def first_rows(start: str, delimiter: str) -> list[list[str]]:
    """The first records of a file's `start`, whose last one may be cut off and is left out where there are others."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(start.splitlines(keepends=True), delimiter=delimiter):
            rows.append(row)
            if len(rows) > _ROWS:
                break
    except csv.Error:
        return rows[:1]
    return rows


def first_line(rows: Sequence[Sequence[str]]) -> FirstLine:
    """What the first of the rows is, by what stands under each of its cells. Years and numbers that count up are names:
    `name;2023;2024`, `name;Q1;Q2`."""
    first, rest = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    if not rest:
        return FirstLine.ROW if any(_kind(cell) in _NEVER_NAMES for cell in first) else FirstLine.NAMES
    signs = dict(_signs(first, rest))
    found = set(signs.values())
    values = [first[position].strip() for position, sign in signs.items() if sign is _Sign.VALUE]
    # A series of names stands behind the names of rows.
    has_label = signs.get(0) is not _Sign.VALUE or len(values) == len(first) > 2
    if _Sign.NAME in found or (values and has_label and _is_series(values)):
        return FirstLine.NAMES
    if values:
        return FirstLine.ROW
    if _Sign.LIKE_A_NAME in found:
        return FirstLine.NAMES
    return FirstLine.ROW if _Sign.LIKE_A_VALUE in found else FirstLine.UNSURE


def _signs(first: Sequence[str], rest: Sequence[Sequence[str]]) -> Iterator[tuple[int, _Sign]]:
    for position, cell in enumerate(first):
        below = [row[position].strip() for row in rest if not _is_missing(row[position])]
        if not _is_missing(cell) and (sign := _sign(cell.strip(), below)) is not None:
            yield position, sign


def _sign(cell: str, below: Sequence[str]) -> _Sign | None:
    kind = _kind(cell)
    if kind == "text" and _is_called_so(cell):
        return _Sign.LIKE_A_NAME
    common, count = Counter(map(_kind, below)).most_common(1)[0] if below else ("text", 0)
    if not below or count < len(below) * _MOST:
        return None
    if kind != "text" and kind == common:
        return _Sign.VALUE
    if common != "text":
        return _Sign.NAME
    return _text_sign(cell, below) if kind == "text" else None


def _text_sign(cell: str, below: Sequence[str]) -> _Sign | None:
    """Texts over texts tell by their form: `Street 1` over `Street 2`, `town` over `Berlin`."""
    if _has_digit(cell) and all(_form(cell) == _form(one) for one in below):
        return _Sign.VALUE
    if not _has_digit(cell) and all(map(_has_digit, below)):
        return _Sign.LIKE_A_NAME
    if all(_case(cell) != _case(one) for one in below) or ("_" in cell and not any("_" in one for one in below)):
        return _Sign.LIKE_A_NAME
    return _Sign.LIKE_A_VALUE if cell in below else None


def _is_called_so(cell: str) -> bool:
    """Whether it ends with a word for a column, as `airport_name` and `Order No` do."""
    said = words(cell)
    return 0 < len(said) <= _MOST_WORDS and said[-1] in word_set("column_words")


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _form(cell: str) -> str:
    """The text with its numbers alike; of codes such as `AB-1234`, with its letters alike too."""
    alike = re.sub(r"\d+", "0", cell)
    is_code = len(re.findall(r"\d", cell)) > 2 and " " not in cell
    return re.sub(r"[^\W\d_]", "a", alike) if is_code else alike


def _case(cell: str) -> str:
    return "lower" if cell.islower() else "upper" if cell.isupper() and len(cell) > 1 else "mixed"


def _is_series(cells: Sequence[str]) -> bool:
    """Years, or texts that differ in a number that counts up: by ones, or in other even steps where there are three."""
    if all(_YEAR.fullmatch(cell) for cell in cells):
        return True
    parted = [re.fullmatch(r"(\D*)(\d{1,4})", cell) for cell in cells]
    found = [(match[1], int(match[2])) for match in parted if match]
    if len(found) < max(len(cells), 2) or len({label for label, _ in found}) > 1:
        return False
    numbers = [number for _, number in found]
    step = numbers[1] - numbers[0]
    is_even = all(later - earlier == step for earlier, later in pairwise(numbers))
    return is_even and (step == 1 or (step > 1 and len(numbers) > 2))


def _is_missing(cell: str) -> bool:
    return not cell.strip() or cell.strip().lower() in word_set("missing")


def _kind(cell: str) -> str:
    return next((name for name, pattern in _KINDS if pattern.fullmatch(cell.strip())), "text")
