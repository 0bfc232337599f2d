"""What a workbook's reader is not sure of, said so that it is met first: keys and links that were not understood, and
names that are there twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from askwell.mdl.importers.excel_row import Row
from askwell.mdl.importers.table_draft import ColumnDraft, TableDraft
from askwell.mdl.importers.workbook import Sheet
from askwell.mdl.importers.workbook_layout import Layout, plain, word_set
from askwell.mdl.problems import Findings, Problem, shown

_REFERENCE = re.compile(r"\W*(?:fk\b\W*)?([\w $-]+?)\s*(?:\.|\()\s*[\w $-]+\)?\s*", re.I)
_WORDS = re.compile(r"[\W_]+")
_CELLS = 2_000
_TOLD = 5


@dataclass(frozen=True, slots=True)
class UnknownHeader:
    """A header that means nothing here, and the sheet's column under it."""

    sheet: Sheet
    layout: Layout
    column: int
    label: str

    def cells(self) -> list[tuple[int, str]]:
        """What stands under it, by row."""
        rows = range(self.layout.header + 1, min(len(self.sheet.rows), self.layout.header + _CELLS))
        return [(row, text) for row in rows if (text := self.sheet.text(row, self.column))]


def settle_numbers(tables: Sequence[TableDraft], links: Sequence[dict[str, Any]]) -> None:
    """Numbers of which nothing says whether they have decimals are integers in keys and in what refers to one."""
    linked = {
        (model.lower(), name)
        for link in links
        for model, name in re.findall(r'"((?:[^"]|"")+)"\."((?:[^"]|"")+)"', link["condition"])
    }
    for table in tables:
        for column in table.columns.values():
            is_key = column.is_key or column.is_marked_foreign or bool(column.reference)
            if column.is_number and (is_key or (table.name.lower(), column.name) in linked):
                column.type = "BIGINT"


def tell_doubts(
    tables: Sequence[TableDraft], links: Sequence[dict[str, Any]], unknown: Sequence[UnknownHeader], findings: Findings
) -> None:
    """Put first that no key, or no relationship, was found though there are columns that look like them."""
    first = []
    names = {table.name.lower() for table in tables}
    if tables and not any(table.key() for table in tables):
        first += _doubt("no primary key was found", [one for one in unknown if _looks_like_keys(one)])
    if tables and not links and not findings.problems:
        first += _doubt("no relationship was found", [one for one in unknown if _looks_like_links(one, names)])
    findings.warnings[:0] = first


def _doubt(what: str, headers: Sequence[UnknownHeader]) -> list[Problem]:
    if not headers:
        return []
    one = headers[0]
    sample = next(iter(one.cells()), None)
    said = f'"{shown(one.label)}" ({one.sheet.where(one.layout.header, one.column)})'
    more = f' with "{shown(sample[1])}" under it' if sample else ""
    todo = 'Call the header "primary key", "key" or "foreign key", and import it again.'
    return [Problem(shown(one.sheet.name), f"{what}, though the header {said}{more} may say it", todo)]


def _looks_like_keys(header: UnknownHeader) -> bool:
    if _is_hinted(header.label):
        return True
    return any(plain(part) == "pk" for _, text in header.cells() for part in re.split(r"[\s,;/+&]+", text))


def _looks_like_links(header: UnknownHeader, tables: set[str]) -> bool:
    if _is_hinted(header.label):
        return True
    cells = header.cells()
    return any((match := _REFERENCE.fullmatch(text)) and match[1].strip().lower() in tables for _, text in cells)


def _is_hinted(label: str) -> bool:
    return bool(set(_WORDS.split(plain(label))) & word_set("key_hints"))


def tell_key_numbers(tables: Iterable[Sequence[tuple[int, str]]], findings: Findings) -> None:
    """Say where the numbers of a table's key columns, which are given with their cells, do not count up from 1."""
    for numbered in tables:
        last, where = max(numbered)
        marks = {number for number, _ in numbered} - {0}
        if last and marks != set(range(1, last + 1)):
            what = f"under primary key, there is a {last} and no {min(set(range(1, last)) - marks)} in this table"
            findings.warn(where, f"{what}; its key may lack a column", "Number the columns of a key, or write yes.")


def tell_repeated(
    sheet: Sheet, layout: Layout, repeated: Sequence[tuple[Row, ColumnDraft]], findings: Findings
) -> None:
    """Say which columns are described twice. Where nothing names the tables of the sheet, and there are several such or
    a header is not known, it seems to have several tables."""
    if not repeated:
        return
    if "table" in layout.fields or not (layout.unknown or len({first.name for _, first in repeated}) > 1):
        for row, first in repeated:
            what = f'"{shown(row.name("column"))}" is described twice in this table, here and at {first.where}'
            todo = 'Remove one of the descriptions; of another table, begin it with a row "Table: NAME".'
            findings.refuse(row.where("column"), what, todo)
        return
    names = ", ".join(
        f'"{shown(first.name)}" ({first.where} and {row.where("column")})' for row, first in repeated[:_TOLD]
    )
    what = f"the sheet seems to describe several tables, and nothing says which: {names} are there twice"
    todo = 'Add a column "table", or begin each table with a row "Table: NAME".'
    if layout.unknown:
        column, label = layout.unknown[0]
        todo = (
            f'If "{shown(label)}" ({sheet.where(layout.header, column)}) names the table, call it "table"; else: {todo}'
        )
    findings.refuse(shown(sheet.name), what, todo)
