"""The projects and their current models, to be looked at and described better."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel

from askwell.errors import Conflict
from askwell.knowledge.record import Record
from askwell.principal import NOBODY, Person
from askwell.services.described_model import ModelDescription, ModelFacts
from askwell.services.description_changes import DescriptionChange
from askwell.services.preparation_kind import PREPARATION
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation


class ListedProject(BaseModel):
    """A project by its `id`. `engine` is what kind of database it has, absent where the configuration has none for it,
    and `database` a name to show for it, without a path or an address; `mdl_hash` and `prepared_at` are of its current
    model, and `tables` is how many that has, told while the model is kept ready. `sent_at` is when its file was sent,
    of an upload."""

    id: str
    engine: str | None = None
    database: str | None = None
    has_model: bool
    mdl_hash: str | None = None
    prepared_at: datetime | None = None
    tables: int | None = None
    sent_at: datetime | None = None


class CurrentModels:
    """`configured` are the projects that the configuration names, `engine_of` what kind of database one has, None for
    none, and `name_of` what people call it; `sent_at` is when the file of one was sent."""

    def __init__(
        self,
        record: Record,
        projects: ProjectModels,
        preparation: SemanticsPreparation,
        *,
        configured: Collection[str],
        engine_of: Callable[[str], str | None],
        name_of: Callable[[str], str | None],
        sent_at: Callable[[str], datetime | None],
    ) -> None:
        self._record = record
        self._projects = projects
        self._preparation = preparation
        self._configured = configured
        self._engine_of = engine_of
        self._name_of = name_of
        self._sent_at = sent_at

    async def projects(self, is_theirs: Callable[[str], bool] = lambda _: True) -> list[ListedProject]:
        """By id, the projects that the configuration names and those that have a model, of somebody's."""
        current = await self._record.models.current()
        own = sorted(filter(is_theirs, {*self._configured, *current}))
        prepared = await self._prepared([one for one in own if one in current])
        return [self._listed(one, current.get(one), prepared) for one in own]

    def _listed(
        self, project_id: str, current: tuple[str, str] | None, prepared: Mapping[tuple[str, str | None], datetime]
    ) -> ListedProject:
        known = ListedProject(
            id=project_id,
            engine=self._engine_of(project_id),
            database=self._name_of(project_id),
            has_model=current is not None,
            sent_at=self._sent_at(project_id),
        )
        if current is None:
            return known
        content_hash, label = current
        loaded = self._projects.loaded(project_id, content_hash)
        of_model = {
            "mdl_hash": label,
            "prepared_at": prepared.get((project_id, label)),
            "tables": None if loaded is None else len(loaded.model.tables),
        }
        return known.model_copy(update=of_model)

    async def describe(
        self, project_id: str, *, person: Person = NOBODY, with_warnings: bool = True
    ) -> ModelDescription:
        """The current model of a project. Warnings may name hidden columns. Raises `NotFound` without one, and as
        `ProjectModels.get_for` does."""
        project, label = await self._current(project_id, person)
        facts = ModelFacts(
            project_id=project_id,
            mdl_hash=label,
            dialect=project.engine.dialect,
            prepared_at=(await self._prepared([project_id])).get((project_id, label)),
            sampled_at=project.sampled_at,
            warnings=list(project.warnings) if with_warnings else [],
        )
        return ModelDescription(project, facts)

    async def change(
        self, project_id: str, mdl_hash: str, changes: Sequence[DescriptionChange], *, person: Person = NOBODY
    ) -> str:
        """Prepare the model `mdl_hash`, the current one, with other descriptions; the label to poll that by. Raises
        `NotFound` without a model, `Conflict` where another one is current, and as `SemanticsPreparation.change`."""
        project, label = await self._current(project_id, person)
        if mdl_hash != label:
            raise Conflict(
                f"The model {mdl_hash} of project {project_id} is not the current one, which is {label}.",
                "Read it with GET /v1/semantics, and send the changes for that.",
            )
        return await self._preparation.change(project, changes, person=person)

    async def _current(self, project_id: str, person: Person) -> tuple[ProjectModel, str]:
        """The current model and its label: one that is kept ready knows the label under which it was sent first."""
        self._projects.require_database(project_id)
        current = await self._record.models.resolve(project_id, None)
        project = await self._projects.require_for(person, project_id)
        # Where another one became current in between, it was loaded under its own.
        if current is None or current[0] != project.content_hash:
            return project, project.label
        return project, current[1]

    async def _prepared(self, project_ids: Collection[str]) -> dict[tuple[str, str | None], datetime]:
        return await self._record.jobs.last_ends(PREPARATION, "finished", project_ids)
