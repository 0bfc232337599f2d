"""Semantic models by project and content, the labels that clients know them by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, select, update

from askwell.errors import Conflict
from askwell.knowledge.database import Database
from askwell.knowledge.rows import insert_new, insert_or_replace, own, value_of
from askwell.knowledge.schema import current_models, jobs, labels, manifests
from askwell.mdl.semantic_model import Cardinality, ColumnRef, LinkCandidate, SampledValues
from askwell.messages import say


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A manifest that was accepted. `values` is None as long as its columns have not been sampled; `stored_at` is when
    they were, or before that when the manifest was accepted. `candidates` are joins that looking at the database
    suggested, None where nobody looked for any."""

    project_id: str
    content_hash: str
    label: str
    manifest: str
    values: SampledValues | None
    warnings: tuple[str, ...]
    stored_at: datetime
    candidates: tuple[LinkCandidate, ...] | None = None


class ModelShelf:
    """A manifest is stored, under its project and content, before its preparation starts; labels and the project's
    current model change when it ends well, all at once. Nothing here looks beyond the project it is given."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def storing(
        self, project_id: str, content_hash: str, manifest: str, warnings: Sequence[str] = ()
    ) -> Callable[[Connection], None]:
        """Stores a manifest that validates, with what there is to say about it: for the transaction that accepts its
        preparation."""
        row = {
            "project_id": project_id,
            "content_hash": content_hash,
            "manifest": manifest,
            "stored_at": datetime.now(UTC),
            "warnings": list(warnings),
        }
        return lambda connection: insert_new(connection, manifests, [row])

    def storing_next(
        self,
        project_id: str,
        before: str,
        content_hash: str,
        manifest: str,
        warnings: Sequence[str] = (),
        *,
        prepared_by: str,
    ) -> Callable[[Connection], None]:
        """As `storing`, for a manifest that was made of the content `before`. Raises `Conflict` where that is no longer
        current, or jobs of the kind `prepared_by` are about to put yet another in its place."""
        stored = self.storing(project_id, content_hash, manifest, warnings)
        # Locked: of two that are stored at once, the later one sees the earlier one's job.
        current = select(current_models.c.content_hash).where(current_models.c.project_id == project_id)
        coming = select(jobs.c.request).where(
            jobs.c.project_id == project_id, jobs.c.kind == prepared_by, jobs.c.finished_at.is_(None)
        )

        def write(connection: Connection) -> None:
            if connection.scalar(current.with_for_update()) != before:
                raise Conflict(*say("model.changed_meanwhile", project_id=project_id))
            others = {request.get("content_hash") for request in connection.scalars(coming)}
            if others - {before, content_hash}:
                raise Conflict(*say("model.being_prepared", project_id=project_id))
            stored(connection)

        return write

    async def finish(self, project_id: str, label: str, content_hash: str) -> bool:
        """Make the model current, and what its label leads to. False when it has been removed meanwhile."""
        key = {"project_id": project_id, "label": label}

        def write(connection: Connection) -> bool:
            if connection.execute(_model(project_id, content_hash)).one_or_none() is None:
                return False
            insert_or_replace(connection, labels, [{**key, "content_hash": content_hash}])
            insert_or_replace(connection, current_models, [{**key, "content_hash": content_hash}])
            return True

        return await self._database.write(write)

    async def keep_values(
        self,
        project_id: str,
        content_hash: str,
        values: SampledValues,
        warnings: Sequence[str],
        candidates: Sequence[LinkCandidate] | None = None,
    ) -> datetime:
        """Keep what looking at the database gave for a model, in place of what was known of it; the moment that it is
        of from then on."""
        moment = datetime.now(UTC)
        links = None if candidates is None else [asdict(link) for link in candidates]
        listed = [[ref.table, ref.column, list(found)] for ref, found in values.items()]
        statement = (
            update(manifests)
            .where(own(manifests, project_id, content_hash=content_hash))
            .values(sampled_values=listed, warnings=list(warnings), link_candidates=links, stored_at=moment)
        )
        await self._database.write(lambda connection: connection.execute(statement))
        return moment

    async def resolve(self, project_id: str, label: str | None) -> tuple[str, str] | None:
        """(content hash, label) of the project's current model, or of the prepared one with that label."""
        table = labels if label is not None else current_models
        named = {} if label is None else {"label": label}
        statement = select(table.c.content_hash, table.c.label).where(own(table, project_id, **named))
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        return None if row is None else (row.content_hash, row.label)

    async def current(self) -> dict[str, tuple[str, str]]:
        """(content hash, label) of the current model of every project that has one."""
        statement = select(current_models)
        rows = await self._database.read(lambda connection: connection.execute(statement).all())
        return {row.project_id: (row.content_hash, row.label) for row in rows}

    async def find(self, project_id: str, content_hash: str, label: str = "") -> StoredModel | None:
        """The stored manifest, prepared or not."""
        statement = _model(project_id, content_hash)
        row = await self._database.read(lambda connection: connection.execute(statement).one_or_none())
        if row is None:
            return None
        values = None if row.sampled_values is None else _values(row.sampled_values)
        links = None if row.link_candidates is None else tuple(map(_candidate, row.link_candidates))
        warnings = tuple(row.warnings or ())
        return value_of(StoredModel, row, label=label, values=values, warnings=warnings, candidates=links)

    async def projects(self) -> list[str]:
        """The projects that have a current model."""
        statement = select(current_models.c.project_id).order_by(current_models.c.project_id)
        return await self._database.read(lambda connection: list(connection.scalars(statement)))

    async def delete(self, project_id: str) -> None:
        """Remove a project's models and labels; its jobs and its knowledge stay."""

        def write(connection: Connection) -> None:
            for table in (manifests, labels, current_models):
                connection.execute(delete(table).where(table.c.project_id == project_id))

        await self._database.write(write)


def _model(project_id: str, content_hash: str) -> Any:
    return select(manifests).where(own(manifests, project_id, content_hash=content_hash))


def _candidate(fields: dict[str, Any]) -> LinkCandidate:
    return LinkCandidate(**{**fields, "cardinality": Cardinality(fields["cardinality"])})


def _values(listed: list[tuple[str, str, list[str]]]) -> SampledValues:
    return {ColumnRef(table, column): tuple(values) for table, column, values in listed}
