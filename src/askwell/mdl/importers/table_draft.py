"""Tables and columns as a workbook describes them, before they are a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from askwell.mdl.importers.imported import quoted, with_properties


@dataclass(slots=True)
class ColumnDraft:
    """A described column. `where` and `reference_where` are cells; `reference` is written by people: `customers.id`.
    `reason` is set where it was guessed; `check_table` may be outside the workbook; `is_number` says that nothing tells
    whether the number has decimals."""

    name: str
    where: str
    type: str = ""
    synonyms: tuple[str, ...] = ()
    physical: str = ""
    description: str = ""
    display_name: str = ""
    unit: str = ""
    values: tuple[dict[str, str], ...] = ()
    is_key: bool = False
    is_unique: bool = False
    essential: bool = False
    hidden: bool = False
    not_null: bool = False
    reference: str = ""
    reference_where: str = ""
    is_marked_foreign: bool = False
    reason: str = ""
    check_table: str = ""
    code_list: str = ""
    code_where: str = ""
    is_number: bool = False


@dataclass(slots=True)
class TableDraft:
    """A described table, its columns by their names in lower case."""

    name: str
    where: str
    schema: str = ""
    physical: str = ""
    description: str = ""
    display_name: str = ""
    synonyms: tuple[str, ...] = ()
    columns: dict[str, ColumnDraft] = field(default_factory=dict)
    unique: list[tuple[str, ...]] = field(default_factory=list)

    def key(self) -> tuple[str, ...]:
        """The names of the primary key's columns."""
        return tuple(column.name for column in self.columns.values() if column.is_key)


def table_json(table: TableDraft) -> dict[str, Any]:
    """The table as a model of MDL."""
    reference = {"table": table.physical or table.name} | ({"schema": table.schema} if table.schema else {})
    model: dict[str, Any] = {"name": table.name, "tableReference": reference}
    model["columns"] = [column_json(table, column) for column in table.columns.values()]
    if key := table.key():
        model["primaryKey"] = key[0] if len(key) == 1 else list(key)
    unique: list[Any] = [column.name for column in table.columns.values() if column.is_unique]
    unique += [key[0] if len(key) == 1 else list(key) for key in table.unique]
    if unique:
        model["uniqueKeys"] = unique
    return with_properties(model, _properties(table))


def column_json(table: TableDraft, column: ColumnDraft) -> dict[str, Any]:
    """The column as one of MDL, without `type` where none was said."""
    written: dict[str, Any] = {"name": column.name}
    if kind := f"{table.name}.{column.name}" if column.values else column.type:
        written["type"] = kind
    if column.physical and column.physical != column.name:
        written["expression"] = quoted(column.physical)
    if column.not_null:
        written["notNull"] = True
    if column.hidden:
        written["isHidden"] = True
    properties = _properties(column)
    if column.essential:
        properties["essential"] = True
    if column.unit:
        properties["unit"] = column.unit
    return with_properties(written, properties)


def _properties(one: TableDraft | ColumnDraft) -> dict[str, Any]:
    return {"displayName": one.display_name, "description": one.description, "synonyms": list(one.synonyms)}
