"""Where the header row of a sheet is and what its columns are about, by the words of `workbook_words.yaml`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import yaml

from askwell.mdl.importers.workbook import Sheet
from askwell.mdl.types import is_sql_type

# A header stands near the top; what is above it is a title.
_HEADER_ROWS = 10
_TITLE_CELLS = 2
_TABLE, _COLUMN, _IGNORED = "table", "column", "ignored"
_IN_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# Cells that tell what a column is about whatever its header says.
_SURE_MARKS = frozenset(("pk", "fk", "uk", "pk1", "pk2", "pk3", "fk1", "fk2", "fk3"))
_SURE_CELLS = 3
_TITLE = re.compile(r"(?P<name>[^()]+?)(?:\s+\((?P<inside>[^()]+)\)|\s*(?:\s[-–—]|:)\s+(?P<behind>.+))?\s*", re.S)
_NOT_WORDS = re.compile(r"[\s_\-./:*?!|]+")


class SheetKind(Enum):
    """What a row of the sheet is about."""

    COLUMNS = "columns"
    TABLES = "tables"
    KEYS = "keys"
    LINKS = "links"
    CODES = "codes"


_OF_CODES = ("code_list", "value", "value_name")
_OF_KEYS = ("constraint_type", "constraint_name", "column_list")
_OF_LINKS = (
    *("child_table", "child_column", "parent_table", "parent_column"),
    *("from_table", "from_column", "to_table", "to_column", "cardinality"),
)
# Known headers that say nothing on a sheet of this kind: these are told like unknown ones.
_WITHOUT_USE = {
    SheetKind.COLUMNS: frozenset((*_OF_CODES[1:], *_OF_KEYS, *_OF_LINKS)),
    SheetKind.TABLES: frozenset((*_OF_CODES, *_OF_KEYS, *_OF_LINKS)),
}
# On a sheet of relationships, each side under any of these headers.
_SIDES = {
    "from_table": ("child_table", "physical_table"),
    "from_column": ("child_column", "physical_column"),
    "to_table": ("parent_table", "foreign_table"),
    "to_column": ("parent_column", "foreign_column"),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """`fields` maps a field of `workbook_words.yaml` to the sheet's column; the rows stand behind `header` and before
    `end`. `unknown` are the cells of headers that mean nothing here; `above` is what stands over the header as a label
    and its value. `guessed` are fields whose header is not known, told by what stands under it, with that header."""

    kind: SheetKind
    header: int
    end: int
    fields: Mapping[str, int]
    unknown: tuple[tuple[int, str], ...]
    above: Mapping[str, str]
    guessed: tuple[tuple[str, str], ...] = ()


@cache
def words() -> dict[str, Any]:
    """The content of `workbook_words.yaml`."""
    text = resources.files(__package__).joinpath("workbook_words.yaml").read_text("utf-8")
    # Everything in it is text: a bare `no` is a word here.
    loaded: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)
    return loaded


@lru_cache(10_000)  # most cells repeat the words of others
def plain(text: str) -> str:
    """A header or a word as it is compared: lower case, without accents and what stands in parentheses."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _NOT_WORDS.sub(" ", _IN_PARENTHESES.sub(" ", bare)).strip() or bare.strip()


@cache
def word_set(name: str) -> frozenset[str]:
    """The words of a list in `workbook_words.yaml`, as they are compared."""
    return frozenset(plain(word) for word in words()[name])


@cache
def type_words() -> dict[str, str]:
    """Types of SQL by the words that people use for them, as they are compared."""
    return {plain(word): kind for kind, meant in words()["types"].items() for word in meant}


@cache
def _fields_of_headers() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, headers in words()["headers"].items():
        for header in dict.fromkeys(map(plain, headers)):
            found[header] = (*found.get(header, ()), name)
    return found


def split_title(title: str) -> tuple[str, str]:
    """The name and the description in a title: "orders (one for each sale)", "ORDERS – one for each sale"."""
    match = _TITLE.fullmatch(title)
    return (match["name"].strip(), (match["inside"] or match["behind"] or "").strip()) if match else (title, "")


