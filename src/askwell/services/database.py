"""A project's database: its engine, and where the schemas that models name really are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from askwell.mdl.manifest import Manifest, Model, TableReference
from askwell.providers.engine.base import Engine
from askwell.sql.names import fold


@dataclass(frozen=True, slots=True)
class Database:
    """`engine` may be shared with other projects. `schema_map` leads from a schema, or `catalog.schema`, of a model's
    `tableReference` ("" for none, in any letter case) to the same of the database."""

    engine: Engine
    schema_map: Mapping[str, str] = field(default_factory=dict)

    def placed(self, manifest: Manifest) -> Manifest:
        """The manifest with its models where they are in the database."""
        if not self.schema_map:
            return manifest
        places = {fold(name): place for name, place in self.schema_map.items()}
        return manifest.model_copy(update={"models": tuple(_placed(model, places) for model in manifest.models)})


@runtime_checkable
class PlanningEngine(Engine, Protocol):
    """An engine that plans over the semantic model itself, and so has to be told it."""

    def with_manifest(self, manifest: Mapping[str, Any]) -> Engine:
        """The engine for one model, over the same connections."""
        ...


DatabaseFor = Callable[[str], Database]


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
