"""A project's semantic model with everything that is built from it, ready to be asked about."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial

from askwell.checking.values import ValueIndex
from askwell.errors import InvalidModel, InvalidRequest, NotFound
from askwell.heap import many_objects
from askwell.knowledge.models import StoredModel
from askwell.knowledge.project_cache import ProjectCache
from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import Record
from askwell.knowledge.saved import SqlPair
from askwell.mdl.manifest import Manifest
from askwell.mdl.problems import Problem
from askwell.mdl.semantic_model import LinkCandidate, SampledValues, SemanticModel, Table, TableKind
from askwell.mdl.view import authorised_view
from askwell.messages import say
from askwell.pipelines.retrieval.lessons import tables_renamed
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.principal import Person
from askwell.providers.engine.base import Engine
from askwell.semantic_parsing.reader import QuestionReader
from askwell.services.database import Database, DatabaseFor, PlanningEngine
from askwell.services.example_sampling import without_examples
from askwell.services.model_reading import ModelReader
from askwell.services.seen_knowledge import may_use
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext, role_problem
from askwell.sql.planner import Planner
from askwell.sql.planner.engine_planned import EnginePlanned, engine_manifest
from askwell.sql.private_values import PrivateValues

logger = logging.getLogger(__name__)

# Models kept ready. One with 200 tables and sampled values takes some 30 MB.
KEPT_MODELS = 32
_REFUSED_MODELS = 1_000
# Of a model that is not served, problems told in full to its callers.
_MOST_PROBLEMS = 5
NO_LONGER_PASSES = "does not pass the checks of this version and configuration"


@dataclass(frozen=True)
class ProjectModel:
    """One model of one project; the tables of its manifest are where the database has them.

    `values` are what questions may name, `examples` are values of other columns, which only prompts show, and `dates`
    are all of columns whose dates only their values tell. `rules` is
    None where the rules' reader cannot be built for it. `sampled_at` is when its values were looked at; they are empty
    where that is None. `warnings` are what validation, and looking at the database, had to say about it. `private` are
    the columns of which not everybody reads the same values. `roles` is as in `sql.roles.role_problem`. Prompts are
    told no values unless it `shows_values`.
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
    private: PrivateValues
    examples: SampledValues = field(default_factory=dict)
    dates: SampledValues = field(default_factory=dict)
    roles: bool | None = None
    shows_values: bool = True

    def require_role(self, person: Person) -> None:
        """Raises `InvalidRequest` where this person's statements may not run, because of their role or for want of
        one."""
        problem = role_problem(self.roles, QueryContext.of(person, datetime.now(UTC)))
        if problem is not None:
            raise InvalidRequest(*problem)

    def may_use(self, person: Person, pair: SqlPair) -> bool:
        """Whether a saved question may be used for this person, and shown to them. May take some milliseconds the first
        time that it is asked of a statement."""
        return may_use(person, pair, self.private)

    def pairs_for(self, person: Person, pairs: Mapping[str, SqlPair]) -> Mapping[str, SqlPair]:
        """See `AskedProject`."""
        if not self.private.are_any:
            return pairs
        return {id: pair for id, pair in pairs.items() if self.may_use(person, pair)}

    @cached_property
    def prepared(self) -> PreparedModel:
        """What searching needs, worked out when it is first asked for: on a thread, since it takes a while."""
        with many_objects():
            return PreparedModel(self.model, self.values, self.examples, shows_values=self.shows_values)

    @cached_property
    def value_index(self) -> ValueIndex:
        """The known values, for checks of statements: on a thread, since building it may take a while."""
        return ValueIndex.build({**self.values, **self.dates}, self.model)

    @cached_property
    def views_by_question(self) -> Mapping[str, Table]:
        """Saved views by the normal form of the question that they answer."""
        return {normalise_question(table.question): table for table in self.model if table.question}


