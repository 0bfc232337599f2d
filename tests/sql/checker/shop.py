"""A tiny parcel service in a file, and a model of it that renames, calculates and hides."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine
from askwell.providers.engine.factory import create_engine
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.planner import Planner
from askwell.sql.table_list import TableList
from tests.support.tables import case_table

CONTEXT = QueryContext(now=datetime(2024, 6, 1, 12, tzinfo=UTC))

_TABLES = """
CREATE TABLE t_people (id INTEGER, full_name TEXT, town TEXT);
CREATE TABLE shipments (id INTEGER, sender_id INTEGER, carrier TEXT, price DOUBLE, sent_on DATE, margin TEXT);
CREATE TABLE payroll (person_id INTEGER, amount TEXT);
INSERT INTO t_people VALUES (1, 'Ada', 'Ulm'), (2, 'Bo', 'Bonn'), (3, 'Cy', 'Ulm');
INSERT INTO shipments VALUES (1, 1, 'van', 10.0, '2024-01-10', 'HIDDEN'), (2, 1, 'bike', 4.5, '2024-02-11', 'HIDDEN'),
                             (3, 2, 'van', 30.25, '2024-02-20', 'HIDDEN');
INSERT INTO payroll VALUES (1, 'HIDDEN');
"""

_MANIFEST = case_table(__file__, "manifest")


def write_database(kind: str, folder: Path) -> Path:
    """The database file, of DuckDB or of SQLite."""
    path = folder / f"parcels.{kind}"
    if kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(_TABLES)
    else:
        lite = sqlite3.connect(path)
        lite.executescript(_TABLES)
        lite.close()
    return path


def open_engine(kind: str, folder: Path) -> Engine:
    """A real engine, child processes and all, on a new database."""
    return create_engine(kind, write_database(kind, folder))


def model_for(engine: Engine) -> tuple[SemanticModel, Manifest]:
    """The model of it, as statements see it, and what it was made from."""
    reading = read_manifest({**_MANIFEST, "dataSource": engine.data_source}, data_source=engine.data_source)
    assert reading.manifest is not None, reading.problems
    return authorised_view(reading.manifest, "parcels"), reading.manifest


def checker_on(engine: Engine, tables: list[str] | None = None) -> SqlChecker:
    """A checker over the model of it; `tables` of the database alone may be read."""
    model, manifest = model_for(engine)
    listed = None if tables is None else TableList(tables, engine.dialect)
    return SqlChecker(model, Planner(model, manifest, engine.dialect), engine, listed=listed)
