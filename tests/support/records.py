"""Writing to a record what the services write together with a job."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

from askwell.knowledge.jobs import AcceptedJob, Change
from askwell.knowledge.record import Record


async def written(record: Record, project_id: str, change: Change) -> None:
    """The change is in the record, with the job that brought it."""
    job = AcceptedJob(uuid.uuid4().hex, "change", project_id, {}, None, "", datetime.now(UTC))
    with record.versions.changing(project_id):
        await record.jobs.accept(job, change)


async def save_pairs(record: Record, project_id: str, pairs: Any) -> None:
    await written(record, project_id, record.saved.saving(project_id, pairs))


async def store_model(record: Record, project_id: str, digest: str, manifest: str = "{}", warnings: Any = ()) -> None:
    await written(record, project_id, record.models.storing(project_id, digest, manifest, warnings))


async def save_instructions(record: Record, project_id: str, instructions: Any) -> None:
    await written(record, project_id, record.saved.saving(project_id, instructions))
