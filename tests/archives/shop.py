"""A project with something of everything, as the record has it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Table

from askwell.agent.parts import text_part
from askwell.asks.request import AskRequest
from askwell.knowledge.record import Record
from askwell.knowledge.schema import metadata

AT = datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)
MANIFEST = json.dumps(
    {"models": [{"columns": [{"name": "id", "type": "INTEGER"}], "name": "orders"}]},
    sort_keys=True,
    separators=(",", ":"),
)  # fmt: skip
DIGEST = hashlib.sha256(MANIFEST.encode()).hexdigest()
SECRET = "sk-canary-secret"


def rows(project: str) -> dict[str, list[dict[str, Any]]]:
    """Rows of a project, by table."""
    model = {"content_hash": DIGEST, "label": "v1"}
    body = {"said": "zorbs", "table": "orders"}
    request = AskRequest("How many “orders”?\n", project_id=project).to_json()
    answer = {"result": {"status": "finished", "response": [{"sql": "SELECT 1"}]}, "text": "It is one."}
    made: dict[str, list[dict[str, Any]]] = {
        "manifests": [{"content_hash": DIGEST, "manifest": MANIFEST, "stored_at": AT,
                       "sampled_values": [["orders", "state", ["open", "ü"]]], "warnings": ["mind the gap"],
                       "link_candidates": [{"table": "orders", "column": "id", "to_table": "orders", "to_column": "id",
                                            "cardinality": "ONE_TO_ONE", "confidence": 0.5, "reason": "names"}]}],
        "labels": [model],
        "current_models": [model],
        "sql_pairs": [{"id": "p1", "question": "How many orders?", "question_key": "how many orders", "sql": "SELECT 1",
                       "parameters": [{"name": "country", "type": "VARCHAR"}], "stored_at": AT}],
        "instructions": [{"id": "i1", "instruction": "Count paid ones.", "questions": ["q"], "is_default": 0,
                          "scope": "sql", "stored_at": AT}],
        "keywords": [{"id": "k1", "pattern": "returns?", "tables": ["orders"], "stored_at": AT}],
        "lessons": [{"id": "l1", "kind": "table_mapping", "about": "zorbs", "body": body, "origin": "manual",
                     "status": "active", "note": "", "uses": 3, "successes": 2, "sources": ["a1"], "replaces": [],
                     "created_at": AT}],
        "documents": [{"id": "d1", "title": "Terms", "source": "terms.md", "format": "md", "tags": ["law"], "bytes": 7,
                       "content_hash": "x", "chunks": 2, "status": "indexed", "created_at": AT}],
        "chunks": [{"document_id": "d1", "place": place, "locator": f"line {place}", "heading": "", "text": "30 days"}
                   for place in range(2)],
        "agents": [{"id": "g1", "definition": {"name": "Ann"}, "updated_at": AT}],
        "threads": [{"id": "t1", "agent_id": "g1", "title": "Orders", "variables": {"region": "north"},
                     "created_at": AT, "updated_at": AT}],
        "messages": [{"thread_id": "t1", "id": f"m{n}", "run_id": "r1", "role": "user",
                      "parts": [text_part(f"words {n}")], "created_at": AT} for n in range(3)],
        "jobs": [{"id": f"a1-{project}", "kind": "ask", "request": request, "body_hash": "h", "accepted_at": AT,
                  "attempts": 1, "status": "finished", "result": answer, "finished_at": AT, "owner": "ann",
                  "person": {"id": "ann", "session_properties": {"region": "'north'"}, "database_role": None},
                  "idempotency_key": SECRET, "worker": "w1", "parked_until": AT},
                 {"id": f"a2-{project}", "kind": "ask", "request": request, "body_hash": "h", "accepted_at": AT,
                  "attempts": 1, "owner": "ann", "finished_at": None}],
    }  # fmt: skip
    return {table: [{"project_id": project, **row} for row in found] for table, found in made.items()}


async def fill(record: Record, project: str) -> None:
    """Write them."""

    def write(connection: Connection) -> None:
        for name, found in rows(project).items():
            for row in found:
                connection.execute(table(name).insert(), row)

    await record.project_rows.change(write)


def table(name: str) -> Table:
    return metadata.tables[name]


async def content(record: Record, project: str) -> Mapping[str, list[dict[str, Any]]]:
    """What the record has of a project, by table, without what every copy has of its own."""
    own = {"project_id", "place"}

    def read(connection: Connection) -> dict[str, list[dict[str, Any]]]:
        return {
            name: [
                {key: value for key, value in row._mapping.items() if key not in own and value is not None}
                for row in connection.execute(table(name).select().where(table(name).c.project_id == project))
            ]
            for name in rows(project)
        }

    return await record.project_rows.at_one_moment(read)
