"""Writes what a commit's schema makes, with a row or two in each table, as SQL for both databases:

python -m tests.knowledge.records.make COMMIT 4_what_is_new

The files stay as they were written: they are the records that people have.
"""

from __future__ import annotations

import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

FOLDER = Path(__file__).parent
SCHEMA = "src/askwell/knowledge/schema.py"
STEPS = "src/askwell/knowledge/migrations/versions/"
T0, T1 = 1_767_225_600_000_000, 1_767_225_660_000_000
MANIFEST = '{"models": [{"name": "orders", "columns": [{"name": "id", "type": "integer"}]}]}'
ANSWER = '{"result": {"status": "finished", "response": [{"sql": "SELECT 1"}]}, "text": "It is one."}'

# What there is in each table, by column; a column that a schema does not have is left out.
ROWS: dict[str, list[dict[str, Any]]] = {
    "record_version": [{}],
    "asks": [
        {"id": "a1", "project_id": "shop", "request": '{"query": "how many orders"}', "idempotency_key": "k1",
         "body_hash": "h", "question_key": "how many orders", "accepted_at": T0, "attempts": 1},
        {"id": "a2", "project_id": "shop", "request": '{"query": "what is one"}', "body_hash": "h",
         "question_key": "what s one", "accepted_at": T0, "attempts": 1, "status": "finished", "result": ANSWER,
         "finished_at": T1},
    ],
    "jobs": [
        {"id": "a1", "kind": "ask", "project_id": "shop", "request": '{"query": "how many orders"}',
         "idempotency_key": "k1", "body_hash": "h", "accepted_at": T0, "attempts": 1, "owner": "ann",
         "person": '{"id": "ann"}'},
        {"id": "a2", "kind": "ask", "project_id": "shop", "request": '{"query": "what is one"}', "body_hash": "h",
         "accepted_at": T0, "attempts": 1, "status": "finished", "result": ANSWER, "finished_at": T1,
         "parked": '{"question": "which one"}', "owner": "", "worker": "worker1", "parked_until": T1},
    ],
    "manifests": [{"project_id": "shop", "content_hash": "c1", "manifest": MANIFEST, "stored_at": T0,
                   "sampled_values": '[["orders", "state", ["open", "closed"]]]', "warnings": '["mind the gap"]'}],
    "labels": [{"project_id": "shop", "label": "v1", "content_hash": "c1"}],
    "current_models": [{"project_id": "shop", "label": "v1", "content_hash": "c1"}],
    "preparations": [
        {"project_id": "shop", "label": "v1", "content_hash": "c1", "status": "finished", "attempts": 1,
         "warnings": '["mind the gap"]', "started_at": T0, "finished_at": T1},
        {"project_id": "shop", "label": "v2", "content_hash": "c2", "status": "indexing", "attempts": 1,
         "warnings": "[]", "started_at": T0},
    ],
    "sql_pairs": [{"project_id": "shop", "id": "p1", "question": "How many orders?", "question_key": "how many orders",
                   "sql": "SELECT count(*) FROM orders WHERE state = 'open'", "parameters": "[]", "stored_at": T0}],
    "instructions": [{"project_id": "shop", "id": "i1", "instruction": "Count paid orders only.", "questions": "[]",
                      "is_default": 1, "scope": "sql", "stored_at": T0}],
    "keywords": [{"project_id": "shop", "id": "w1", "pattern": "returns?", "tables": '["orders"]', "stored_at": T0}],
    "knowledge_events": [{"id": "e1", "project_id": "shop", "kind": "sql_pair", "status": "finished",
                          "happened_at": T0}],
    "embeddings": [{"embedder": "minilm", "text_hash": b"\x01" * 32, "vector": b"\x00\x7f\xff"}],
    "texts_in_use": [{"project_id": "shop", "shelf": "tables", "edition": "c1", "hashes": b"\x01" * 32,
                      "noted_at": T0}],
    "write_check": [{"id": 1, "content": b"\x00\x01"}],
    "lessons": [{"project_id": "shop", "id": "l1", "kind": "metric", "about": "sales", "body": '{"words": ["sales"]}',
                 "origin": "manual", "status": "active", "note": "", "uses": 3, "successes": 2, "sources": "[]",
                 "replaces": "[]", "created_at": T0}],
    "documents": [{"project_id": "shop", "id": "d1", "title": "Terms", "source": "terms.txt", "format": "text",
                   "tags": '["law"]', "bytes": 4, "content_hash": "x", "chunks": 1, "status": "indexed",
                   "created_at": T0}],
    "uploads": [{"project_id": "shop", "document_id": "d2", "format": "text", "content_hash": "y",
                 "content": b"more words"}],
    "chunks": [{"project_id": "shop", "document_id": "d1", "place": 0, "locator": "line 1", "heading": "",
                "text": "30 days"}],
    "threads": [{"project_id": "shop", "id": "t1", "agent_id": "g1", "title": "Orders", "variables": "{}",
                 "created_at": T0, "updated_at": T1}],
    "messages": [{"project_id": "shop", "thread_id": "t1", "id": "m1", "run_id": "r1", "role": "user",
                  "parts": '[{"type": "text", "text": "hello"}]', "created_at": T0}],
    "run_events": [{"run_id": "r1", "place": 1, "segment": 0, "event": '{"type": "RUN_STARTED"}'}],
    "client_runs": [{"project_id": "shop", "client_id": "mine", "run_id": "r1", "segment": 0}],
    "agents": [{"project_id": "shop", "id": "g1", "definition": '{"name": "Ann"}', "updated_at": T0}],
    "api_keys": [{"id": "key1", "name": "Ann", "role": "ask", "projects": '["shop"]', "attributes": "{}", "hash": "abc",
                  "created_at": T0}],
    "workers": [{"id": "worker1", "seen_at": T0, "host": "one", "version": "0.1.0"}],
    "ended_tokens": [{"id": "token1", "until": T1}],
}  # fmt: skip


