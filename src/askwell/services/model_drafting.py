"""A semantic model of a database that nobody has described: what it declares, and what its names and values suggest.

A guess is looked at before it is taken: a key has to tell all rows apart, and the values of a link have to be among the
keys that it leads to. What was guessed says so in its properties (`inferred` or `inferredKey`, and `reason`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace

from askwell import __version__
from askwell.errors import InvalidRequest
from askwell.mdl.importers import manifest_from_schema
from askwell.mdl.manifest import Manifest, Model, ModelColumn, content_hash
from askwell.mdl.names import singular, words
from askwell.mdl.semantic_model import Relationship, SemanticModel
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine, PhysicalColumn, PhysicalSchema, PhysicalTable
from askwell.services.value_probe import Refused, ValueProbe
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner

# Real data has some orphans; a link by mistake has many.
_SHARE_AMONG_KEYS = 0.9
_KEY_WORDS = frozenset({"id", "key", "code", "no", "nr", "number", "uuid", "guid"})
_KEY_FAMILIES = (TypeFamily.NUMBER, TypeFamily.TEXT, TypeFamily.UNKNOWN)


def schema_fingerprint(schema: PhysicalSchema, data_source: str) -> str:
    """The same as long as the same version would draft the same model, but for the values that it looks at."""
    return hashlib.sha256(f"{__version__} {data_source} {schema!r}".encode(errors="replace")).hexdigest()


async def draft_model(schema: PhysicalSchema, engine: Engine) -> Manifest:
    """The model of an introspected database. Looking at values takes seconds at most, and what cannot be looked at in
    time stands on its names alone. Raises `InvalidRequest` where there is nothing to ask about."""
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
        known = PhysicalSchema(
            tuple(replace(table, primary_key=keys.get(table, table.primary_key)) for table in schema.tables)
        )
        manifest = _with_marked_keys(manifest_from_schema(known, data_source=engine.data_source), keys)
    return await _with_sound_links(manifest, engine)


def _probe(manifest: Manifest, engine: Engine) -> tuple[SemanticModel, ValueProbe]:
    model = authorised_view(manifest, content_hash(manifest))
    return model, ValueProbe(model, SqlChecker(model, Planner(model, manifest, engine.dialect), engine))


# -- keys that are not declared -------------------------------------------------------------------------------------


async def _guessed_keys(
    schema: PhysicalSchema, manifest: Manifest, engine: Engine
) -> dict[PhysicalTable, tuple[str, ...]]:
    """A key for each base table that declares none: a column named like one that tells all its rows apart."""
    without = [table for table in schema.tables if not table.primary_key and not table.is_view]
    if not without:
        return {}
    names = {_place(model): model for model in manifest.models}
    stems = {_stem(words(table.name)) for table in schema.tables}
    _, probe = _probe(manifest, engine)
    keys: dict[PhysicalTable, tuple[str, ...]] = {}
    for table in without:
        model = names.get((table.schema, table.name))
        if model is None:
            continue
        for column in _like_a_key(table, stems):
            if await _is_key(probe, model, column):
                keys[table] = (column.name,)
                break
    return keys


def _like_a_key(table: PhysicalTable, stems: set[tuple[str, ...]]) -> Iterator[PhysicalColumn]:
    """`id`, or the table's own name and a word for a key: `customer_id` of customers or of raw_customers, but not
    `item_id` of order_items where there are items."""
    own = _stem(words(table.name))
    for column in table.columns:
        parts = words(column.name)
        if not parts or parts[-1] not in _KEY_WORDS or type_family(column.type) not in _KEY_FAMILIES:
            continue
        stem = _stem(parts[:-1])
        of_another = stem != own and stem in stems
        if parts == ("id",) or (stem and own[-len(stem) :] == stem and not of_another):
            yield column


async def _is_key(probe: ValueProbe, model: Model, column: PhysicalColumn) -> bool:
    for written in model.columns:
        if _physical_name(written).lower() == column.name.lower():
            try:
                return await probe.tells_rows_apart(model.name, written.name) is True
            except Refused:
                return False
    return False


def _with_marked_keys(manifest: Manifest, keys: Mapping[PhysicalTable, tuple[str, ...]]) -> Manifest:
    guessed = {(table.schema, table.name) for table in keys}
    reason = {"inferredKey": True, "reason": "the database declares no key; this column tells all rows apart"}
    models = tuple(
        model.model_copy(update={"properties": {**model.properties, **reason}}) if _place(model) in guessed else model
        for model in manifest.models
    )
    return manifest.model_copy(update={"models": models})


def _place(model: Model) -> tuple[str | None, str]:
    reference = model.table_reference
    return (reference.schema_name, reference.table) if reference else (None, "")


def _physical_name(column: ModelColumn) -> str:
    """The database's name of an imported column: its expression is that name, quoted."""
    return column.expression[1:-1].replace('""', '"') if column.expression else column.name


def _stem(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(singular(word) for word in parts)


# -- links that are not declared ------------------------------------------------------------------------------------


async def _with_sound_links(manifest: Manifest, engine: Engine) -> Manifest:
    """Without the guessed links whose values are not among the keys; the others say what was seen."""
    model, probe = _probe(manifest, engine)
    links = {link.name: link for link in model.relationships if link.inferred}
    kept = []
    for entry in manifest.relationships:
        link = links.get(entry.name)
        reason = str(entry.properties.get("reason", ""))
        seen = await _what_was_seen(probe, link) if link else ""
        if seen is not None:
            properties = {**entry.properties, "reason": f"{reason}; {seen}"} if link else entry.properties
            kept.append(entry.model_copy(update={"properties": properties}) if link else entry)
    return manifest.model_copy(update={"relationships": tuple(kept)})


async def _what_was_seen(probe: ValueProbe, link: Relationship) -> str | None:
    """What the values say for a link, in words; None where they speak against it."""
    try:
        found = await probe.found(link)
    except Refused:
        return None
    if found is None:
        return "its values were not looked at"
    values, known = found
    if values == 0:
        return "there are no values to look at"
    if known < values * _SHARE_AMONG_KEYS:
        return None
    return f"all {values} values looked at are there" if known == values else f"{known} of {values} values are there"