class ProjectModels:
    """Loads models from the record, so they survive a restart, and keeps the ones used last. Building one takes up to
    some hundred milliseconds, on a thread, once the `reader` has tried it. It is checked like one that is sent: what an
    older version took, or another configuration, is not served because it is there.

    Without `with_values`, values that the record still has are not read: their model is as one whose database was never
    looked at. `shows_values` says of which projects prompts are told values. With `applies_lessons` statements may call
    tables as the project was taught."""

    def __init__(
        self,
        record: Record,
        database_for: DatabaseFor,
        *,
        reader: ModelReader | None = None,
        with_values: bool = True,
        shows_values: Callable[[str], bool] = lambda project_id: True,
        applies_lessons: bool = True,
        kept: int = KEPT_MODELS,
    ) -> None:
        self.reader = reader or ModelReader()
        self.record = record
        self.database_for = database_for
        self._with_values = with_values
        self._shows_values = shows_values
        self._applies_lessons = applies_lessons
        self._versions = record.model_versions
        # Both by the hash of their content.
        self._kept: ProjectCache[ProjectModel | None] = ProjectCache(self._versions, kept)
        self._refused: ProjectCache[InvalidModel] = ProjectCache(self._versions, _REFUSED_MODELS)

    def require_database(self, project_id: str) -> None:
        """Raises `InvalidRequest` when the project has no database, or the configuration does not name it."""
        self.database_for(project_id)

    async def get(self, project_id: str, mdl_hash: str | None) -> ProjectModel | None:
        """The project's current model, or the one prepared under the client's label `mdl_hash`; None when there is
        none. Raises as `require_database` does, and `InvalidModel` as `load` does."""
        self.require_database(project_id)
        found = await self.record.models.resolve(project_id, mdl_hash)
        project = None if found is None else await self.load(project_id, *found)
        if project is not None and self._applies_lessons:
            lessons = (await self.record.saved.of(project_id)).lessons
            project.checker.renamed = tables_renamed(lessons.values(), project.model)
        return project

    async def has_model(self, project_id: str) -> bool:
        """Whether the project has a current model, which is not loaded for that. Raises as `require_database` does."""
        self.require_database(project_id)
        return await self.record.models.resolve(project_id, None) is not None

    async def get_for(self, person: Person, project_id: str, mdl_hash: str | None = None) -> ProjectModel | None:
        """As `get`, for someone whose statements it is to run. Raises `InvalidRequest` besides where their role in the
        database stands against that, and where who signed in asks a model that is not the current one: what that keeps
        from them an older one may show."""
        project = await self.get(project_id, mdl_hash)
        if project is None:
            return None
        project.require_role(person)
        if mdl_hash is not None and person.has_signed_in:
            current = await self.record.models.resolve(project_id, None)
            if current is not None and current[0] != project.content_hash:
                raise InvalidRequest(
                    *say("model.not_current_for_access", mdl_hash=mdl_hash[:64], project_id=project_id)
                )
        return project

    async def require_for(self, person: Person, project_id: str) -> ProjectModel:
        """The current model. Raises `NotFound` without one, and as `get_for`."""
        project = await self.get_for(person, project_id)
        if project is None:
            raise NotFound(*say("model.none", project_id=project_id))
        return project

    async def load(self, project_id: str, content_hash: str, label: str) -> ProjectModel | None:
        """A stored model by its content, prepared or not. Raises `InvalidModel`, with the parts that are at fault, for
        one that does not pass the checks of this version and configuration."""
        read = partial(self._read, project_id, content_hash, label)
        return await self._kept.get(project_id, read, content_hash)

    async def _read(self, project_id: str, content_hash: str, label: str) -> ProjectModel | None:
        if (known := self._refused.find(project_id, content_hash)) is not None:
            raise known.with_traceback(None)  # else it would grow with every ask
        version = self._versions.of(project_id)
        stored = await self.record.models.find(project_id, content_hash, label)
        if stored is None:
            return None
        if stored.values and not self._with_values:
            stored = replace(stored, values=None, candidates=None)
        database = self.database_for(project_id)
        await self.reader.try_out(stored, database)
        try:
            built = await asyncio.to_thread(build, stored, database)
        except InvalidModel as refusal:
            self._refused.keep(project_id, refusal, version, content_hash)
            logger.warning("a stored model is not served", extra={"project": project_id, "error": refusal.code})
            raise
        self._refused.forget(project_id)  # it takes their place
        return replace(built, shows_values=self._shows_values(project_id))

    def loaded(self, project_id: str, content_hash: str) -> ProjectModel | None:
        """A model where it is kept ready, without loading it."""
        return self._kept.find(project_id, content_hash)

    @property
    def refused(self) -> int:
        """How many of the models that were asked for are not served, because they do not pass today's checks."""
        return len(self._refused)

    async def learn(
        self,
        project: ProjectModel,
        values: SampledValues,
        warnings: tuple[str, ...],
        candidates: tuple[LinkCandidate, ...] | None,
    ) -> ProjectModel:
        """Keep what looking at the database gave for a model, in the record too, in place of what was known before. The
        model with that, ready to be asked about."""
        digest, version = project.content_hash, self._versions.of(project.project_id)
        moment = await self.record.models.keep_values(project.project_id, digest, values, warnings, candidates)
        looked = replace(project, model=replace(project.model, candidates=candidates))
        learned = await asyncio.to_thread(_with_values, looked, values, warnings, moment)
        self._kept.keep(project.project_id, learned, version, digest)
        self._versions.tell_others(project.project_id)
        return learned

    def forget(self, project_id: str) -> None:
        """Let go of what is kept of a project, whose models were removed or replaced."""
        with self._versions.changing(project_id):
            self._kept.forget(project_id)


