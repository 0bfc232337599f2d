"""A semantic model as people may look at it: what is asked about, without hidden columns, and the values that everybody
may see."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel

from askwell import __version__
from askwell.mdl.ddl import is_view
from askwell.mdl.secret_columns import is_secret
from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, ColumnRole, Relationship, Table, TableKind
from askwell.services.projects import ProjectModel

_MOST_VALUES = 20
_VALUE_CHARACTERS = 200


class DescribedColumn(BaseModel):
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


class DescribedRelationship(BaseModel):
    """`pairs` are the columns of `left` and `right` that are equal; an inferred relationship was guessed."""

    name: str
    left: str
    right: str
    pairs: list[tuple[str, str]]
    cardinality: Cardinality
    is_inferred: bool


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
        links = ",".join(_json(_described_link(link)) for link in self.project.model.relationships)
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
        columns=[_described_column(column, _shown_values(project, table, column)) for column in table.columns],
    )


def _described_column(column: Column, values: list[str]) -> DescribedColumn:
    return DescribedColumn(
        name=column.name,
        type=column.type,
        role=column.role,
        display_name=column.display_name,
        description=column.description,
        synonyms=list(column.synonyms),
        unit=column.unit,
        expression=column.expression,
        values=values or None,
    )


def _shown_values(project: ProjectModel, table: Table, column: Column) -> list[str]:
    """Those of an enum, or those seen in the database: a project has only such as everybody reads alike."""
    if is_secret(column):
        return []
    values = column.values or project.values.get(ColumnRef(table.name, column.name), ())
    return [value[:_VALUE_CHARACTERS] for value in values[:_MOST_VALUES]]


def _described_link(link: Relationship) -> DescribedRelationship:
    return DescribedRelationship(
        name=link.name,
        left=link.left,
        right=link.right,
        pairs=list(link.pairs),
        cardinality=link.cardinality,
        is_inferred=link.inferred,
    )
