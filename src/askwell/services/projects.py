"""A project's semantic model with everything that is built from it, ready to be asked about."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from cachetools import LRUCache

from askwell.errors import InvalidModel
from askwell.heap import many_objects
from askwell.knowledge.models import StoredModel
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import Record
from askwell.mdl.manifest import Manifest
from askwell.mdl.problems import Problem
from askwell.mdl.semantic_model import LinkCandidate, SampledValues, SemanticModel, Table
from askwell.mdl.view import authorised_view
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.providers.engine.base import Engine
from askwell.semantic_parsing.reader import QuestionReader
from askwell.services.database import Database, DatabaseFor, PlanningEngine
from askwell.services.example_sampling import without_examples
from askwell.services.model_reading import ModelReader, ReadsHere
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner
from askwell.sql.planner.engine_planned import EnginePlanned, engine_manifest

logger = logging.getLogger(__name__)

# Models kept ready. One with 200 tables and sampled values takes some 30 MB.
KEPT_MODELS = 32
_REFUSED_MODELS = 1_000
# Of a model that is not served, problems told in full to whoever asks it.
_PROBLEMS_TOLD = 5
NO_LONGER_PASSES = "does not pass the checks of this version and configuration"


@dataclass(frozen=True)
class ProjectModel:
    """One model of one project; the tables of its manifest are where the database has them.

    `values` are what questions may name, `examples` are values of other columns, which only prompts show. `rules` is
    None where the rules' reader cannot be built for it. `sampled_at` is when its values were looked at; they are empty
    where that is None. `warnings` are what validation, and looking at the database, had to say about it.
    """

    project_id: str
    content_hash: str
    label: str
    manifest: Manifest
    model: SemanticModel
    values: SampledValues
    engine: Engine
    planner: Planner
    checker: SqlChecker
    rules: QuestionReader | None
    sampled_at: datetime | None
    warnings: tuple[str, ...]
    examples: SampledValues = field(default_factory=dict)

    @cached_property
    def prepared(self) -> PreparedModel:
        """What searching needs, worked out when it is first asked for: on a thread, since it takes a while."""
        with many_objects():
            return PreparedModel(self.model, self.values, self.examples)

    @cached_property
    def views_by_question(self) -> Mapping[str, Table]:
        """Saved views by the normal form of the question that they answer."""
        return {normalise_question(table.question): table for table in self.model if table.question}


class ProjectModels:
    """Loads models from the record, so they survive a restart, and keeps the ones used last. Building one takes up to
    some hundred milliseconds, on a thread, once the `reader` has tried it. It is checked like one that is sent: what an
    older version took, or another configuration, is not served because it is there.

    Without `with_values`, values that the record still has are not read: their model is as one whose database was never
    looked at."""

    def __init__(
        self,
        record: Record,
        database_for: DatabaseFor,
        *,
        reader: ModelReader | None = None,
        with_values: bool = True,
        kept: int = KEPT_MODELS,
    ) -> None:
        self._reader = reader or ReadsHere()
        self._record = record
        self._database_for = database_for
        self._with_values = with_values
        self._kept: LRUCache[tuple[str, str], ProjectModel] = LRUCache(kept)
        # Models that did not pass, with why: neither changes while the service runs.
        self._refused: LRUCache[tuple[str, str], InvalidModel] = LRUCache(_REFUSED_MODELS)
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    def require_database(self, project_id: str) -> None:
        """Raises `InvalidRequest` when the project has no database, or the configuration does not name it."""
        self._database_for(project_id)

    async def get(self, project_id: str, mdl_hash: str | None) -> ProjectModel | None:
        """The project's current model, or the one prepared under the client's label `mdl_hash`; None when there is
        none. Raises as `require_database` does, and `InvalidModel` as `load` does."""
        self.require_database(project_id)
        found = await self._record.models.resolve(project_id, mdl_hash)
        return None if found is None else await self.load(project_id, *found)

    async def load(self, project_id: str, content_hash: str, label: str) -> ProjectModel | None:
        """A stored model by its content, prepared or not. Raises `InvalidModel`, with the parts that are at fault, for
        one that does not pass the checks of this version and configuration."""
        key = (project_id, content_hash)
        if (known := self._known(key)) is not None:
            return known
        async with self._locks.setdefault(key, asyncio.Lock()):
            if (known := self._known(key)) is not None:
                return known
            stored = await self._record.models.find(project_id, content_hash, label)
            if stored is None:
                return None
            if stored.values and not self._with_values:
                stored = replace(stored, values=None, candidates=None)
            database = self._database_for(project_id)
            try:
                await self._reader.try_out(stored, database)
                built = await self._checked(key, stored, database)
                self._kept[key] = built
                self._forget_refused(project_id)  # it takes their place
                return built
            finally:
                # Whoever waits for the lock has it in hand, and finds what is kept.
                self._locks.pop(key, None)

    async def _checked(self, key: tuple[str, str], stored: StoredModel, database: Database) -> ProjectModel:
        try:
            return await asyncio.to_thread(build, stored, database)
        except InvalidModel as refusal:
            self._refused[key] = refusal
            logger.warning("a stored model is not served", extra={"project": key[0], "error": refusal.code})
            raise

    @property
    def refused(self) -> int:
        """How many of the models that were asked for are not served, because they do not pass today's checks."""
        return len(self._refused)

    def _known(self, key: tuple[str, str]) -> ProjectModel | None:
        refusal = self._refused.get(key)
        if refusal is not None:
            raise refusal.with_traceback(None)  # else it would grow with every ask
        return self._kept.get(key)

    async def learn(
        self,
        project: ProjectModel,
        values: SampledValues,
        warnings: tuple[str, ...],
        candidates: tuple[LinkCandidate, ...] | None,
    ) -> ProjectModel:
        """Keep what looking at the database gave for a model, in the record too, in place of what was known before. The
        model with that, ready to be asked about."""
        digest = project.content_hash
        await self._record.models.keep_values(project.project_id, digest, values, warnings, candidates)
        looked = replace(project, model=replace(project.model, candidates=candidates))
        learned = await asyncio.to_thread(_with_values, looked, values, warnings)
        self._kept[project.project_id, project.content_hash] = learned
        return learned

    def forget(self, project_id: str) -> None:
        """Drop what is kept of a project, whose models are removed."""
        for key in [key for key in self._kept if key[0] == project_id]:
            del self._kept[key]
        self._forget_refused(project_id)

    def _forget_refused(self, project_id: str) -> None:
        for key in [key for key in self._refused if key[0] == project_id]:
            del self._refused[key]


