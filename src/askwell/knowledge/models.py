"""Semantic models by project and content, the labels that clients know them by, and how their preparation went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, select, update

from askwell.errors import AskwellError
from askwell.knowledge.database import Database
from askwell.knowledge.schema import current_models, labels, manifests, preparations
from askwell.knowledge.upsert import insert_new, insert_or_replace
from askwell.mdl.semantic_model import ColumnRef, SampledValues

PreparationState = Literal["indexing", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A manifest that was accepted. `values` is None as long as its columns have not been sampled; `stored_at` is when
    they were, or before that when the manifest was accepted."""

    project_id: str
    content_hash: str
    label: str
    manifest: str
    values: SampledValues | None
    warnings: tuple[str, ...]
    stored_at: datetime


@dataclass(frozen=True, slots=True)
class Preparation:
    """The latest preparation under a label. `content_hash` is None where the manifest was refused."""

    project_id: str
    label: str
    content_hash: str | None
    status: PreparationState
    error: AskwellError | None
    warnings: tuple[str, ...]


class ModelShelf:
    """A manifest is stored, under its project and content, before its preparation starts; labels and the project's
    current model change when it ends well, all at once. Nothing here looks beyond the project it is given."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(
        self, project_id: str, label: str, content_hash: str, manifest: str, warnings: Sequence[str] = ()
    ) -> None:
        """Store a manifest that validates, with what there is to say about it, and note that its preparation begins."""
        row = {
            "project_id": project_id,
            "content_hash": content_hash,
            "manifest": manifest,
            "stored_at": datetime.now(UTC),
            "warnings": list(warnings),
        }

        def write(connection: Connection) -> None:
            insert_new(connection, manifests, [row])
            _note(connection, project_id, label, content_hash, "indexing")

        await self._database.write(write)

    async def start_attempt(self, project_id: str, label: str) -> int:
        """Count one more attempt at a preparation that has not ended; 0 when there is no such."""
        statement = (
            update(preparations)
            .where(
                preparations.c.project_id == project_id,
                preparations.c.label == label,
                preparations.c.status == "indexing",
            )
            .values(attempts=preparations.c.attempts + 1)
            .returning(preparations.c.attempts)
        )
        return await self._database.write(lambda connection: connection.scalar(statement)) or 0

    async def refuse(self, project_id: str, label: str, error: AskwellError) -> None:
        """Note that a manifest was not accepted. The label still leads to what it led to before."""
        await self._database.write(lambda connection: _note(connection, project_id, label, None, "failed", error))

    async def fail(self, project_id: str, label: str, content_hash: str, error: AskwellError) -> None:
        """Note that a preparation broke. The project keeps its current model."""
        await self._database.write(
            lambda connection: _note(connection, project_id, label, content_hash, "failed", error)
        )

    async def finish(self, project_id: str, label: str, content_hash: str, warnings: Sequence[str] = ()) -> bool:
        """Make the model current, and what its label leads to. False when it has been removed meanwhile."""
        key = {"project_id": project_id, "label": label}

        def write(connection: Connection) -> bool:
            if connection.execute(_model(project_id, content_hash)).one_or_none() is None:
                return False
            insert_or_replace(connection, labels, [{**key, "content_hash": content_hash}])
            insert_or_replace(connection, current_models, [{**key, "content_hash": content_hash}])
            _note(connection, project_id, label, content_hash, "finished", warnings=warnings)
            return True

        return await self._database.write(write)

    async def keep_values(
        self, project_id: str, content_hash: str, values: SampledValues, warnings: Sequence[str]
    ) -> None:
        """Keep what looking at the database gave for a model, in place of what was known of it."""
        listed = [[ref.table, ref.column, list(found)] for ref, found in values.items()]
        statement = (
            update(manifests)
            .where(manifests.c.project_id == project_id, manifests.c.content_hash == content_hash)
            .values(sampled_values=listed, warnings=list(warnings), stored_at=datetime.now(UTC))
        )
        await self._database.write(lambda connection: connection.execute(statement))

    async def resolve(self, project_id: str, label: str | None) -> tuple[str, str] | None:
        """(content hash, label) of the project's current model, or of the prepared one with that label."""
        table = labels if label is not None else current_models
        statement = select(table.c.content_hash, table.c.label).where(table.c.project_id == project_id)
        if label is not None:
            statement = statement.where(table.c.label == label)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else (row.content_hash, row.label)

    async def find(self, project_id: str, content_hash: str, label: str = "") -> StoredModel | None:
        """The stored manifest, prepared or not."""
        statement = _model(project_id, content_hash)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        if row is None:
            return None
        values = None if row.sampled_values is None else _values(row.sampled_values)
        warnings = tuple(row.warnings or ())
        return StoredModel(project_id, content_hash, label, row.manifest, values, warnings, row.stored_at)

    async def projects(self) -> list[str]:
        """The projects that have a current model."""
        statement = select(current_models.c.project_id).order_by(current_models.c.project_id)
        return await self._database.read(lambda connection: list(connection.scalars(statement)))

    async def preparation(self, project_id: str, label: str) -> Preparation | None:
        """How the latest preparation under a label stands."""
        statement = select(preparations).where(preparations.c.project_id == project_id, preparations.c.label == label)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else _preparation(row)

    async def unfinished_preparations(self) -> list[Preparation]:
        """What was accepted and has not ended, oldest first."""
        statement = select(preparations).where(preparations.c.status == "indexing").order_by(preparations.c.started_at)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return [_preparation(row) for row in rows]

    async def delete(self, project_id: str) -> None:
        """Remove a project's models, labels and preparations; its asks and its knowledge stay."""

        def write(connection: Connection) -> None:
            for table in (manifests, labels, current_models, preparations):
                connection.execute(delete(table).where(table.c.project_id == project_id))

        await self._database.write(write)


def _model(project_id: str, content_hash: str) -> Any:
    return select(manifests).where(manifests.c.project_id == project_id, manifests.c.content_hash == content_hash)


def _note(
    connection: Connection,
    project_id: str,
    label: str,
    content_hash: str | None,
    status: PreparationState,
    error: AskwellError | None = None,
    warnings: Sequence[str] = (),
) -> None:
    now = datetime.now(UTC)
    row = {
        "project_id": project_id,
        "label": label,
        "content_hash": content_hash,
        "status": status,
        "attempts": 0,
        "error_code": error.code if error else None,
        "error_message": error.message if error else None,
        "error_hint": error.hint if error else None,
        "warnings": list(warnings),
        "started_at": now,
        "finished_at": None if status == "indexing" else now,
    }
    insert_or_replace(connection, preparations, [row])


def _preparation(row: Row[Any]) -> Preparation:
    error = None
    if row.error_code is not None:
        error = AskwellError(row.error_message, row.error_hint)
        error.code = row.error_code
    return Preparation(row.project_id, row.label, row.content_hash, row.status, error, tuple(row.warnings))


def _values(listed: list[tuple[str, str, list[str]]]) -> SampledValues:
    return {ColumnRef(table, column): tuple(values) for table, column, values in listed}
