"""The model of a folder of CSV files that were loaded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from askwell.csv_files.loaded import LoadedFolder
from askwell.mdl.importers.imported import physical_name
from askwell.mdl.manifest import Manifest, Model
from askwell.mdl.types import TypeFamily, type_family
from askwell.providers.engine.base import Engine, PhysicalSchema
from askwell.services.model_drafting import draft_model

_REASON = "CSV files declare no key; its values are unique"


async def draft_csv_model(engine: Engine, loaded: LoadedFolder) -> Manifest:
    """The model that the files' names and values suggest, with the keys and units that loading found. Raises
    `AskwellError` as `draft_model` does."""
    schema = await engine.introspect()
    tables = (replace(one, primary_key=loaded.keys.get(one.name, one.primary_key)) for one in schema.tables)
    manifest = await draft_model(PhysicalSchema(tuple(tables)), engine)
    referred = {entry.models[1] for entry in manifest.relationships}
    models = tuple(_with_units(one, loaded) for one in _with_keys(manifest.models, loaded, referred))
    return manifest.model_copy(update={"models": models})


def _with_keys(models: Iterable[Model], loaded: LoadedFolder, referred: set[str]) -> Iterable[Model]:
    for model in models:
        table = model.table_reference.table if model.table_reference else ""
        if table in loaded.keys:
            properties = {**model.properties, "inferredKey": True, "reason": _REASON}
            yield model.model_copy(update={"properties": properties})
        elif model.name not in referred and _is_text_key(model):
            # Its name alone made it a key, its values read as names, and nothing refers to it.
            written = model.model_dump(by_alias=True, exclude_unset=True, exclude={"primary_key"})
            properties = {name: one for name, one in model.properties.items() if name not in ("inferredKey", "reason")}
            yield Model.model_validate({**written, "properties": properties})
        else:
            yield model


def _is_text_key(model: Model) -> bool:
    own = [column.type for column in model.columns if column.name in model.primary_key]
    return bool(own) and all(type_family(kind) is TypeFamily.TEXT for kind in own)


def _with_units(model: Model, loaded: LoadedFolder) -> Model:
    table = model.table_reference.table if model.table_reference else ""
    columns = []
    for column in model.columns:
        unit = loaded.units.get((table, physical_name(column.model_dump())))
        more = {"properties": {**column.properties, "unit": unit}} if unit else {}
        columns.append(column.model_copy(update=more))
    return model.model_copy(update={"columns": tuple(columns)})
