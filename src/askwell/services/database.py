"""A project's database: its engine, where the schemas that models name are, and whether a model fits it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from askwell.errors import AskwellError
from askwell.mdl.checks.database import tables_without_model
from askwell.mdl.manifest import Manifest, Model, TableReference
from askwell.mdl.validation import ManifestReading, read_manifest, warnings_against
from askwell.providers.engine.base import Engine, PhysicalSchema, PhysicalTable
from askwell.sql.names import fold
from askwell.sql.planner import unsafe_parts
from askwell.sql.table_list import TableList


@dataclass(frozen=True, slots=True)
class Database:
    """`engine` may be shared with other projects. `schema_map` leads from a schema, or `catalog.schema`, of a model's
    `tableReference` ("" for none, in any letter case) to the same of the database. `tables` are those that models may
    name, once they are where the database has them; None for all. `roles` says whether statements run under the roles
    of those who ask (None: nobody said so), and `values_for_all_roles` that all of these may see sampled values."""

    engine: Engine
    schema_map: Mapping[str, str] = field(default_factory=dict)
    tables: TableList | None = None
    roles: bool | None = None
    values_for_all_roles: bool = False

    @property
    def hides_values(self) -> bool:
        """Whether a role may keep someone from seeing what the service's own login sees."""
        return self.roles is True and not self.values_for_all_roles

    def placed(self, manifest: Manifest) -> Manifest:
        """The manifest with its models where they are in the database."""
        if not self.schema_map:
            return manifest
        places = {fold(name): place for name, place in self.schema_map.items()}
        return manifest.model_copy(update={"models": tuple(_placed(model, places) for model in manifest.models)})

    def read(self, mdl: str | dict[str, Any]) -> ManifestReading:
        """`read_manifest`, where what must not be served from this database is a problem too. Takes up to some
        seconds."""
        reading = read_manifest(mdl, data_source=self.engine.data_source)
        if reading.manifest is None:
            return reading
        unsafe = unsafe_parts(self.placed(reading.manifest), self.engine.dialect, self.tables)
        return replace(reading, manifest=None, problems=unsafe) if unsafe else reading

    def visible(self, schema: PhysicalSchema) -> PhysicalSchema:
        """What introspection found, without the tables that models may not name. One that is listed without a schema
        may be in any."""
        listed = self.tables
        if listed is None:
            return schema
        return replace(schema, tables=tuple(table for table in schema.tables if any(map(listed.has, _names(table)))))

    def unused(self, schema: PhysicalSchema) -> list[str]:
        """What `tables` lists that introspection did not find."""
        return (
            [] if self.tables is None else self.tables.unused(name for table in schema.tables for name in _names(table))
        )


@runtime_checkable
class PlanningEngine(Engine, Protocol):
    """An engine that plans over the semantic model itself, and so has to be told it."""

    def with_manifest(self, manifest: Mapping[str, Any]) -> Engine:
        """The engine for one model, over the same connections."""
        ...


DatabaseFor = Callable[[str], Database]


def _names(table: PhysicalTable) -> tuple[tuple[str | None, ...], ...]:
    """What may stand for the table, with and without its schema."""
    return (table.schema, table.name), (table.name,)


def _placed(model: Model, places: Mapping[str, str]) -> Model:
    reference = model.table_reference
    if reference is None:
        return model
    written = ".".join(part for part in (reference.catalog, reference.schema_name) if part)
    place = places.get(fold(written))
    if place is None:
        return model
    catalog, _, schema = place.rpartition(".")
    there = TableReference(catalog=catalog or None, schema_name=schema or None, table=reference.table)
    return model.model_copy(update={"table_reference": there})


# Seconds that introspection may take before preparation goes on without it.
TIME_LIMIT = 20.0
_MOST_WARNINGS = 100


@dataclass(frozen=True, slots=True)
class PhysicalFindings:
    """`warnings` are sentences with the nearest names; `reached` says whether the database could be looked at, and
    `without_model` are the tables that it has and the model has not."""

    warnings: tuple[str, ...]
    reached: bool = True
    without_model: tuple[str, ...] = ()


async def check_against_database(manifest: Manifest, database: Database) -> PhysicalFindings:
    """Never fails: a database that cannot be looked at is itself a warning, since a model may be prepared before its
    database is there. No table is named that models may not read."""
    try:
        async with asyncio.timeout(TIME_LIMIT):
            schema = database.visible(await database.engine.introspect())
    except TimeoutError:
        late = f"The database did not list its tables within {TIME_LIMIT:g} s, so the model was not checked on it."
        return PhysicalFindings((late,), reached=False)
    except AskwellError as error:
        unseen = f"The model was not checked on its database. {error.message} {error.hint}".strip()
        return PhysicalFindings((unseen,), reached=False)
    # A thousand tables take a fifth of a second.
    warnings = await asyncio.to_thread(lambda: [str(problem) for problem in warnings_against(manifest, schema)])
    if len(warnings) > _MOST_WARNINGS:
        rest = len(warnings) - _MOST_WARNINGS
        warnings = [*warnings[:_MOST_WARNINGS], f"There are {rest} more tables or columns that the database lacks."]
    beyond = await asyncio.to_thread(tables_without_model, manifest, schema)
    return PhysicalFindings(tuple(warnings), without_model=beyond)
