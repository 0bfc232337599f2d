"""Sheets beside those of the columns: keys and constraints, relationships between tables, and lists of codes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from askwell.mdl.importers.excel_row import Row
from askwell.mdl.importers.table_draft import ColumnDraft, TableDraft
from askwell.mdl.importers.workbook import Sheet
from askwell.mdl.importers.workbook_layout import Layout, SheetKind, plain, word_set
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import Findings, shown

_NAMES = re.compile(r"\s*[,;+\n]\s*")
_MANY = re.compile(r"[n*m∞]|many|viele|plusieurs|muchos|molti|veel|muitos", re.I)
_SAYS_KEYS = frozenset(("foreign_table", "foreign_key", "primary_key", "key"))
_SAYS_MORE = frozenset(("type", "description", "values", "display_name"))
_Tables = Mapping[str, TableDraft]


def with_key_sheets(laid_out: list[tuple[Sheet, Layout]]) -> list[tuple[Sheet, Layout]]:
    """The layouts, those that only say which columns are keys and where they lead marked so, where another sheet
    describes the columns."""
    if not any(layout.kind is SheetKind.COLUMNS and "type" in layout.fields for _, layout in laid_out):
        return laid_out
    return [
        (sheet, replace(layout, kind=SheetKind.KEYS) if _only_keys(layout) else layout) for sheet, layout in laid_out
    ]


def _only_keys(layout: Layout) -> bool:
    fields = layout.fields.keys()
    return (
        layout.kind is SheetKind.COLUMNS and "table" in fields and not fields & _SAYS_MORE and bool(fields & _SAYS_KEYS)
    )


def add_facts(rows: Sequence[Row], tables: _Tables, findings: Findings) -> None:
    """Add what the rows say to the tables, which have all of their columns."""
    unique: dict[tuple[str, str], tuple[TableDraft, list[ColumnDraft]]] = {}
    for row in rows:
        if row.layout.kind is SheetKind.KEYS:
            _add_key(row, tables, unique, findings)
        elif row.layout.kind is SheetKind.LINKS:
            _add_link(row, tables, findings)
    for table, columns in unique.values():
        table.unique.append(tuple(column.name for column in columns))
    _add_codes([row for row in rows if row.layout.kind is SheetKind.CODES], tables, findings)


def _add_key(
    row: Row,
    tables: _Tables,
    unique: dict[tuple[str, str], tuple[TableDraft, list[ColumnDraft]]],
    findings: Findings,
) -> None:
    table = _known_table(row, "table", row.name("table") or row.table, tables, findings)
    columns = _known_columns(row, "column", table, findings)
    if table is None or not columns:
        return
    marks = row.key_marks("constraint_type" if "constraint_type" in row.layout.fields else "key")
    if marks.primary or row.key_marks("primary_key").primary:
        for column in columns:
            column.is_key = True
    elif marks.unique:
        # The columns of one constraint may stand in rows of their own.
        name = row.text("constraint_name") or row.where("column")
        unique.setdefault((table.name, name), (table, []))[1].extend(columns)
    to = row.name("foreign_table") or row.name("foreign_key") or marks.target
    if to and plain(to) not in word_set("no"):
        names = _NAMES.split(row.name("foreign_column")) if row.text("foreign_column") else []
        _refer(row, columns, to, names, findings)
    elif marks.foreign:
        for column in columns:
            column.is_marked_foreign = not column.reference
            column.reference_where = row.where("column")


def _refer(row: Row, columns: Sequence[ColumnDraft], table: str, names: Sequence[str], findings: Findings) -> None:
    where = row.sheet.where(row.number, min(row.layout.fields.values()))
    if names and len(names) != len(columns):
        what = f"it names {len(columns)} columns on one side, and {len(names)} on the other"
        findings.refuse(where, what, "Name as many on both sides.")
        return
    for column, name in zip(columns, names or [""] * len(columns), strict=True):
        reference = f"{table}.{name}" if name else table
        if column.reference and plain(column.reference) not in (plain(reference), plain(table)):
            what = f'{shown(column.name)} refers to "{shown(column.reference)}" already'
            findings.warn(
                where, f'{what}, so "{shown(reference)}" is left out', "Add the other relationship to the model."
            )
            continue
        column.reference, column.reference_where, column.is_marked_foreign = reference, where, False


def _known_table(row: Row, field: str, name: str, tables: _Tables, findings: Findings) -> TableDraft | None:
    table = tables.get(name.lower())
    if table is None and name:
        hint = nearest_hint(name, [one.name for one in tables.values()]) or "Describe its columns, or leave this out."
        findings.warn(row.where(field), f'"{shown(name)}" is no table of the workbook, so the row is left out', hint)
    return table


def _known_columns(row: Row, field: str, table: TableDraft | None, findings: Findings) -> list[ColumnDraft]:
    if table is None or not row.text(field):
        return []
    names = [name.strip("`\"' ") for name in _NAMES.split(row.text(field).strip("() "))]
    missing = [name for name in names if name.lower() not in table.columns]
    if missing:
        hint = nearest_hint(missing[0], [one.name for one in table.columns.values()]) or "Correct it."
        # Half of a key would be wrong without a word.
        findings.refuse(row.where(field), f'{shown(table.name)} has no column "{shown(missing[0])}"', hint)
        return []
    return [table.columns[name.lower()] for name in names]


def _add_link(row: Row, tables: _Tables, findings: Findings) -> None:
    ends = [_end(row, side, tables, findings) for side in ("from", "to")]
    (child, here), (parent, there) = ends
    if child is None or parent is None:
        return
    said = row.text("cardinality").lower()
    sides = [part for part in re.split(r"\s*(?::|\bto\b|-+|\bzu\b|\bà\b|\ba\b)\s*", said) if part]
    many = [bool(_MANY.search(part)) for part in sides[-2:]] if len(sides) > 1 else []
    if many == [True, True]:
        what = f"{shown(child.name)} and {shown(parent.name)} are linked many to many, which takes a table between them"
        findings.warn(row.where("cardinality"), what, "Nothing needs to be done where that table is described.")
        return
    if many == [False, True] and "child_table" not in row.layout.fields:
        child, here, parent, there = parent, there, child, here
    if here:
        _refer(row, here, parent.name, [column.name for column in there], findings)
    elif not _is_linked(child, parent):
        _by_key(row, child, parent, findings)


def _end(row: Row, side: str, tables: _Tables, findings: Findings) -> tuple[TableDraft | None, list[ColumnDraft]]:
    """A side's table and columns, also in one cell: `orders.customer_id`."""
    said = row.name(f"{side}_table")
    name, dot, column = said.rpartition(".")
    if dot and said.lower() not in tables and name.lower() in tables:
        table = tables[name.lower()]
        one = table.columns.get(column.lower())
        return table, [one] if one else []
    found = _known_table(row, f"{side}_table", said, tables, findings)
    return found, _known_columns(row, f"{side}_column", found, findings)


