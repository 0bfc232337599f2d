"""A semantic model from a data dictionary in a workbook.

One sheet lists the columns with their tables, or each table has a sheet of its name; another sheet may describe the
tables. The headers are known in seven languages (`workbook_words.yaml`). Every cell that cannot be used is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from askwell.mdl.importers.imported import (
    ImportedModel,
    collect,
    model_entry,
    quoted,
    relationship_entry,
    with_properties,
)
from askwell.mdl.importers.workbook import MAX_ROWS, Sheet, WorkbookContent, read_workbook
from askwell.mdl.names import MAX_NAME_CHARACTERS, nearest_hint, unusable_characters
from askwell.mdl.problems import Findings, shown
from askwell.mdl.types import TypeFamily, is_sql_type, type_family
from askwell.spelling import without_accents

MAX_COLUMNS = 10_000
# A header stands near the top; what is above it is a title.
_HEADER_ROWS = 10
_TEMPLATE = "`askwell model template BOOK.xlsx` writes a workbook that can be filled in."

_IN_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NOT_WORDS = re.compile(r"[\s_\-./:*?!|]+")
_LIST = re.compile(r"[,;\n|]+")
_BULLET = re.compile(r"^[-–•*·]\s+")
_MARKS = re.compile(r"[\s,;/&+]+")
_LONGEST_MARKS = 100
_REFERENCE = re.compile(r"[.(]")
_AROUND_REFERENCES = " ()->=→:"
_QUOTES = "`\"'"
_SIZE = re.compile(r"\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?[^()]*\)\s*$")
# More digits than PostgreSQL keeps, which keeps the most.
_MOST_DIGITS = 1_000


def read_excel(path: Path) -> ImportedModel:
    """The model that a workbook describes. Raises `ConfigurationError` for a file that is no workbook."""
    content = read_workbook(path)

    def read(findings: Findings) -> dict[str, Any]:
        dictionary = _Dictionary(findings)
        dictionary.read(content)
        if not dictionary.tables and not findings.problems:
            what = 'none of its sheets has a header row with "column" and "type" or another known header'
            findings.refuse(path.name, what, _TEMPLATE)
        return dictionary.mdl()

    return collect(read)


@cache
def _words() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("workbook_words.yaml").read_text("utf-8")
    # Everything in it is text: a bare `no` is a word here.
    loaded: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)
    return loaded


@lru_cache(10_000)  # most cells repeat the words of others
def _plain(text: str) -> str:
    """A header or a word as it is compared: lower case, without accents and parentheses."""
    bare = without_accents(text.casefold())
    return _NOT_WORDS.sub(" ", _IN_PARENTHESES.sub(" ", bare)).strip() or bare.strip()


@cache
def _word_set(name: str) -> frozenset[str]:
    return frozenset(map(_plain, _words()[name]))


@cache
def _fields_of_headers() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, headers in _words()["headers"].items():
        for header in dict.fromkeys(map(_plain, headers)):
            found[header] = (*found.get(header, ()), name)
    return found


@cache
def _type_words() -> dict[str, str]:
    return {_plain(word): kind for kind, meant in _words()["types"].items() for word in meant}


def _header_fields(label: str) -> tuple[str, ...]:
    """The fields that a header may stand for: "nom de la table" is about a table."""
    # An apostrophe ends a word here: "type d'attribut".
    words = _plain(re.sub("['\u2019]", " ", label)).split()
    without = " ".join(word for word in words if word not in _word_set("header_fillers"))
    return _fields_of_headers().get(_plain(label)) or _fields_of_headers().get(without, ())


def sql_type(cell: str) -> str:
    """The SQL type that a cell means, "" where it is none that is known."""
    words, size = _plain(cell), _SIZE.search(cell)
    written = f"({','.join(part for part in size.groups() if part)})" if size else ""
    # "Date/heure" and "Date/Time" read as a DATE elsewhere.
    if not (" " in words and words in _type_words()) and is_sql_type(cell, ""):
        kind = cell
    elif known := _type_words().get(words):
        kind = known + written if known in ("DECIMAL", "VARCHAR") else known
    else:  # a size in words of its own: VARCHAR2(30 CHAR)
        kind = cell[: size.start()].strip() + written if size else ""
        kind = kind if kind and is_sql_type(kind, "") else ""
    impossible = size and (int(size[1]) > _MOST_DIGITS or int(size[2] or 0) > int(size[1]))
    return "" if impossible and type_family(kind) is TypeFamily.NUMBER else kind


@dataclass(frozen=True, slots=True)
class _Row:
    """A row under a header. `fields` are the sheet's columns by the fields of `workbook_words.yaml`."""

    sheet: Sheet
    fields: Mapping[str, int]
    number: int
    findings: Findings

    def text(self, field: str) -> str:
        column = self.fields.get(field)
        return self.sheet.text(self.number, column) if column is not None else ""

    def name(self, field: str) -> str:
        """A name, without the quotes that other programs put around it."""
        cell = self.text(field)
        is_quoted = len(cell) > 2 and cell[0] == cell[-1] and cell[0] in _QUOTES and cell[0] not in cell[1:-1]
        return cell[1:-1].strip() if is_quoted else cell

    def where(self, field: str) -> str:
        return self.sheet.where(self.number, self.fields.get(field, 0))

    def refuse_faults(self) -> bool:
        """Whether cells under known headers have no value where there should be one."""
        faults = [one for one in self.fields.values() if (self.number, one) in self.sheet.faults]
        for column in faults:
            what = self.sheet.faults[self.number, column]
            todo = "Open the workbook in Excel, correct the cell, and save it."
            self.findings.refuse(self.sheet.where(self.number, column), what, todo)
        return bool(faults)

    def flag(self, field: str) -> bool:
        """Yes or no; no where the cell is empty."""
        cell = self.text(field)
        if not cell or _plain(cell) in _word_set("no"):
            return False
        if _plain(cell) not in _word_set("yes") and not cell.isdecimal():  # columns of a key may be numbered
            what = f'"{shown(cell)}" under {field.replace("_", " ")} is neither yes nor no'
            self.findings.refuse(self.where(field), what, 'Write "yes" or "no".')
            return False
        return True

    def not_null(self) -> bool:
        """Whether there is always a value, by "nullable" or "required"."""
        for name, sense in (("nullable", False), ("required", True)):
            cell = _plain(self.text(name))
            if cell in _word_set("never_empty"):
                return True
            if cell and cell not in _word_set("may_be_empty"):
                return self.flag(name) is sense
        return False

    def key_marks(self) -> set[str]:
        """The marks under "key": primary, foreign, unique or yes."""
        found = set()
        cell = self.text("key")[:_LONGEST_MARKS]
        kinds = ("primary", "foreign", "unique", "yes", "no")
        for mark in [cell] if any(_plain(cell) in _word_set(one) for one in kinds) else _MARKS.split(cell):
            bare = _plain(mark).rstrip("0123456789") or _plain(mark)
            kind = next((one for one in kinds if bare in _word_set(one)), "")
            if mark and not kind:
                what = f'"{shown(mark)}" is not a known mark for a key; a key may be missing'
                self.findings.warn(self.where("key"), what, "Write PK, FK or UK.")
            found.add(kind)
        return found

    def listed(self, field: str) -> tuple[str, ...]:
        """The parts of a list in a cell, each once."""
        parts = (_BULLET.sub("", part.strip()) for part in _LIST.split(self.text(field)))
        return tuple(dict.fromkeys(part for part in parts if part))

    def values(self) -> list[dict[str, str]]:
        """`open, paid` or `O=open, P=paid`, the database's value before the sign, as values of an enum."""
        parts = self.listed("values")
        if len(parts) == 1 and "=" not in parts[0]:
            what = f'"{shown(parts[0])}" is not a list of values, and is left out'
            self.findings.warn(self.where("values"), what, "Divide values by commas.")
            return []
        found: dict[str, dict[str, str]] = {}
        for part in parts:
            value, sign, name = (piece.strip() for piece in part.partition("="))
            entry = {"name": name, "value": value} if sign and name else {"name": value}
            if entry["name"].lower() in found:
                what = f'the value "{shown(entry["name"])}" is there twice'
                self.findings.refuse(self.where("values"), what, "Write each value once.")
            found[entry["name"].lower()] = entry
        return list(found.values())


