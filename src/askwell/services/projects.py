"""A project's semantic model with everything that is built from it, ready to be asked about."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from cachetools import LRUCache

from askwell.errors import InvalidModel
from askwell.heap import many_objects
from askwell.knowledge.models import StoredModel
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import Record
from askwell.mdl.manifest import Manifest
from askwell.mdl.semantic_model import SampledValues, SemanticModel, Table
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.providers.engine.base import Engine
from askwell.services.database import Database, DatabaseFor, PlanningEngine
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner
from askwell.sql.planner.engine_planned import EnginePlanned, engine_manifest
from askwell.sql.rules import RuleTranslator

logger = logging.getLogger(__name__)

# Models kept ready. One with 200 tables and sampled values takes some 30 MB.
KEPT_MODELS = 32


@dataclass(frozen=True)
class ProjectModel:
    """One model of one project; the tables of its manifest are where the database has them.

    `rules` is None where the rules' reader cannot be built for it. `sampled_at` is when its values were looked at; they
    are empty where that is None. `warnings` are what validation, and looking at the database, had to say about it.
    """

    project_id: str
    content_hash: str
    label: str
    manifest: Manifest
    model: SemanticModel
    values: SampledValues
    engine: Engine
    checker: SqlChecker
    rules: RuleTranslator | None
    sampled_at: datetime | None
    warnings: tuple[str, ...]

    @cached_property
    def prepared(self) -> PreparedModel:
        """What searching needs, worked out when it is first asked for: on a thread, since it takes a while."""
        with many_objects():
            return PreparedModel(self.model, self.values)

    @cached_property
    def views_by_question(self) -> Mapping[str, Table]:
        """Saved views by the normal form of the question that they answer."""
        return {normalise_question(table.question): table for table in self.model if table.question}


class ProjectModels:
    """Loads models from the record, so they survive a restart, and keeps the ones used last. Building one takes up to
    some hundred milliseconds, on a thread.

    Without `with_values`, values that the record still has are not read: their model is as one whose database was never
    looked at."""

    def __init__(
        self, record: Record, database_for: DatabaseFor, *, with_values: bool = True, kept: int = KEPT_MODELS
    ) -> None:
        self._record = record
        self._database_for = database_for
        self._with_values = with_values
        self._kept: LRUCache[tuple[str, str], ProjectModel] = LRUCache(kept)
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    async def get(self, project_id: str, mdl_hash: str | None) -> ProjectModel | None:
        """The project's current model, or the one prepared under the client's label `mdl_hash`; None when there is
        none. Raises `ConfigurationError` when the project has no database."""
        found = await self._record.models.resolve(project_id, mdl_hash)
        return None if found is None else await self.load(project_id, *found)

    async def load(self, project_id: str, content_hash: str, label: str) -> ProjectModel | None:
        """A stored model by its content, prepared or not."""
        key = (project_id, content_hash)
        if (known := self._kept.get(key)) is not None:
            return known
        async with self._locks.setdefault(key, asyncio.Lock()):
            if (known := self._kept.get(key)) is not None:
                return known
            stored = await self._record.models.find(project_id, content_hash, label)
            if stored is None:
                return None
            if stored.values and not self._with_values:
                stored = replace(stored, values=None)
            built = await asyncio.to_thread(_build, stored, self._database_for(project_id))
            self._kept[key] = built
            # Whoever waits for the lock has it in hand, and finds what is kept.
            self._locks.pop(key, None)
            return built

    async def learn(self, project: ProjectModel, values: SampledValues, warnings: tuple[str, ...]) -> ProjectModel:
        """Keep what looking at the database gave for a model, in the record too, in place of what was known before. The
        model with that, ready to be asked about."""
        await self._record.models.keep_values(project.project_id, project.content_hash, values, warnings)
        learned = await asyncio.to_thread(_with_values, project, values, warnings)
        self._kept[project.project_id, project.content_hash] = learned
        return learned

    def forget(self, project_id: str) -> None:
        """Drop what is kept of a project, whose models are removed."""
        for key in [key for key in self._kept if key[0] == project_id]:
            del self._kept[key]


def _build(stored: StoredModel, database: Database) -> ProjectModel:
    with many_objects():
        return _built(stored, database)


def _built(stored: StoredModel, database: Database) -> ProjectModel:
    engine = database.engine
    reading = read_manifest(stored.manifest, data_source=engine.data_source)
    if reading.manifest is None:
        raise InvalidModel(
            f"The stored model of project {stored.project_id} is not valid for this version or this database.",
            "Prepare the project's model again; that lists every problem.",
            tuple(str(problem) for problem in reading.problems),
        )
    manifest = database.placed(reading.manifest)
    planner: type[Planner] = Planner
    if isinstance(engine, PlanningEngine):
        planner = EnginePlanned
        # Its statements, and those in its models, are in the SQL of the engine's planner, not in the database's.
        manifest = manifest.model_copy(update={"data_source": engine.dialect.upper()})
        engine = engine.with_manifest(engine_manifest(manifest))
    model = authorised_view(manifest, stored.content_hash)
    values = stored.values or {}
    return ProjectModel(
        project_id=stored.project_id,
        content_hash=stored.content_hash,
        label=stored.label,
        manifest=manifest,
        model=model,
        values=values,
        engine=engine,
        checker=SqlChecker(model, planner(model, manifest, engine.dialect), engine, values=values),
        rules=_rules(model, values, engine.dialect),
        sampled_at=None if stored.values is None else stored.stored_at,
        warnings=stored.warnings,
    )


def _with_values(project: ProjectModel, values: SampledValues, warnings: tuple[str, ...]) -> ProjectModel:
    with many_objects():
        return replace(
            project,
            values=values,
            checker=project.checker.with_values(values),
            rules=_rules(project.model, values, project.engine.dialect),
            sampled_at=datetime.now(UTC),
            warnings=warnings,
        )


def _rules(model: SemanticModel, values: SampledValues, dialect: str) -> RuleTranslator | None:
    try:
        return RuleTranslator(model, values, dialect)
    except Exception as error:  # noqa: BLE001 - a model that the rules cannot read can still be asked by a language model
        logger.warning("rules cannot read this model", extra={"error": type(error).__name__})
        return None
