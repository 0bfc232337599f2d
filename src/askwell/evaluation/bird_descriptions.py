"""What BIRD says of its columns: `database_description/<table>.csv` beside a database, put into its semantic model."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from askwell.mdl.manifest import Manifest, Model, ModelColumn

_FOLDER = "database_description"
_NAME, _PARTS = "original_column_name", ("column_description", "value_description")
_LONGEST = 400

# By table and column, both in lower case.
Descriptions = Mapping[tuple[str, str], str]


def read_descriptions(database: Path) -> Descriptions:
    """Those beside a database's file; none where there is no such folder. Files that are no CSV are passed over."""
    found: dict[tuple[str, str], str] = {}
    for path in sorted((database.parent / _FOLDER).glob("*.csv")):
        for column, description in _rows(path):
            found[path.stem.strip().lower(), column] = description
    return found


def with_descriptions(manifest: Manifest, descriptions: Descriptions) -> Manifest:
    """The model, with a description at every column that has one there and none yet."""
    if not descriptions:
        return manifest
    return manifest.model_copy(update={"models": tuple(_described(model, descriptions) for model in manifest.models)})


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except ValueError:
        text = raw.decode("cp1252", "replace")
    for row in csv.DictReader(io.StringIO(text, newline="")):
        name = (row.get(_NAME) or "").strip().lower()
        parts = (" ".join((row.get(key) or "").split()) for key in _PARTS)
        description = "; ".join(dict.fromkeys(filter(None, parts)))
        if name and description:
            yield name, description[:_LONGEST]


def _described(model: Model, descriptions: Descriptions) -> Model:
    table = model.table_reference.table if model.table_reference else model.name
    columns = tuple(_described_column(table, column, descriptions) for column in model.columns)
    return model.model_copy(update={"columns": columns})


def _described_column(table: str, column: ModelColumn, descriptions: Descriptions) -> ModelColumn:
    # The expression of an introspected column is its physical name, quoted.
    physical = column.expression[1:-1].replace('""', '"') if column.expression else column.name
    description = descriptions.get((table.lower(), physical.lower()))
    if description is None or column.properties.get("description"):
        return column
    return column.model_copy(update={"properties": {**column.properties, "description": description}})