def find_layouts(sheet: Sheet) -> list[Layout]:
    """The header row with the most known headers among the first ten rows, and wherever it stands again: then there are
    several tables below one another. None for a sheet that describes nothing."""
    best: Layout | None = None
    for row in range(min(_HEADER_ROWS, len(sheet.rows))):
        if any(first <= row < last for first, _, last, _ in sheet.merges):
            continue  # its headers go on below
        layout = _layout(sheet, row)
        if layout is not None and (best is None or _known(layout) > _known(best)):
            best = layout
    if best is None:
        return []
    best = _with_guesses(sheet, best)
    headers = [best.header]
    headers += [row for row in range(best.header + 1, len(sheet.rows)) if sheet.rows[row] == sheet.rows[best.header]]
    starts = [_title_start(sheet, best, row, limit) for row, limit in zip(headers, (-1, *headers), strict=False)]
    ends = (*starts[1:], len(sheet.rows))
    return [
        replace(best, header=row, end=end, above=_above(sheet, start, row, alone=len(headers) > 1))
        for row, start, end in zip(headers, starts, ends, strict=True)
    ]


def _with_guesses(sheet: Sheet, layout: Layout) -> Layout:
    """The layout with headers in a language that is not known here, where what stands under one leaves no doubt."""
    fields, guessed, unknown = dict(layout.fields), [], []
    for column, label in layout.unknown if layout.kind is SheetKind.COLUMNS else ():
        cells = [text for row in range(layout.header + 1, layout.end) if (text := sheet.text(row, column))]
        field = _told_by_cells(cells, fields)
        if field:
            fields[field] = column
            guessed.append((field, label))
        else:
            unknown.append((column, label))
    if not guessed:
        return layout
    return replace(layout, fields=fields, unknown=tuple(unknown), guessed=tuple(guessed))


def _told_by_cells(cells: Sequence[str], fields: Mapping[str, int]) -> str:
    if "key" not in fields and "primary_key" not in fields:
        marks = [part for text in cells for part in re.split(r"[\s,;/+&]+", plain(text)) if part]
        if "pk" in marks and all(mark in _SURE_MARKS for mark in marks):
            return "key"
    if "type" not in fields and len(cells) >= _SURE_CELLS:
        known = sum(map(_is_type, cells))
        return "type" if known == len(cells) else ""
    return ""


def _title_start(sheet: Sheet, layout: Layout, header: int, before: int) -> int:
    """The first row of the title over a header: rows with one or two cells, up to an empty row or to a column of the
    table before it."""
    if before < 0:
        return 0
    row = header
    while row - 1 > before and 0 < sum(1 for text in sheet.rows[row - 1] if text) <= _TITLE_CELLS:
        typed = sheet.text(row - 1, layout.fields.get("type", -1))
        if typed and _is_type(typed):
            break
        row -= 1
    return row


def _is_type(text: str) -> bool:
    return plain(text) in type_words() or is_sql_type(text, "")


def _known(layout: Layout) -> int:
    return len(layout.fields)


def _layout(sheet: Sheet, row: int) -> Layout | None:
    labels = {
        column: found
        for column in range(max(map(len, sheet.rows), default=0))
        if (found := _label(sheet, row, column))[0]
    }
    fields: dict[str, int] = {}
    unknown = []
    # A header of one meaning takes its field before one that may mean something else: "Name" beside "Column".
    for column, (label, candidates) in sorted(labels.items(), key=lambda one: (len(one[1][1]) > 1, one[0])):
        field = next((name for name in candidates if name not in fields), None)
        if field is not None:
            fields[field] = column
        elif _IGNORED not in candidates:
            unknown.append((column, label))
    fields.pop(_IGNORED, None)
    kind = _kind(fields)
    if kind is None or len(fields) < 2:
        return None
    without_use = _WITHOUT_USE.get(kind, frozenset()) & fields.keys()
    unknown += [(column, labels[column][0]) for column in map(fields.pop, without_use)]
    return Layout(kind, row, len(sheet.rows), fields, tuple(sorted(unknown)), {}) if len(fields) > 1 else None


