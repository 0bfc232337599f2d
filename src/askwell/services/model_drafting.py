"""A semantic model of a database that nobody has described: what it declares, and what its names and values suggest.

A guess is looked at before it is taken: a key has to tell all rows apart, and the values of a link have to be among the
keys that it leads to. What was guessed says so in its properties (`inferred` or `inferredKey`, and `reason`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from askwell import __version__
from askwell.errors import InvalidRequest
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.importers.name_hints import KeyHints, Suggestion, suggested_links
from askwell.mdl.manifest import Manifest, Model, ModelColumn, RelationshipEntry, content_hash
from askwell.mdl.semantic_model import Cardinality, Relationship, SemanticModel
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine, PhysicalColumn, PhysicalSchema, PhysicalTable
from askwell.services.value_probe import Refused, ValueProbe
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner

# Real data has some orphans; a link by mistake has many.
_SHARE_AMONG_KEYS = 0.9

# Says of a relationship that names alone are not enough for it; never in a finished model.
_WEAK = "askwellWeak"

Keys = Mapping[PhysicalTable, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Place:
    """A physical table in the model: its model, and the model's columns by their physical names in lower case."""

    model: Model
    columns: Mapping[str, str]


def schema_fingerprint(schema: PhysicalSchema, data_source: str) -> str:
    """The same as long as this version would draft the same model, but for the values that it looks at."""
    return hashlib.sha256(f"{__version__} {data_source} {schema!r}".encode(errors="replace")).hexdigest()


async def draft_model(schema: PhysicalSchema, engine: Engine) -> Manifest:
    """The model of an introspected database. Looking at values takes seconds at most, and what cannot be looked at in
    time stands on its names where these are telling. Raises `InvalidRequest` where there is nothing to ask about."""
    if not schema.tables:
        raise InvalidRequest(
            "The database has no tables, or none that this user may read.",
            "Name another database, put tables into this one, or give the user the right to read them.",
        )
    manifest = manifest_from_schema(schema, data_source=engine.data_source)
    if not manifest.models:
        raise InvalidRequest(
            "The database has no table that can be asked about.",
            "Tables of the system and tables without columns do not count; name another database.",
        )
    keys = await _guessed_keys(schema, manifest, engine)
    if keys:
        # With a key a table can be referred to, so there may be more links now.
        tables = tuple(replace(table, primary_key=keys.get(table, table.primary_key)) for table in schema.tables)
        schema = PhysicalSchema(tables)
        manifest = _with_marked_keys(manifest_from_schema(schema, data_source=engine.data_source), keys)
    return await _with_sound_links(_with_suggestions(manifest, schema), engine)


def _probe(manifest: Manifest, engine: Engine) -> tuple[SemanticModel, ValueProbe]:
    model = authorised_view(manifest, content_hash(manifest))
    return model, ValueProbe(model, SqlChecker(model, Planner(model, manifest, engine.dialect), engine))


def _places(manifest: Manifest, schema: PhysicalSchema) -> dict[PhysicalTable, _Place]:
    by_place = {_place(model): model for model in manifest.models}
    return {
        table: _Place(model, {_physical_name(column).lower(): column.name for column in model.columns})
        for table in schema.tables
        if (model := by_place.get((table.schema, table.name))) is not None
    }


def _place(model: Model) -> tuple[str | None, str]:
    reference = model.table_reference
    return (reference.schema_name, reference.table) if reference else (None, "")


def _physical_name(column: ModelColumn) -> str:
    """The database's name of an imported column: its expression is that name, quoted."""
    return column.expression[1:-1].replace('""', '"') if column.expression else column.name


# -- keys that are not declared -------------------------------------------------------------------------------------


