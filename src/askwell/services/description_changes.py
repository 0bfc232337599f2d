"""Changes of what a semantic model says of its tables and columns, in the manifest as it was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from askwell.errors import InvalidRequest
from askwell.field_types import Identifier, Question, Text
from askwell.mdl.problems import shown
from askwell.mdl.semantic_model import SemanticModel, Table, TableKind
from askwell.sql.nearest import nearest_text

# The properties of the manifest, by the field of a change.
_PROPERTIES = {"description": "description", "synonyms": "synonyms", "display_name": "displayName", "unit": "unit"}
# Everything that people may select from, and where each keeps its columns. A view's are those of its statement.
_TABLES = {
    "models": ("columns",),
    "metrics": ("dimension", "measure"),
    "cubes": ("dimensions", "timeDimensions", "measures"),
    "views": (),
}
_MOST_PROBLEMS = 5

_Name = Annotated[Text, Field(min_length=1, max_length=256)]


class DescriptionChange(BaseModel):
    """What is to be said of a table, or of one of its columns. A field that is left out stays as it is, and null takes
    away what is said."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    table: _Name
    column: _Name | None = None
    description: Question | None = None
    synonyms: Annotated[list[Identifier], Field(max_length=100)] | None = None
    display_name: Identifier | None = None
    unit: Identifier | None = None


def changed_manifest(manifest: str, model: SemanticModel, changes: Sequence[DescriptionChange]) -> dict[str, Any]:
    """A manifest (JSON text) with the changes, in their order, and otherwise as it is. `model` is what may be asked
    about in it: other names are unknown. Raises `InvalidRequest`, with the nearest names, for those. Takes up to a
    second for thousands of tables: call it on a thread."""
    # A function of Python's for each object is where other threads get in.
    written: dict[str, Any] = json.loads(manifest, object_pairs_hook=lambda pairs: dict(pairs))
    entries = {entry["name"]: (entry, lists) for entry, lists in _entries(written)}
    unknown: list[DescriptionChange] = []
    for change in changes:
        table = model.table(change.table)
        if table is None or not _is_there(change, table):
            unknown.append(change)
            continue
        entry, lists = entries[table.name]
        _describe(entry if change.column is None else _column(entry, lists, change.column), change)
    if unknown:
        raise _refusal(unknown, model)
    return written


def with_edits(drafted: str, before: str, after: str) -> str:
    """A manifest (JSON text) with what people changed of an earlier one between `before` and `after`, where it has the
    tables and columns that they changed."""
    then, now = (dict(_places(json.loads(manifest))) for manifest in (before, after))
    written: dict[str, Any] = json.loads(drafted)
    for place, entry in _places(written):
        old, new = (said.get(place, {}).get("properties", {}) for said in (then, now))
        changed = {name: new.get(name) for name in _PROPERTIES.values() if new.get(name) != old.get(name)}
        if changed and place in now:
            properties = {**entry.get("properties", {}), **changed}
            entry["properties"] = {name: value for name, value in properties.items() if value is not None}
    return json.dumps(written, ensure_ascii=False)


def _places(written: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str | None], dict[str, Any]]]:
    for entry, lists in _entries(written):
        yield (entry["name"], None), entry
        yield from (((entry["name"], column["name"]), column) for key in lists for column in entry.get(key, ()))


def _entries(written: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    for key, lists in _TABLES.items():
        for entry in written.get(key, ()):
            yield entry, lists


def _is_there(change: DescriptionChange, table: Table) -> bool:
    if change.column is None:
        return change.unit is None
    return table.kind is not TableKind.VIEW and table.column(change.column) is not None


def _column(entry: Mapping[str, Any], lists: Sequence[str], name: str) -> dict[str, Any]:
    columns: Iterator[dict[str, Any]] = (column for key in lists for column in entry.get(key, ()))
    return next(column for column in columns if column["name"].lower() == name.lower())


def _describe(entry: dict[str, Any], change: DescriptionChange) -> None:
    properties = dict(entry.get("properties", {}))
    for field in change.model_fields_set & _PROPERTIES.keys():
        value = getattr(change, field)
        if value is None:
            properties.pop(_PROPERTIES[field], None)
        else:
            properties[_PROPERTIES[field]] = value
    if properties or "properties" in entry:
        entry["properties"] = properties


def _refusal(unknown: Sequence[DescriptionChange], model: SemanticModel) -> InvalidRequest:
    places = list(dict.fromkeys((change.table, change.column) for change in unknown))
    # Looking for the nearest of thousands of names takes a tenth of a second each.
    lines = [_problem(table, column, model) for table, column in places[:_MOST_PROBLEMS]]
    if (more := len(places) - len(lines)) > 0:
        lines.append(f"… and {more} more.")
    return InvalidRequest("\n".join(lines), "GET /v1/semantics lists them. Nothing was changed.")


def _problem(name: str, column: str | None, model: SemanticModel) -> str:
    """Why nothing can be said of this table, or of this column of it."""
    table = model.table(name)
    if table is not None and column is None:
        return f"{table.name} is a table, and only columns have units."
    if table is None or column is None:
        return f"There is no table {shown(name)}{nearest_text(name, (one.name for one in model))}."
    if table.kind is TableKind.VIEW:
        return f"{table.name} is a view: describe the view, or the columns of the tables that its statement reads."
    return f"{table.name} has no column {shown(column)}{nearest_text(column, (one.name for one in table.columns))}."