def _kind(fields: dict[str, int]) -> SheetKind | None:
    """What a sheet with these headers is about; `fields` are put right for it."""
    if "type" not in fields:
        if "value" in fields and ("code_list" in fields or {_TABLE, _COLUMN} <= fields.keys()):
            return SheetKind.CODES
        if _TABLE not in fields and _COLUMN not in fields and _take_sides(fields):
            return SheetKind.LINKS
        if "constraint_type" in fields and _TABLE in fields and fields.keys() & {_COLUMN, "column_list"}:
            fields.setdefault(_COLUMN, fields.pop("column_list", -1))
            return SheetKind.KEYS
    if _COLUMN not in fields and _TABLE not in fields:
        _take_name(fields)
    if not fields.keys() & {_COLUMN, _TABLE}:
        return None
    return SheetKind.COLUMNS if _COLUMN in fields else SheetKind.TABLES


def _take_sides(fields: dict[str, int]) -> bool:
    """Whether both tables of a relationship are named; `child_table` stays where the sheet says which is which."""
    for side, others in _SIDES.items():
        found = next((fields[one] for one in (side, *others) if one in fields), None)
        if found is not None:
            fields[side] = found
    return {"from_table", "to_table"} <= fields.keys()


def _take_name(fields: dict[str, int]) -> None:
    """Where nothing else names the rows, a header such as "Name" or "Bezeichnung" does."""
    if "display_name" in fields and "type" in fields:
        fields[_COLUMN] = fields.pop("display_name")


def _label(sheet: Sheet, row: int, column: int) -> tuple[str, tuple[str, ...]]:
    """A header with what it may stand for; one under a merged heading also with that before it: "Foreign" + "Table"."""
    own = _filled(sheet, row, column)
    known = _fields_of_headers()
    heading = _heading(sheet, row, column)
    if heading and own:
        both = known.get(plain(f"{heading} {own}"))
        if both:
            return own, both
    return own, known.get(plain(own)) or known.get(_without_fillers(own), ())


@lru_cache(1_000)
def _without_fillers(label: str) -> str:
    """The words of a header that mean something: "nom de la table" is about a table."""
    # An apostrophe ends a word here: "type d'attribut".
    said = plain(re.sub("[\u2019']", " ", label)).split()
    return " ".join(word for word in said if word not in word_set("header_fillers"))


def _heading(sheet: Sheet, row: int, column: int) -> str:
    """The text over a header that is merged over several columns."""
    for first, left, last, right in sheet.merges:
        if last == row - 1 and left <= column <= right and left != right:
            return sheet.text(first, left)
    return ""


def _filled(sheet: Sheet, row: int, column: int) -> str:
    """A header's text; of one that is merged with cells above or before it, theirs."""
    text = sheet.text(row, column)
    if text:
        return text
    for first, left, last, right in sheet.merges:
        if first <= row <= last and left <= column <= right:
            return sheet.text(first, left)
    return ""


def _above(sheet: Sheet, start: int, header: int, *, alone: bool) -> dict[str, str]:
    """What titles say of the table: a known label; its value is behind a colon in the same cell, or in the next one. A
    title that stands `alone` over one of several headers is the table's name."""
    found: dict[str, str] = {}
    for row in range(start, header):
        texts = [text for text in sheet.rows[row] if text]
        if alone and len(texts) == 1 and ":" not in texts[0]:
            _note_title(found, texts[0])
        if len(texts) == 1 and (named := _named_table(texts[0], sheet.name)):
            _note_title(found, named)
            continue
        for column, text in enumerate(sheet.rows[row]):
            label, _, value = text.partition(":")
            value = value.strip() or sheet.text(row, column + 1)
            for field in _fields_of_headers().get(plain(label), ()) if value else ():
                if field == _TABLE:
                    _note_title(found, value)
                else:
                    found.setdefault(field, value)
    return found


def _named_table(title: str, sheet: str) -> str:
    """The table and what is said of it in a title such as "Table orders: one for each sale", or "Orders – one for each
    sale" where the sheet is called so; "" for another title."""
    word, _, rest = title.partition(" ")
    name = split_title(rest)[0]
    if plain(word) in word_set("section_words") and ":" not in word and name and not any(map(str.isspace, name)):
        return rest
    name, description = split_title(title)
    return f"{sheet} ({description})" if description and plain(name) == plain(sheet) else ""


def _note_title(found: dict[str, str], title: str) -> None:
    name, description = split_title(title)
    found.setdefault(_TABLE, name)
    if description:
        found.setdefault("table_description", description)