def _not_served(project_id: str, label: str, problems: Sequence[Problem]) -> InvalidModel:
    """Why a stored model is not served, for its callers."""
    shown = [str(problem) for problem in problems[:_MOST_PROBLEMS]]
    if (rest := len(problems) - len(shown)) > 0:
        shown.append(f"… and {rest} more.")
    return InvalidModel(
        "\n".join((f"The model {label[:64]} of project {project_id} is not served: it {NO_LONGER_PASSES}:", *shown)),
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
    if database.hides_values:
        # A person's role may keep from them what the service's own login saw, perhaps before there were roles.
        stored = replace(stored, values=None if stored.values is None else {}, candidates=None)
    model = replace(authorised_view(manifest, stored.content_hash), candidates=stored.candidates)
    planner = planning(model, manifest, engine.dialect)
    private = _private_values(model, planner, hides_values=database.hides_values)
    model = replace(model, tables={table.name: _without_private(table, private) for table in model})
    values, examples, dates = without_examples(model, _same_for_all(stored.values or {}, planner))
    return ProjectModel(
        project_id=stored.project_id,
        content_hash=stored.content_hash,
        label=stored.label,
        manifest=manifest,
        model=model,
        values=values,
        examples=examples,
        dates=dates,
        engine=engine,
        planner=planner,
        checker=SqlChecker(model, planner, engine, values=values, listed=listed, roles=database.roles),
        rules=_rules(model, {**values, **dates}, engine.dialect),
        sampled_at=None if stored.values is None else stored.stored_at,
        warnings=stored.warnings,
        private=private,
        roles=database.roles,
    )


def _private_values(model: SemanticModel, planner: Planner, *, hides_values: bool) -> PrivateValues:
    if hides_values:
        return PrivateValues(model, lambda table, columns: (), planner.dialect, are_any=True)
    return PrivateValues(model, planner.same_for_all, planner.dialect, are_any=planner.has_rules)


def _without_private(table: Table, private: PrivateValues) -> Table:
    """A view whose statement names values that not everybody may read, without that and the question it answers: both
    would be shown to anybody. It can be read like any other."""
    if table.kind is not TableKind.VIEW or not table.statement or not private.in_sql(table.statement):
        return table
    return replace(table, statement=None, question=None)


def _same_for_all(values: SampledValues, planner: Planner) -> SampledValues:
    """The values without those that older versions read with the session properties of nobody."""
    columns: dict[str, list[str]] = {}
    for place in values:
        columns.setdefault(place.table, []).append(place.column)
    same = {table: planner.same_for_all(table, names) for table, names in columns.items()}
    return {place: found for place, found in values.items() if place.column in same[place.table]}


def _with_values(
    project: ProjectModel, sampled: SampledValues, warnings: tuple[str, ...], moment: datetime
) -> ProjectModel:
    values, examples, dates = without_examples(project.model, sampled)
    with many_objects():
        return replace(
            project,
            values=values,
            examples=examples,
            dates=dates,
            checker=project.checker.with_values(values),
            rules=_rules(project.model, {**values, **dates}, project.engine.dialect),
            sampled_at=moment,
            warnings=warnings,
        )


def _rules(model: SemanticModel, values: SampledValues, dialect: str) -> QuestionReader | None:
    try:
        return QuestionReader(model, values, dialect)
    except Exception as error:  # noqa: BLE001 - a model that the rules cannot read can still be asked by a language model
        logger.warning("rules cannot read this model", extra={"error": type(error).__name__})
        return None
