"""A semantic model from a workbook in which people describe their tables: a sheet for each table, or one sheet in which
a column names the table. Every cell that cannot be used is told, by its sheet and place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from askwell.mdl.importers.excel_doubts import (
    UnknownHeader,
    settle_numbers,
    tell_doubts,
    tell_key_numbers,
    tell_repeated,
)
from askwell.mdl.importers.excel_facts import add_facts, with_key_sheets
from askwell.mdl.importers.excel_links import add_links
from askwell.mdl.importers.excel_row import KeyMarks, Row
from askwell.mdl.importers.imported import ImportedModel, imported, refused
from askwell.mdl.importers.table_draft import ColumnDraft, TableDraft, table_json
from askwell.mdl.importers.workbook import MAX_ROWS, Sheet, WorkbookContent, read_workbook
from askwell.mdl.importers.workbook_layout import Layout, SheetKind, find_layouts, plain, word_set
from askwell.mdl.importers.workbook_sections import notes_at_end, sections
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import Findings, TooManyProblems, shown
from askwell.mdl.reserved import MAX_NAME_CHARACTERS, unusable_characters
from askwell.mdl.types import TypeFamily, type_family

MAX_COLUMNS = 10_000
# A model is right without these, if poorer.
_WORDING = ("description", "table_description", "display_name", "synonyms", "unit")
_PLAIN_NAME = re.compile(r"[\w$#.-]+")


def read_excel(path: Path) -> ImportedModel:
    """The model that a workbook describes. Raises `ConfigurationError` for a file that is no workbook."""
    content = read_workbook(path)
    findings = Findings()
    reader = _Reader(findings)
    try:
        reader.read(content)
        if not reader.tables and not findings.problems:
            todo = (
                'Write a header row with "table", "column" and "type"; `askwell model template` makes such a workbook.'
            )
            return refused(findings, path.name, "none of its sheets describes a table", todo)
        reader.finish()
        links = add_links(list(reader.tables.values()), findings)
        settle_numbers(list(reader.tables.values()), links)
        tell_doubts(list(reader.tables.values()), links, reader.unknown_headers, findings)
    except TooManyProblems:
        return imported({}, findings, cut_short=True)
    return imported(_mdl(list(reader.tables.values()), links), findings)


def _mdl(tables: list[TableDraft], links: list[dict[str, object]]) -> dict[str, object]:
    enums = [
        {"name": f"{table.name}.{column.name}", "values": list(column.values)}
        for table in tables
        for column in table.columns.values()
        if column.values
    ]
    mdl: dict[str, object] = {"catalog": "askwell", "schema": "main", "models": [table_json(one) for one in tables]}
    return mdl | {"relationships": links} | ({"enumDefinitions": enums} if enums else {})


@dataclass(slots=True)
class _Reader:
    findings: Findings
    tables: dict[str, TableDraft] = field(default_factory=dict)
    columns: int = 0
    unknown_headers: list[UnknownHeader] = field(default_factory=list)
    unknown_types: dict[str, list[str]] = field(default_factory=dict)
    facts: list[Row] = field(default_factory=list)
    key_numbers: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def read(self, content: WorkbookContent) -> None:
        if content.hidden:
            what = f"hidden sheets are not read: {shown(', '.join(content.hidden), 200)}"
            self.findings.warn("workbook", what, "Show those that describe tables.")
        laid_out = []
        for sheet in content.sheets:
            layouts = find_layouts(sheet)
            laid_out += [(sheet, layout) for layout in layouts]
            if layouts:
                self._note_headers(sheet, layouts[0])
            elif sheet.rows:
                what = "no header row with known words is in its first 10 rows, so it is left out"
                self.findings.warn(shown(sheet.name), what, "Nothing needs to be done for notes and titles.")
            if sheet.cut:
                what = f"it has more than {MAX_ROWS:,} rows, and the rest is not read"
                self.findings.refuse(shown(sheet.name), what, "Divide it into several sheets.")
        laid_out = with_key_sheets(laid_out)
        # Tables first: their order is that of the columns' sheets all the same.
        for kind in SheetKind:
            for sheet, layout in laid_out:
                if layout.kind is kind:
                    self._read_sheet(sheet, layout)
        for key, table in list(self.tables.items()):
            if not table.columns:
                what = f'no columns stand below this title of "{shown(table.name)}", so it is left out'
                self.findings.warn(table.where, what, "Describe its columns, or leave it out.")
                del self.tables[key]

    def finish(self) -> None:
        """What can only be said when all sheets are read."""
        add_facts(self.facts, self.tables, self.findings)
        tell_key_numbers(self.key_numbers.values(), self.findings)
        for said, places in self.unknown_types.items():
            count = f"{len(places)} cells, the first here" if len(places) > 1 else "one cell"
            what = f'"{shown(said)}" is no type that is known ({count}), so none was taken from it'
            todo = "Write a type of SQL, such as INTEGER, DECIMAL(10,2), DATE or VARCHAR."
            self.findings.warn(places[0], what, todo)

    def _note_headers(self, sheet: Sheet, layout: Layout) -> None:
        for name, label in layout.guessed:
            what = f'the header "{shown(label)}" is not known, and was read as "{name}" by what stands under it'
            self.findings.warn(shown(sheet.name), what, "Rename it if that is wrong.")
        self.unknown_headers += [UnknownHeader(sheet, layout, column, label) for column, label in layout.unknown]
        if layout.unknown:
            names = ", ".join(
                f'"{shown(label)}" ({sheet.where(layout.header, column)})' for column, label in layout.unknown[:20]
            )
            what = f"these headers are not known, and what stands under them is left out: {names}"
            self.findings.warn(shown(sheet.name), what, "Rename those that matter, as in `askwell model template`.")

    def _read_sheet(self, sheet: Sheet, layout: Layout) -> None:
        table = layout.above.get("table", sheet.name) if "table" not in layout.fields else ""
        notes, titles = self._notes(sheet, layout), sections(sheet, layout)
        repeated: list[tuple[Row, ColumnDraft]] = []
        for number in range(layout.header + 1, layout.end):
            row = Row(sheet, layout, number, self.findings, self.unknown_types)
            if number in notes or (not row.filled_cells() and not any(True for _ in row.faults())):
                continue
            if number in titles:
                table = self._begin_table(*titles[number], row)
                continue
            refused = self._refuse_faults(row)
            table = row.name("table") or table
            if refused:
                continue
            if layout.kind is SheetKind.TABLES:
                self._read_table(row)
            elif layout.kind is SheetKind.COLUMNS:
                first = self._read_column(row, table, above=not titles)
                repeated += [(row, first)] if first else []
            else:
                self.facts.append(replace(row, table=table))
        tell_repeated(sheet, layout, repeated, self.findings)

    def _notes(self, sheet: Sheet, layout: Layout) -> list[int]:
        """Rows at the end that are no columns, which are told."""
        notes = notes_at_end(sheet, layout)
        if notes:
            texts = (" ".join(text for text in sheet.rows[row] if text) for row in notes[:5])
            said = ", ".join(f'"{shown(text)}" (row {row + 1})' for text, row in zip(texts, notes, strict=False))
            what = f"these lines at the end describe nothing, and are left out: {said}"
            self.findings.warn(shown(sheet.name), what, "Nothing needs to be done for notes and totals.")
        return notes

    def _begin_table(self, name: str, description: str, row: Row) -> str:
        where = row.sheet.where(row.number, next(i for i, text in enumerate(row.sheet.rows[row.number]) if text))
        table = self._table(name, where)
        table.description = description or table.description
        return name

    def _refuse_faults(self, row: Row) -> bool:
        refused = False
        for name, where, what in row.faults():
            if name in _WORDING:
                self.findings.warn(where, f"{what}, so it is left out", "Open the workbook in Excel, and save it.")
                continue
            self.findings.refuse(where, what, "Open the workbook in Excel, correct the cell, and save it.")
            refused = True
        return refused

    # -- tables -----------------------------------------------------------------------------------------------------

    def _table(self, name: str, where: str) -> TableDraft:
        table = self.tables.get(name.lower())
        if table is None:
            self._check_name(name, where)
            table = self.tables[name.lower()] = TableDraft(name, where)
        return table

    def _read_table(self, row: Row) -> None:
        name = row.name("table")
        if not name:
            if row.filled_cells() > 1:
                self.findings.refuse(row.where("table"), "the table has no name", "Write its name.")
            return
        table = self.tables.get(name.lower())
        if table is None:
            if name.lower() not in self._told:
                self._told.add(name.lower())
                todo = nearest_hint(name, [one.name for one in self.tables.values()]) or "Describe its columns."
                self.findings.refuse(row.where("table"), f'no columns are described of "{shown(name)}"', todo)
            return
        self._describe_table(table, row)

    def _describe_table(self, table: TableDraft, row: Row) -> None:
        table.schema = row.text("schema") or table.schema
        table.physical = row.name("physical_table") or row.name("physical_column") or table.physical
        table.description = row.text("table_description") or row.text("description") or table.description
        table.display_name = row.text("display_name") or table.display_name
        table.synonyms = row.listed("synonyms") or table.synonyms

    # -- columns ----------------------------------------------------------------------------------------------------

    def _read_column(self, row: Row, table_name: str, *, above: bool) -> ColumnDraft | None:
        """Add the column; the one that has its name already comes back."""
        name = row.name("column")
        if not name:
            self._read_nameless(row)
            return None
        if not table_name:
            self.findings.refuse(row.where("table"), "the column belongs to no table", "Write the table's name.")
            return None
        self.columns += 1
        if self.columns > MAX_COLUMNS:
            if self.columns == MAX_COLUMNS + 1:
                what = f"the workbook has more than {MAX_COLUMNS:,} columns, and the rest is not read"
                self.findings.refuse(row.where("column"), what, "Leave out what nobody asks about.")
            return None
        table = self._table(table_name, row.where("table" if "table" in row.layout.fields else "column"))
        self._note_table(table, row, row.layout.above if above and "table" not in row.layout.fields else {})
        first = table.columns.get(name.lower())
        if first is not None:
            return first
        self._check_name(name, row.where("column"))
        table.columns[name.lower()] = self._column(row, name)
        if (number := row.text("primary_key")).isdecimal():
            self.key_numbers.setdefault(table.name, []).append((int(number[:4]), row.where("primary_key")))
        return None

    def _note_table(self, table: TableDraft, row: Row, above: Mapping[str, str]) -> None:
        schema = row.text("schema") or above.get("schema", "")
        if schema and not _PLAIN_NAME.fullmatch(schema):  # "owner" may be a person
            if schema not in self._told:
                self._told.add(schema)
                what = f'"{shown(schema)}" is no name of a schema, and is left out'
                self.findings.warn(
                    row.where("schema"), what, "Nothing needs to be done where it is a person or a team."
                )
            schema = ""
        table.schema = schema or table.schema
        table.physical = row.name("physical_table") or above.get("physical_table", "") or table.physical
        said = row.text("table_description") or above.get("table_description") or above.get("description", "")
        table.description = said or table.description

    def _read_nameless(self, row: Row) -> None:
        """A row without a column's name: a title, a note, or a slip."""
        name = row.name("table")
        cells = row.filled_cells()
        if name and row.text("description") and name.lower() in self.tables:
            self._describe_table(self.tables[name.lower()], row)
        elif cells > 1 and any(row.text(one) for one in ("type", "primary_key", "foreign_key", "key", "nullable")):
            self.findings.refuse(row.where("column"), "the column has no name", "Write its name, or empty the row.")

    def _column(self, row: Row, name: str) -> ColumnDraft:
        marks, primary, kind = row.key_marks(), row.key_marks("primary_key"), row.type()
        column = ColumnDraft(name, row.where("column"), kind.type, row.listed("synonyms"))
        column.physical = row.name("physical_column")
        column.description = row.text("description")
        column.display_name = row.text("display_name")
        column.unit = row.text("unit")
        column.is_number = kind.is_number
        column.is_key = primary.primary or marks.primary
        column.is_unique = (marks.unique or primary.unique) and not column.is_key
        column.essential = row.flag("essential") or marks.essential
        column.hidden = row.flag("hidden")
        column.not_null = row.not_null() or kind.not_null
        column.check_table = row.name("check_table")
        column.code_list = row.text("code_list") or row.text("values")
        column.code_where = row.where("code_list" if row.text("code_list") else "values")
        if type_family(kind.type) is not TypeFamily.BOOLEAN:
            from_type = kind.values and not row.text("values")
            said, where = (kind.values, "type") if from_type else (row.text("values"), "values")
            column.values = row.values(said, row.where(where)) if said else ()
        if primary.foreign and not marks.foreign:
            marks = replace(marks, foreign=True, target=marks.target or primary.target)
        self._note_reference(row, column, marks)
        return column

    def _note_reference(self, row: Row, column: ColumnDraft, marks: KeyMarks) -> None:
        said, table, there = row.text("foreign_key"), row.name("foreign_table"), row.name("foreign_column")
        column.reference_where = row.where("foreign_key" if said else "foreign_table" if table else "key")
        if plain(said) in word_set("no"):
            said = ""
        if table:
            column.reference = f"{table}.{there}" if there else table
        elif said and plain(said) not in word_set("yes"):
            column.reference = said
        else:
            column.reference = marks.target
            column.is_marked_foreign = bool(said) or marks.foreign

    def _check_name(self, name: str, where: str) -> None:
        if len(name) > MAX_NAME_CHARACTERS:
            what = f'the name "{shown(name)}" is longer than {MAX_NAME_CHARACTERS} characters'
            self.findings.refuse(where, what, "Shorten it.")
        unusable = " ".join(sorted(map(repr, unusable_characters(name))))
        if unusable:
            what = f'the name "{shown(name)}" has characters that no query can carry ({shown(unusable)})'
            self.findings.refuse(where, what, 'Give it another name, and write this one under "physical name".')
