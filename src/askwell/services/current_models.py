"""The projects and their current models, listed, described for people, and changed.

A model is shown without hidden columns, and with the values that everybody may see."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from askwell import __version__
from askwell.errors import Conflict
from askwell.mdl.prompt_schema import is_view
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, ColumnRole, Table, TableKind
from askwell.messages import say
from askwell.principal import NOBODY, Person
from askwell.services.description_changes import DescriptionChange
from askwell.services.preparation_kind import PREPARATION
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation

_MOST_VALUES = 20
_VALUE_CHARACTERS = 200


class DescribedColumn(BaseModel, from_attributes=True):
    """`expression` is what a calculated field or a measure stands for; `values` are some that it holds, where they are
    few or were seen and everybody may see them."""

    name: str
    type: str
    role: ColumnRole
    display_name: str | None = None
    description: str | None = None
    synonyms: list[str]
    unit: str | None = None
    expression: str | None = None
    values: list[str] | None = None


class DescribedTable(BaseModel):
    """A model, a view, a metric or a cube: SQL reads all of them by name. `is_view` where the model is of a view of the
    database."""

    name: str
    kind: TableKind
    is_view: bool | None = None
    display_name: str | None = None
    description: str | None = None
    synonyms: list[str]
    primary_key: list[str]
    columns: list[DescribedColumn]


class DescribedRelationship(BaseModel, from_attributes=True):
    """`pairs` are the columns of `left` and `right` that are equal; an inferred relationship was guessed."""

    name: str
    left: str
    right: str
    pairs: list[tuple[str, str]]
    cardinality: Cardinality
    is_inferred: Annotated[bool, Field(validation_alias="inferred")]


class ModelFacts(BaseModel):
    """What there is to say of the model as a whole. `mdl_hash` is its label, `dialect` that of its SQL. Warnings may
    name hidden columns."""

    project_id: str
    mdl_hash: str
    dialect: str
    prepared_at: datetime | None = None
    sampled_at: datetime | None = None
    warnings: list[str]


class DescribedModel(ModelFacts):
    """The model with its tables and relationships."""

    tables: list[DescribedTable]
    relationships: list[DescribedRelationship]


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The description of a project's model, to be written as JSON when it is wanted."""

    project: ProjectModel
    facts: ModelFacts

    @property
    def digest(self) -> str:
        """A hash of everything that the JSON is made of: equal digests, equal JSON."""
        seen = [self.project.private.are_any, len(self.project.values)]
        parts = [__version__, self.project.content_hash, *seen, self.facts.model_dump_json()]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def to_json(self) -> bytes:
        """The JSON of a `DescribedModel`, without fields that are not known. Takes about a second for five thousand
        tables, on a thread: it is written table by table, since no other thread runs during one step."""
        tables = ",".join(_json(described_table(self.project, table)) for table in self.project.model)
        links = ",".join(_json(DescribedRelationship.model_validate(link)) for link in self.project.model.relationships)
        return f'{_json(self.facts)[:-1]},"tables":[{tables}],"relationships":[{links}]}}'.encode()


def _json(part: BaseModel) -> str:
    return part.model_dump_json(exclude_none=True)


def described_table(project: ProjectModel, table: Table) -> DescribedTable:
    """One table of the project's model. Takes some milliseconds for a wide one."""
    return DescribedTable(
        name=table.name,
        kind=table.kind,
        is_view=(table.kind is TableKind.MODEL and is_view(table)) or None,
        display_name=table.display_name,
        description=table.description,
        synonyms=list(table.synonyms),
        primary_key=list(table.primary_key),
        columns=[
            DescribedColumn.model_validate(column).model_copy(update={"values": _shown_values(project, table, column)})
            for column in table.columns
        ],
    )


def _shown_values(project: ProjectModel, table: Table, column: Column) -> list[str] | None:
    """Those of an enum, or those seen in the database: a project has only such as everybody reads alike."""
    if is_secret(column):
        return None
    values = column.values or project.values.get(ColumnRef(table.name, column.name), ())
    return [value[:_VALUE_CHARACTERS] for value in values[:_MOST_VALUES]] or None


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


@dataclass(frozen=True, slots=True)
class AboutDatabase:
    """What kind of database a project has, what people call it, and when its file was sent; None for what is not
    known, or not there."""

    engine: str | None = None
    name: str | None = None
    sent_at: datetime | None = None


class CurrentModels:
    """`configured` are the projects that the configuration names, `about` tells of a project's database."""

    def __init__(
        self,
        projects: ProjectModels,
        preparation: SemanticsPreparation,
        configured: Collection[str],
        about: Callable[[str], AboutDatabase],
    ) -> None:
        self._record = projects.record
        self._projects = projects
        self._preparation = preparation
        self._configured = configured
        self._about = about

    async def projects(self, is_theirs: Callable[[str], bool] = lambda _: True) -> list[ListedProject]:
        """By id, the projects that the configuration names and those that have a model, of a person's."""
        current = await self._record.models.current()
        own = sorted(filter(is_theirs, {*self._configured, *current}))
        prepared = await self._prepared([one for one in own if one in current])
        return [self._listed(one, current.get(one), prepared) for one in own]

    def _listed(
        self, project_id: str, current: tuple[str, str] | None, prepared: Mapping[tuple[str, str | None], datetime]
    ) -> ListedProject:
        about, has_model = self._about(project_id), current is not None
        known = ListedProject(
            id=project_id, engine=about.engine, database=about.name, has_model=has_model, sent_at=about.sent_at
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
            raise Conflict(*say("model.not_current", mdl_hash=mdl_hash, project_id=project_id, label=label))
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