def _is_linked(child: TableDraft, parent: TableDraft) -> bool:
    start = re.compile(rf"\W*{re.escape(parent.name)}\b", re.I)
    return any(start.search(column.reference) or column.check_table == parent.name for column in child.columns.values())


def _by_key(row: Row, child: TableDraft, parent: TableDraft, findings: Findings) -> None:
    """Relate two tables of which no columns are named, where the child has the parent's key under its own name."""
    key = parent.key()
    columns = [child.columns[name.lower()] for name in key if name.lower() in child.columns]
    if not key or len(columns) < len(key) or any(column.reference for column in columns):
        what = f"{shown(child.name)} and {shown(parent.name)} are related, but nothing says by which columns"
        findings.warn(row.where("from_table"), what, 'Write "table.column" at the foreign key.')
        return
    _refer(row, columns, parent.name, key, findings)
    for column in columns:
        column.reason = f"{column.name} has the name of the key of {parent.name}"


def _add_codes(rows: Sequence[Row], tables: _Tables, findings: Findings) -> None:
    lists: dict[str, dict[str, dict[str, str]]] = {}
    listed = ""
    of_columns: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    for row in rows:
        listed = row.text("code_list") or listed
        value, name = row.text("value"), row.text("value_name") or row.text("description") or row.text("display_name")
        if not value:
            continue
        entry = {"name": name, "value": value} if name and name != value else {"name": value}
        if "code_list" in row.layout.fields:
            lists.setdefault(plain(listed), {}).setdefault(value, entry)
        else:
            of_columns.setdefault((row.table.lower(), row.name("column").lower()), {}).setdefault(value, entry)
    for table in tables.values():
        for column in table.columns.values():
            found = lists.get(plain(column.code_list)) if column.code_list else None
            found = found or of_columns.get((table.name.lower(), column.name.lower()))
            if found:
                column.values = _distinct(found)
    _tell_unknown_lists(tables, lists, findings)


def _distinct(values: Mapping[str, dict[str, str]]) -> tuple[dict[str, str], ...]:
    """The values, by their codes where several have one meaning."""
    names = [entry["name"].lower() for entry in values.values()]
    return tuple(
        entry if names.count(entry["name"].lower()) == 1 else {"name": value} for value, entry in values.items()
    )


def _tell_unknown_lists(tables: _Tables, lists: Mapping[str, object], findings: Findings) -> None:
    unknown = {
        column.code_list: column.code_where
        for table in tables.values()
        for column in table.columns.values()
        if column.code_list and not column.values and plain(column.code_list) not in {*lists, *word_set("no")}
    }
    if unknown and lists:
        name, where = next(iter(unknown.items()))
        what = f'no sheet has values for {len(unknown)} lists of codes, such as "{shown(name)}"'
        findings.warn(where, what, "Describe them on the sheet of the others.")
