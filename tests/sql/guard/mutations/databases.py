"""Real databases with secrets that a project does not have, and everything about them that an attack could change."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.factory import create_engine
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner

# In every value, name and file that the project does not have, and nowhere else.
CANARY = "zq7canary"
# As many rows does a hidden table have, and nothing else has a number like it.
HIDDEN_ROWS = 997
LIMITS = EngineLimits(pool_size=1, memory_mb=256, threads=1)

TABLES = f"""
CREATE TABLE t_people (id INTEGER, full_name VARCHAR(40), town VARCHAR(40));
CREATE TABLE shipments (id INTEGER, sender_id INTEGER, carrier VARCHAR(40), price DECIMAL(10, 2), margin VARCHAR(40));
CREATE TABLE payroll (id INTEGER, person_id INTEGER, amount VARCHAR(40));
CREATE TABLE t_{CANARY} (id_{CANARY} INTEGER);
CREATE VIEW everything AS SELECT id, amount FROM payroll;
INSERT INTO t_people VALUES (1, 'Ada', 'Ulm'), (2, 'Bo', 'Bonn'), (3, 'Cy', 'Ulm');
INSERT INTO shipments VALUES (1, 1, 'van', 10.00, '{CANARY}'), (2, 1, 'bike', 4.50, '{CANARY}'),
                             (3, 2, 'van', 30.25, '{CANARY}');
INSERT INTO payroll VALUES {", ".join(f"({n}, {n % 3}, '{CANARY} {n}')" for n in range(HIDDEN_ROWS))};
"""


def manifest(data_source: str, schema: str) -> dict[str, Any]:
    """People renamed, a hidden column, calculated fields over a relationship, and a view."""
    return {
        "catalog": "askwell",
        "schema": "public",
        "dataSource": data_source,
        "models": [
            {
                "name": "people",
                "tableReference": {"schema": schema, "table": "t_people"},
                "primaryKey": "id",
                "columns": [
                    {"name": "id", "type": "INTEGER"},
                    {"name": "name", "type": "VARCHAR", "expression": "full_name"},
                    {"name": "town", "type": "VARCHAR"},
                    {"name": "sent", "type": "shipments", "relationship": "sender"},
                    {"name": "spent", "type": "DOUBLE", "isCalculated": True, "expression": "sum(sent.price)"},
                ],
            },
            {
                "name": "shipments",
                "tableReference": {"schema": schema, "table": "shipments"},
                "primaryKey": "id",
                "columns": [
                    {"name": "id", "type": "INTEGER"},
                    {"name": "sender_id", "type": "INTEGER"},
                    {"name": "carrier", "type": "VARCHAR"},
                    {"name": "price", "type": "DOUBLE"},
                    {"name": "margin", "type": "VARCHAR", "isHidden": True},
                    {"name": "sender", "type": "people", "relationship": "sender"},
                    {"name": "sender_name", "type": "VARCHAR", "isCalculated": True, "expression": "sender.name"},
                ],
            },
        ],
        "relationships": [
            {
                "name": "sender",
                "models": ["people", "shipments"],
                "joinType": "ONE_TO_MANY",
                "condition": "people.id = shipments.sender_id",
            }
        ],
        "views": [{"name": "everything", "statement": "SELECT id, carrier, price FROM shipments"}],
    }


@dataclass
class Target:
    """One database under attack: `own` is the schema of the model's tables, `folder` where files would appear."""

    engine: Engine
    own: str
    vault: str
    folder: Path

    def filled(self, text: str) -> str:
        """The statement with the names of this database and its folder in it."""
        return text.replace("<DIR>", str(self.folder)).replace("<OWN>", self.own).replace("vault", self.vault)

    def checker(self) -> SqlChecker:
        """The way of SQL over the model of it."""
        source = self.engine.data_source
        reading = read_manifest(manifest(source, self.own), data_source=source)
        assert reading.manifest is not None, reading.problems
        model = authorised_view(reading.manifest, "mutations")
        return SqlChecker(model, Planner(model, reading.manifest, self.engine.dialect), self.engine)

    def state(self) -> dict[str, Any]:
        """Whatever an attack could change: every file, by its content."""
        files = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    async def close(self) -> None:
        """Let go of the database."""
        await self.engine.close()


def file_target(kind: str, folder: Path) -> Target:
    """A DuckDB or SQLite file in `folder`, with files beside it that hold secrets too."""
    path = folder / f"memory.{kind}"
    if kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(TABLES + f"CREATE SCHEMA vault; CREATE SEQUENCE counter; {vault_table('vault')}")
    else:
        _write_sqlite(path, TABLES)
    (folder / "notes.csv").write_text(f"note\n{CANARY}\n", encoding="utf-8")
    (folder / "notes.json").write_text(f'[{{"note": "{CANARY}"}}]', encoding="utf-8")
    (folder / f"{CANARY}.txt").write_text(CANARY, encoding="utf-8")
    _write_sqlite(folder / "notes.sqlite", TABLES)
    engine = create_engine(kind, path, LIMITS)
    return Target(engine, "main", "vault", folder)


def vault_table(schema: str) -> str:
    """A table that no project has, in a schema of its own."""
    return f"CREATE TABLE {schema}.secrets (note VARCHAR(40)); INSERT INTO {schema}.secrets VALUES ('{CANARY}');"


def _write_sqlite(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