def _not_served(project_id: str, label: str, problems: Sequence[Problem]) -> InvalidModel:
    """Why a stored model is not served, for whoever asks it."""
    told = [str(problem) for problem in problems[:_PROBLEMS_TOLD]]
    if (rest := len(problems) - len(told)) > 0:
        told.append(f"… and {rest} more.")
    return InvalidModel(
        "\n".join((f"The model {label[:64]} of project {project_id} is not served: it {NO_LONGER_PASSES}:", *told)),
        "Correct it and send it again with POST /v1/semantics-preparations, or change the configuration.",
        tuple(map(str, problems)),
    )


def build(stored: StoredModel, database: Database) -> ProjectModel:
    """Make a stored model ready. Raises `InvalidModel` where it does not validate."""
    with many_objects():
        return _built(stored, database)


def _built(stored: StoredModel, database: Database) -> ProjectModel:
    engine = database.engine
    reading = database.read(stored.manifest)
    if reading.manifest is None:
        raise _not_served(stored.project_id, stored.label, reading.problems)
    manifest = database.placed(reading.manifest)
    planning: type[Planner] = Planner
    listed = database.tables
    if isinstance(engine, PlanningEngine):
        listed = None  # its statements name models; where these are was looked at above
        planning = EnginePlanned
        # Its statements, and those in its models, are in the SQL of the engine's planner, not in the database's.
        manifest = manifest.model_copy(update={"data_source": engine.dialect.upper()})
        engine = engine.with_manifest(engine_manifest(manifest))
    model = replace(authorised_view(manifest, stored.content_hash), candidates=stored.candidates)
    planner = planning(model, manifest, engine.dialect)
    values, examples = without_examples(model, _same_for_all(stored.values or {}, planner))
    return ProjectModel(
        project_id=stored.project_id,
        content_hash=stored.content_hash,
        label=stored.label,
        manifest=manifest,
        model=model,
        values=values,
        examples=examples,
        engine=engine,
        planner=planner,
        checker=SqlChecker(model, planner, engine, values=values, listed=listed),
        rules=_rules(model, values, engine.dialect),
        sampled_at=None if stored.values is None else stored.stored_at,
        warnings=stored.warnings,
    )


def _same_for_all(values: SampledValues, planner: Planner) -> SampledValues:
    """The values without those that older versions read with the session properties of nobody."""
    columns: dict[str, list[str]] = {}
    for place in values:
        columns.setdefault(place.table, []).append(place.column)
    same = {table: planner.same_for_all(table, names) for table, names in columns.items()}
    return {place: found for place, found in values.items() if place.column in same[place.table]}


def _with_values(project: ProjectModel, sampled: SampledValues, warnings: tuple[str, ...]) -> ProjectModel:
    values, examples = without_examples(project.model, sampled)
    with many_objects():
        return replace(
            project,
            values=values,
            examples=examples,
            checker=project.checker.with_values(values),
            rules=_rules(project.model, values, project.engine.dialect),
            sampled_at=datetime.now(UTC),
            warnings=warnings,
        )


def _rules(model: SemanticModel, values: SampledValues, dialect: str) -> QuestionReader | None:
    try:
        return QuestionReader(model, values, dialect)
    except Exception as error:  # noqa: BLE001 - a model that the rules cannot read can still be asked by a language model
        logger.warning("rules cannot read this model", extra={"error": type(error).__name__})
        return None