async def _guessed_keys(schema: PhysicalSchema, manifest: Manifest, engine: Engine) -> Keys:
    without = [table for table in schema.tables if not table.primary_key and not table.is_view]
    if not without:
        return {}
    places = _places(manifest, schema)
    _, probe = _probe(manifest, engine)
    hints = KeyHints(schema.tables)
    keys = {}
    for table in without:
        for column in hints.likely_keys(table) if table in places else ():
            if await _is_key(probe, places[table], column):
                keys[table] = (column.name,)
                break
    return keys


async def _is_key(probe: ValueProbe, place: _Place, column: PhysicalColumn) -> bool:
    try:
        return await probe.tells_rows_apart(place.model.name, place.columns[column.name.lower()]) is True
    except Refused:
        return False


def _with_marked_keys(manifest: Manifest, keys: Keys) -> Manifest:
    guessed = {(table.schema, table.name) for table in keys}
    reason = {"inferredKey": True, "reason": "the database declares no key; this column tells all rows apart"}
    models = tuple(
        model.model_copy(update={"properties": {**model.properties, **reason}}) if _place(model) in guessed else model
        for model in manifest.models
    )
    return manifest.model_copy(update={"models": models})


# -- links that are not declared ------------------------------------------------------------------------------------


def _with_suggestions(manifest: Manifest, schema: PhysicalSchema) -> Manifest:
    """With the links that names hint at, where a column is in none yet."""
    places = _places(manifest, schema)
    tables = [table for table in schema.tables if table in places]
    model = authorised_view(manifest, content_hash(manifest))
    used = {(link.left, here) for link in model.relationships for here, _ in link.pairs}
    linked = {
        table: {
            physical for physical, name in places[table].columns.items() if (places[table].model.name, name) in used
        }
        for table in tables
    }
    taken = {entry.name.lower() for entry in manifest.relationships}
    added = []
    for suggestion in suggested_links(tables, linked):
        entry = _entry(suggestion, places)
        if entry.name.lower() not in taken:
            taken.add(entry.name.lower())
            added.append(entry)
    return manifest.model_copy(update={"relationships": (*manifest.relationships, *added)})


def _entry(suggestion: Suggestion, places: Mapping[PhysicalTable, _Place]) -> RelationshipEntry:
    left, right = places[suggestion.table], places[suggestion.to_table]
    here = left.columns[suggestion.column.name.lower()]
    there = right.columns[suggestion.to_column.name.lower()]
    condition = " = ".join(
        f"{_quoted(model.name)}.{_quoted(column)}" for model, column in ((left.model, here), (right.model, there))
    )
    return RelationshipEntry(
        name=f"{left.model.name}_{here}",
        models=(left.model.name, right.model.name),
        join_type=Cardinality.MANY_TO_ONE,
        condition=condition,
        properties={"inferred": True, "reason": suggestion.reason, _WEAK: True},
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


async def _with_sound_links(manifest: Manifest, engine: Engine) -> Manifest:
    """Without the guessed links whose values are not among the keys; the others say what was seen."""
    model, probe = _probe(manifest, engine)
    links = {link.name: link for link in model.relationships if link.inferred}
    kept = []
    for entry in manifest.relationships:
        link = links.get(entry.name)
        if link is None:
            kept.append(entry)
            continue
        seen = await _what_was_seen(probe, link, weak=_WEAK in entry.properties)
        if seen is not None:
            reason = {"inferred": True, "reason": f"{entry.properties.get('reason')}; {seen}"}
            kept.append(entry.model_copy(update={"properties": reason}))
    return manifest.model_copy(update={"relationships": tuple(kept)})


async def _what_was_seen(probe: ValueProbe, link: Relationship, *, weak: bool) -> str | None:
    """What the values say for a link, in words; None where they speak against it, or not for one that needs them."""
    try:
        found = await probe.found(link)
    except Refused:
        return None
    if found is None:
        return None if weak else "its values were not looked at"
    values, known = found
    if values == 0:
        return None if weak else "there are no values to look at"
    if known < values * (1 if weak else _SHARE_AMONG_KEYS):
        return None
    return f"all {values} values looked at are there" if known == values else f"{known} of {values} values are there"
