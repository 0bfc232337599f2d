"""What a record of version 1 had in place of jobs: a table for each of the three sorts of work there were."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from sqlalchemy import JSON, Column, Connection, Integer, MetaData, Row, Table, Text, select

from askwell.knowledge.schema import Moment, jobs
from askwell.knowledge.upsert import insert_new

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
    Column("started_at", Moment),
    Column("finished_at", Moment),
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
    Column("happened_at", Moment),
)


def make_jobs_of_version_1(connection: Connection) -> None:
    """Move the work of version 1 into the table of jobs, ended and unfinished, and drop the tables that it was in."""
    connection.exec_driver_sql(f"INSERT INTO {jobs.name} (kind, {_OF_ASKS}) SELECT 'ask', {_OF_ASKS} FROM asks")
    insert_new(connection, jobs, [_preparation(row) for row in connection.execute(select(_preparations)).all()])
    insert_new(connection, jobs, [_event(row) for row in connection.execute(select(_events)).all()])
    for table in ("asks", _preparations.name, _events.name):
        connection.exec_driver_sql(f"DROP TABLE {table}")


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
        "attempts": row.attempts,
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
