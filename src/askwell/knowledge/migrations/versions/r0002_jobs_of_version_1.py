"""The work of version 1, which had a table for each of its three sorts, becomes jobs.

Revision: 0002, after 0001
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from alembic import op
from sqlalchemy import JSON, BigInteger, Column, Integer, MetaData, Row, Table, Text, inspect, select

revision = "0002"
down_revision = "0001"

# What a question had in version 1, under the names that jobs have them by today.
_OF_ASKS = "id, project_id, request, idempotency_key, body_hash, accepted_at, attempts, status, result, finished_at"
_metadata = MetaData()
_preparations = Table(
    "preparations",
    _metadata,
    Column("project_id", Text),
    Column("label", Text),
    Column("content_hash", Text),
    Column("status", Text),
    Column("attempts", Integer),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("error_hint", Text),
    Column("warnings", JSON),
    Column("started_at", BigInteger),
    Column("finished_at", BigInteger),
)
_events = Table(
    "knowledge_events",
    _metadata,
    Column("id", Text),
    Column("project_id", Text),
    Column("kind", Text),
    Column("status", Text),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("happened_at", BigInteger),
)


_jobs = Table(
    "jobs",
    _metadata,
    Column("id", Text),
    Column("kind", Text),
    Column("project_id", Text),
    Column("request", JSON),
    Column("idempotency_key", Text),
    Column("body_hash", Text),
    Column("accepted_at", BigInteger),
    Column("attempts", Integer),
    Column("status", Text),
    Column("result", JSON(none_as_null=True)),
    Column("finished_at", BigInteger),
    Column("label", Text),
)


def upgrade() -> None:
    """Move the work of version 1 into the table of jobs, ended and unfinished, and drop the tables that it was in."""
    connection = op.get_bind()
    if not inspect(connection).has_table("asks"):
        return
    connection.exec_driver_sql(f"INSERT INTO jobs (kind, {_OF_ASKS}) SELECT 'ask', {_OF_ASKS} FROM asks")
    columns = {column["name"] for column in inspect(connection).get_columns(_preparations.name)}
    # The very first records did not count attempts.
    kept = [column for column in _preparations.columns if column.name in columns]
    made = [_preparation(row) for row in connection.execute(select(*kept)).all()]
    made += [_event(row) for row in connection.execute(select(_events)).all()]
    if made:
        connection.execute(_jobs.insert(), made)
    for table in ("asks", _preparations.name, _events.name):
        op.drop_table(table)
    connection.exec_driver_sql("UPDATE record_version SET version = 2")


def _preparation(row: Row[Any]) -> Mapping[str, Any]:
    told: dict[str, Any] = {"warnings": list(row.warnings)} if row.warnings else {}
    if row.error_code is not None:
        told["error"] = {"code": row.error_code, "message": row.error_message, "hint": row.error_hint or ""}
    request = {"project_id": row.project_id, "mdl_hash": row.label, "content_hash": row.content_hash or ""}
    live = row.status == "indexing"
    return {
        **_job(uuid.uuid4().hex, "preparation", row.project_id, request, None if live else row.status, told),
        "accepted_at": row.started_at,
        "finished_at": None if live else row.finished_at or row.started_at,
        "attempts": getattr(row, "attempts", 0),
        "label": row.label,
    }


def _event(row: Row[Any]) -> Mapping[str, Any]:
    live = row.status in ("indexing", "deleting")
    told: dict[str, Any] = {"event_id": row.id, "error": None, "trace_id": row.id}
    if row.error_code is not None:
        told["error"] = {"code": row.error_code, "message": row.error_message}
    request = {"project_id": row.project_id, "operation": row.status if live else "indexing"}
    return {
        **_job(row.id, row.kind, row.project_id, request, None if live else row.status, told),
        "accepted_at": row.happened_at,
        "finished_at": None if live else row.happened_at,
        "attempts": 0,
        "label": None,
    }


def _job(
    job_id: str, kind: str, project_id: str, request: Mapping[str, Any], status: str | None, told: Mapping[str, Any]
) -> Mapping[str, Any]:
    result = None if status is None else {"result": {"status": status, **told}, "text": ""}
    return {
        "id": job_id,
        "kind": kind,
        "project_id": project_id,
        "request": request,
        "idempotency_key": None,
        "body_hash": "",
        "status": status,
        "result": result,
    }