@dataclass(slots=True)
class _Column:
    entry: dict[str, Any]
    where: str
    is_key: bool
    is_unique: bool
    values: list[dict[str, str]]
    reference: str
    reference_where: str

    @property
    def name(self) -> str:
        return str(self.entry["name"])


@dataclass(slots=True)
class _Table:
    """A described table, its columns by their names in lower case."""

    name: str
    reference: dict[str, str]
    properties: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, _Column] = field(default_factory=dict)

    def key(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns.values() if column.is_key)

    def describe(self, row: _Row) -> None:
        """Add what a row says of the table: one of its columns, or a row about the table alone."""
        is_alone = "column" not in row.fields
        physical = row.name("physical_table") or (row.name("physical_column") if is_alone else "")
        _add(self.reference, {"table": physical, "schema": row.name("schema")})
        _add(self.properties, {"description": row.text("table_description")})
        if is_alone:
            more = {"description": row.text("description"), "displayName": row.text("display_name")}
            _add(self.properties, {**more, "synonyms": list(row.listed("synonyms"))})

    def entry(self) -> dict[str, Any]:
        columns = list(self.columns.values())
        unique = [(column.name,) for column in columns if column.is_unique]
        entries = [column.entry for column in columns]
        return model_entry(
            self.name, self.reference, entries, primary=self.key(), unique=unique, properties=self.properties
        )


