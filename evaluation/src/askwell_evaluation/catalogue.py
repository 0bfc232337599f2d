"""Many databases as one semantic model: schemas from `schema.json`, foreign keys and readable names from `tables.json`
beside it where there is one, descriptions of columns from a file of their own."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from askwell.errors import InvalidRequest
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.semantic_model import ColumnRef, Relationship, SemanticModel, Table
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import PhysicalColumn, PhysicalSchema, PhysicalTable
from askwell_evaluation.databases import Spider, read_spider_tables, readable_names, with_spider_keys
from askwell_evaluation.questions import read_json, read_rows, sample

# The kinds that Spider's schemas know, as types of columns.
_TYPES = {"number": "NUMERIC", "text": "VARCHAR", "time": "TIMESTAMP", "boolean": "BOOLEAN", "others": "VARCHAR"}

# By database, table and column, all in lower case.
Descriptions = Mapping[tuple[str, str, str], str]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """One model of all databases. `names` leads from a database and its table (in lower case) to the table's name in
    the model: its own, or with the database before it where several databases have one of that name."""

    model: SemanticModel
    names: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """A question with the tables and columns of the model that its gold SQL reads."""

    id: str
    db_id: str
    question: str
    tables: frozenset[str]
    columns: frozenset[ColumnRef]


def read_catalogue(schemas: Sequence[Path], descriptions: Path | None = None) -> Catalogue:
    """All databases of some files of schemas as one model. What several files say of a table, or of a database, is put
    together. Raises `InvalidRequest` for files that hold something else."""
    return _together(read_models(schemas, descriptions))


def read_models(schemas: Sequence[Path], descriptions: Path | None = None) -> dict[str, SemanticModel]:
    """The model of each database of some files of schemas, as `read_catalogue` puts them together."""
    found = {} if descriptions is None else read_json(descriptions, _descriptions, _DESCRIPTIONS)
    databases: dict[str, dict[str, dict[str, str]]] = {}
    spider: dict[str, Spider] = {}
    for path in schemas:
        spider = read_spider_tables(path.parent) | spider
        for db_id, tables in read_json(path, _schemas, _SCHEMAS).items():
            _add(databases.setdefault(db_id, {}), tables)
    return {db_id: _model(db_id, tables, spider.get(db_id), found) for db_id, tables in databases.items()}


def read_linked_questions(
    paths: Sequence[Path], catalogue: Catalogue, *, limit: int | None = None, seed: int = 0
) -> list[LinkedQuestion]:
    """The questions of some files that name their gold tables, in order, or `limit` of them drawn with `seed`. Raises
    `InvalidRequest` for files that hold something else, or for tables that the catalogue does not have."""

    def linked(row: Mapping[str, Any]) -> LinkedQuestion:
        db_id = str(row["db_id"])
        tables = {table: _named(catalogue, db_id, table) for table in row["gold_tables"]}
        columns = [str(column).partition(".") for column in row["gold_columns"]]
        return LinkedQuestion(
            str(row["id"]),
            db_id,
            str(row["question"]),
            frozenset(tables.values()),
            frozenset(_column(catalogue, _named(catalogue, db_id, table), name) for table, _, name in columns),
        )

    keys = "id, db_id, question, gold_tables, gold_columns"
    rows = [row for path in paths for row in read_rows(path, linked, keys) if row.tables]
    return sample(rows, limit, seed)


def _add(database: dict[str, dict[str, str]], tables: Mapping[str, Mapping[str, str]]) -> None:
    """Tables and columns that the database does not have yet, in any letter case."""
    for name, columns in tables.items():
        own = next((known for known in database if known.lower() == name.lower()), name)
        present = {column.lower() for column in database.setdefault(own, {})}
        database[own] |= {column: kind for column, kind in columns.items() if column.lower() not in present}


def _named(catalogue: Catalogue, db_id: str, table: str) -> str:
    name = catalogue.names.get((db_id, table.lower()))
    if name is None:
        raise InvalidRequest(
            f"A question reads {db_id}.{table}, which no file of schemas has.", "Add its file with --merge."
        )
    return name


def _column(catalogue: Catalogue, table: str, name: str) -> ColumnRef:
    found = catalogue.model.tables[table].column(name)
    return ColumnRef(table, found.name if found else name)


def _model(db_id: str, tables: Mapping[str, Any], spider: Spider | None, descriptions: Descriptions) -> SemanticModel:
    """The model that the service's importer makes of one database."""
    physical = [
        PhysicalTable(
            name=name,
            schema=None,
            columns=tuple(PhysicalColumn(column, _TYPES.get(kind, kind), False) for column, kind in columns.items()),
        )
        for name, columns in tables.items()
    ]
    schema = PhysicalSchema(tuple(with_spider_keys(physical, spider)))
    model = authorised_view(manifest_from_schema(schema, data_source="SQLITE", names=readable_names(spider)), "")
    return replace(model, tables={table.name: _described(db_id, table, descriptions) for table in model})


def _described(db_id: str, table: Table, descriptions: Descriptions) -> Table:
    columns = (
        replace(column, description=descriptions.get((db_id.lower(), table.name.lower(), column.name.lower())))
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _together(models: Mapping[str, SemanticModel]) -> Catalogue:
    """One model; its relationships go by the names of their databases too."""
    shared = Counter(name.lower() for model in models.values() for name in model.tables)
    tables: dict[str, Table] = {}
    links: list[Relationship] = []
    names: dict[tuple[str, str], str] = {}
    for db_id, model in models.items():
        own = {name: f"{db_id}.{name}" if shared[name.lower()] > 1 else name for name in model.tables}
        names |= {(db_id, name.lower()): now for name, now in own.items()}
        tables |= {own[table.name]: replace(table, name=own[table.name], schema=db_id) for table in model}
        links += [
            replace(link, name=f"{db_id}.{link.name}", left=own[link.left], right=own[link.right])
            for link in model.relationships
        ]
    content_hash = hashlib.sha256(repr((tables, links)).encode()).hexdigest()
    return Catalogue(SemanticModel(content_hash, "SQLITE", tables, tuple(links)), names)


_SCHEMAS = "one JSON object: {db_id: {table: [[column, type], …]}}"
_DESCRIPTIONS = "one JSON object: {db_id: {table_metadata: {table: [{column_name, column_description}, …]}}}"


def _schemas(held: Any) -> dict[str, dict[str, dict[str, str]]]:
    return {
        str(db_id): {
            str(table): {str(column): str(kind) for column, kind in columns} for table, columns in tables.items()
        }
        for db_id, tables in held.items()
    }


def _descriptions(held: Any) -> Descriptions:
    return {
        (db_id.lower(), table.lower(), column["column_name"].lower()): str(column["column_description"])
        for db_id, database in held.items()
        for table, columns in database["table_metadata"].items()
        for column in columns
    }