def statements(schema: Any, dialect: Any) -> list[str]:
    """The tables and indexes of a schema, and its rows."""
    made: list[str] = []
    for table in schema.metadata.sorted_tables:
        made.append(str(CreateTable(table).compile(dialect=dialect)).strip())
        made += sorted(str(CreateIndex(index).compile(dialect=dialect)) for index in table.indexes)
        made += [insert(table, row, schema.SCHEMA_VERSION, dialect.name) for row in ROWS[table.name]]
    return made


def insert(table: Table, row: dict[str, Any], version: int, dialect: str) -> str:
    row = {"version": version} if table.name == "record_version" else row
    kept = {name: literal(value, dialect) for name, value in row.items() if name in table.columns}
    return f"INSERT INTO {table.name} ({', '.join(kept)}) VALUES ({', '.join(kept.values())})"


def literal(value: Any, dialect: str) -> str:
    if isinstance(value, bytes):
        return f"X'{value.hex()}'" if dialect == "sqlite" else f"'\\x{value.hex()}'"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def stamped(commit: str) -> list[str]:
    """The number of the last step, of a commit that had any."""
    numbers = re.findall(r"/r(\d{4})_", git("ls-tree", "-r", "--name-only", commit, STEPS))
    made = ["CREATE TABLE askwell_steps (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"]
    return [*made, f"INSERT INTO askwell_steps VALUES ('{max(numbers)}')"] if numbers else []


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def main(commit: str, name: str) -> None:
    source = git("show", f"{commit}:{SCHEMA}")
    schema = types.ModuleType("schema_of_then")
    sys.modules[schema.__name__] = schema
    exec(compile(source, SCHEMA, "exec"), schema.__dict__)
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        text = ";\n".join([*statements(schema, dialect), *stamped(commit)]) + ";\n"
        (FOLDER / f"{name}.{dialect.name}.sql").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