def _add(known: dict[str, Any], found: Mapping[str, Any]) -> None:
    known |= {key: value for key, value in found.items() if value}


class _Dictionary:
    """Reads the sheets of a workbook into tables."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.tables: dict[str, _Table] = {}
        self._count = 0
        self._unknown_types: dict[str, list[str]] = {}

    def read(self, content: WorkbookContent) -> None:
        """Read all sheets: those of columns first, since a sheet of tables describes what is there."""
        if content.hidden:
            what = f"hidden sheets are not read: {shown(', '.join(content.hidden), 200)}"
            self.findings.warn("workbook", what, "Show those that describe tables.")
        headers = [(sheet, *found) for sheet in content.sheets if (found := self._find_header(sheet)) is not None]
        for sheet, header, fields in headers:
            if "column" in fields:
                self._read_columns(sheet, header, fields)
        for sheet, header, fields in headers:
            if "column" not in fields:
                for row in self._rows(sheet, header, fields):
                    self._read_table(row)
        for written, places in self._unknown_types.items():
            count = f"{len(places)} cells, the first here" if len(places) > 1 else "one cell"
            what = f'"{shown(written)}" is not a known type ({count}), so none was taken from it'
            todo = "Write a type of SQL, such as INTEGER, DECIMAL(10,2), DATE or VARCHAR."
            self.findings.warn(places[0], what, todo)

    def mdl(self) -> dict[str, Any]:
        """The tables as a model of MDL, with their relationships and enums."""
        mdl: dict[str, Any] = {"catalog": "askwell", "schema": "main"}
        mdl["models"] = [table.entry() for table in self.tables.values()]
        mdl["relationships"] = self._relationships()
        enums = [
            {"name": column.entry["type"], "values": column.values}
            for table in self.tables.values()
            for column in table.columns.values()
            if column.values
        ]
        return mdl | ({"enumDefinitions": enums} if enums else {})

    # -- sheets -----------------------------------------------------------------------------------------------------

    def _find_header(self, sheet: Sheet) -> tuple[int, dict[str, int]] | None:
        """The header row with the most known headers among the first ten rows, and where its fields are; None for a
        sheet that describes nothing."""
        if sheet.cut:
            what = f"it has more than {MAX_ROWS:,} rows, and the rest is not read"
            self.findings.refuse(shown(sheet.name), what, "Divide it into several sheets.")
        rows = [(row, *_header(sheet.rows[row])) for row in range(min(_HEADER_ROWS, len(sheet.rows)))]
        known = [found for found in rows if len(found[1]) > 1 and found[1].keys() & {"column", "table"}]
        if not known:
            if sheet.rows:
                what = f"no header row with known words is in its first {_HEADER_ROWS} rows, so it is left out"
                self.findings.warn(shown(sheet.name), what, f"Keep notes as they are; for tables, {_TEMPLATE}")
            return None
        row, fields, unknown = max(known, key=lambda found: len(found[1]))
        if "table" not in fields and any(map(any, sheet.rows[:row])):
            what = "what stands above its header row is not read, and the table is called like the sheet"
            self.findings.warn(shown(sheet.name), what, 'Name the table in a column "table" if that is wrong.')
        if unknown:
            names = ", ".join(f'"{shown(label)}" ({sheet.where(row, column)})' for column, label in unknown[:20])
            what = f"these headers are not known, and what stands under them is left out: {names}"
            self.findings.warn(shown(sheet.name), what, f"Rename those that matter: {_TEMPLATE}")
        return row, fields

    def _rows(self, sheet: Sheet, header: int, fields: Mapping[str, int]) -> Iterable[_Row]:
        for number in range(header + 1, len(sheet.rows)):
            row = _Row(sheet, fields, number, self.findings)
            if not row.refuse_faults() and any(sheet.rows[number]):
                yield row

    def _check_name(self, name: str, where: str) -> None:
        if len(name) > MAX_NAME_CHARACTERS:
            what = f'the name "{shown(name)}" is longer than {MAX_NAME_CHARACTERS} characters'
            self.findings.refuse(where, what, "Shorten it.")
        if unusable := " ".join(sorted(map(repr, unusable_characters(name)))):
            what = f'the name "{shown(name)}" has characters that no query can carry ({shown(unusable)})'
            self.findings.refuse(where, what, 'Give it another name, and write this one under "physical name".')

    # -- rows -------------------------------------------------------------------------------------------------------

    def _read_table(self, row: _Row) -> None:
        name = row.name("table")
        table = self.tables.get(name.lower())
        if table is not None:
            table.describe(row)
        elif name:
            hint = nearest_hint(name, [one.name for one in self.tables.values()]) or "Describe its columns."
            self.findings.refuse(row.where("table"), f'no columns are described of "{shown(name)}"', hint)

    def _read_columns(self, sheet: Sheet, header: int, fields: Mapping[str, int]) -> None:
        """Read a sheet of columns. Without a header for the table, the sheet is called like it; an empty cell under it
        repeats the one above."""
        table = "" if "table" in fields else sheet.name
        for row in self._rows(sheet, header, fields):
            table = row.name("table") or table
            name = row.name("column")
            if not name:
                if any(row.text(one) for one in ("type", "primary_key", "foreign_key", "key", "nullable")):
                    self.findings.refuse(row.where("column"), "the column has no name", "Write its name.")
            elif not table:
                self.findings.refuse(row.where("table"), "the column belongs to no table", "Write the table's name.")
            elif self._has_room(row):
                self._read_column(row, table, name)

    def _has_room(self, row: _Row) -> bool:
        self._count += 1
        if self._count == MAX_COLUMNS + 1:
            what = f"the workbook has more than {MAX_COLUMNS:,} columns, and the rest is not read"
            self.findings.refuse(row.where("column"), what, "Leave out what people don't ask about.")
        return self._count <= MAX_COLUMNS

    def _read_column(self, row: _Row, table_name: str, name: str) -> None:
        table = self.tables.get(table_name.lower())
        if table is None:
            self._check_name(table_name, row.where("table" if "table" in row.fields else "column"))
            table = self.tables[table_name.lower()] = _Table(table_name, {"table": table_name})
        table.describe(row)
        first = table.columns.get(name.lower())
        if first is not None:
            what = f'"{shown(name)}" is described twice in this table, here and at {first.where}'
            todo = f'Remove one; where they are of two tables, add a column "table". {_TEMPLATE}'
            self.findings.refuse(row.where("column"), what, todo)
            return
        self._check_name(name, row.where("column"))
        table.columns[name.lower()] = self._column(row, table, name)

    def _column(self, row: _Row, table: _Table, name: str) -> _Column:
        marks = row.key_marks()
        yes_is_key = "primary_key" not in row.fields
        is_key = row.flag("primary_key") or "primary" in marks or ("yes" in marks and yes_is_key)
        kind = sql_type(row.text("type"))
        if row.text("type") and not kind:
            self._unknown_types.setdefault(row.text("type"), []).append(row.where("type"))
        values = row.values() if type_family(kind) is not TypeFamily.BOOLEAN else []
        entry: dict[str, Any] = {"name": name}
        if written := f"{table.name}.{name}" if values else kind:
            entry["type"] = written
        physical = row.name("physical_column")
        if physical and physical != name:
            entry["expression"] = quoted(physical)
        entry |= {"notNull": True} if row.not_null() else {}
        entry |= {"isHidden": True} if row.flag("hidden") else {}
        properties = {
            "displayName": row.text("display_name"),
            "description": row.text("description"),
            "synonyms": list(row.listed("synonyms")),
            "essential": row.flag("essential") or ("yes" in marks and not yes_is_key),
            "unit": row.text("unit"),
        }
        reference, where = self._reference(row, marked="foreign" in marks)
        entry = with_properties(entry, properties)
        is_unique = "unique" in marks and not is_key
        return _Column(entry, row.where("column"), is_key, is_unique, values, reference, where)

    def _reference(self, row: _Row, *, marked: bool) -> tuple[str, str]:
        """What a column refers to as the workbook writes it, "" for nothing, and the cell."""
        cell, table, there = row.text("foreign_key"), row.name("foreign_table"), row.name("foreign_column")
        where = row.where("foreign_key" if cell else "foreign_table" if table else "key")
        if table:
            return f"{table}.{there}" if there else table, where
        cell = "" if _plain(cell) in _word_set("no") else cell
        is_mark = _plain(cell) in _word_set("yes") | _word_set("foreign")
        if cell and not is_mark:
            return cell, where
        if marked or cell:
            what = f"{shown(row.name('column'))} is marked as a foreign key, but not of what; no relationship was made"
            self.findings.warn(where, what, 'Write "table.column" under "foreign key".')
        return "", where

    # -- relationships ----------------------------------------------------------------------------------------------

    def _relationships(self) -> list[dict[str, Any]]:
        """Those of the foreign keys; all references to one composite key of a table are one relationship."""
        groups: dict[tuple[str, ...], tuple[_Table, _Table, list[tuple[str, str]]]] = {}
        for table in self.tables.values():
            for column in table.columns.values():
                found = self._target(table, column) if column.reference else None
                if found is None:
                    continue
                target, there = found
                group: tuple[str, ...] = (table.name, target.name)
                is_part = len(target.key()) > 1 and there in target.key()
                if not is_part or there in [to for _, to in groups.get(group, (table, target, []))[2]]:
                    group = (*group, column.name)
                groups.setdefault(group, (table, target, []))[2].append((column.name, there))
        taken: set[str] = set()
        return [
            relationship_entry(table.name, target.name, pairs, taken, one_to_one=_is_one_to_one(table, target, pairs))
            for table, target, pairs in groups.values()
        ]

    def _target(self, table: _Table, column: _Column) -> tuple[_Table, str] | None:
        """The table and column that `customers.id`, `customers(id)` or `customers` refers to."""
        parts = [part.strip(" []" + _QUOTES) for part in _REFERENCE.split(column.reference.strip(_AROUND_REFERENCES))]
        name, there = (parts[-2], parts[-1]) if len(parts) > 1 else (parts[0], "")
        target = self.tables.get(name.lower())
        if target is None or (len(parts) > 1 and not there):
            what = f'"{shown(column.reference)}" refers to no table of the workbook'
            hint = nearest_hint(name, [one.name for one in self.tables.values()]) if target is None else ""
            self.findings.refuse(column.reference_where, what, hint or 'Write "table.column".')
            return None
        if there:
            if there.lower() in target.columns:
                return target, target.columns[there.lower()].name
            hint = nearest_hint(there, [one.name for one in target.columns.values()]) or "Correct it."
            what = f'{shown(target.name)} has no column "{shown(there)}"'
            self.findings.refuse(column.reference_where, what, hint)
            return None
        if len(target.key()) == 1 and target is not table:
            return target, target.key()[0]
        what = f'"{shown(column.reference)}" names no column, and {shown(target.name)} has no key of one column'
        self.findings.refuse(column.reference_where, what, 'Write "table.column".')
        return None


def _header(texts: Sequence[str]) -> tuple[dict[str, int], list[tuple[int, str]]]:
    """Where the fields of a header row are, and the headers that are not known."""
    candidates = {column: _header_fields(text) for column, text in enumerate(texts) if text}
    fields: dict[str, int] = {}
    unknown = []
    # A header of one meaning takes its field before one that may mean something else: "Name" beside "Column".
    for column, names in sorted(candidates.items(), key=lambda one: (len(one[1]) > 1, one[0])):
        name = next((one for one in names if one not in fields), None)
        if name is not None:
            fields[name] = column
        elif "ignored" not in names:
            unknown.append((column, texts[column]))
    fields.pop("ignored", None)
    if "column" not in fields and "display_name" in fields and "type" in fields:  # "Bezeichnung" names the rows
        fields["column"] = fields.pop("display_name")
    return fields, sorted(unknown)


def _is_one_to_one(table: _Table, target: _Table, pairs: Sequence[tuple[str, str]]) -> bool:
    return {here for here, _ in pairs} == set(table.key()) and {there for _, there in pairs} == set(target.key())
