"""A semantic model of a database that nobody has described: what it declares, and what its names and values suggest.

A guess is looked at before it is taken: a key has to tell all rows apart, and the values of a link have to be among the
keys that it leads to. What was guessed says so in its properties (`inferred` or `inferredKey`, and `reason`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence

from askwell import __version__
from askwell.errors import InvalidRequest
from askwell.mdl.abbreviations import SchemaWords, ending_written_out, written_out
from askwell.mdl.comment_codes import MOST_CODES, code_tables, coded_columns, codes_of_column, with_value_names
from askwell.mdl.importers.introspected import declared_manifest, with_links
from askwell.mdl.links import without_ending, without_prefix
from askwell.mdl.manifest import Manifest, content_hash
from askwell.mdl.names import readable
from askwell.mdl.semantic_model import ColumnRef, SemanticModel, Table
from askwell.mdl.types import TypeFamily, type_family
from askwell.mdl.view import authorised_view
from askwell.messages import say
from askwell.providers.engine.base import Engine, PhysicalSchema
from askwell.question.short_names import noun_for
from askwell.services.drafted_measures import with_measures
from askwell.services.link_evidence import infer_links
from askwell.services.value_probe import ValueProbe
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner

# Rows of a table of codes that are read.
_MOST_LISTED = 1_000


def schema_fingerprint(schema: PhysicalSchema, data_source: str) -> str:
    """The same as long as this version would draft the same model, but for the values that it looks at."""
    return hashlib.sha256(f"{__version__} {data_source} {schema!r}".encode(errors="replace")).hexdigest()


async def draft_model(
    schema: PhysicalSchema, engine: Engine, names: Mapping[tuple[str, ...], str] | None = None
) -> Manifest:
    """The model of an introspected database; `names` as `declared_manifest` takes them. Looking at values takes
    seconds at most, and what cannot be looked at in time stands on its names where these are telling. Raises
    `InvalidRequest` where there is nothing to ask about."""
    if not schema.tables:
        raise InvalidRequest(*say("drafting.no_tables"))
    manifest = declared_manifest(schema, data_source=engine.data_source, names=names)
    if not manifest.models:
        raise InvalidRequest(*say("drafting.no_askable_table"))
    model = authorised_view(manifest, content_hash(manifest))
    names = {**spoken_names(list(model)), **(names or {})}
    manifest = declared_manifest(schema, data_source=engine.data_source, names=names)
    probe = ValueProbe(model, SqlChecker(model, Planner(model, manifest, engine.dialect), engine))
    views = {entry.name for entry in manifest.models if entry.properties.get("is_view")}
    found = await infer_links(model, probe, views=views)
    held = {ref: await probe.values(*ref, MOST_CODES) for ref, _ in coded_columns(manifest)}
    listed = await _listed_codes(model, probe)
    held |= {ref: seen for ref, (seen, _) in listed.items()}
    manifest = with_value_names(manifest, held, {ref: codes for ref, (_, codes) in listed.items()})
    linked = with_links(_with_keys(manifest, found.keys), found.links)
    return await asyncio.to_thread(with_measures, linked)  # a second for 800 tables


async def _listed_codes(
    model: SemanticModel, probe: ValueProbe
) -> Mapping[ColumnRef, tuple[tuple[str, ...], Mapping[str, str]]]:
    """The columns whose codes a table of codes lists, each with what it holds and what that means."""
    found: dict[ColumnRef, tuple[tuple[str, ...], Mapping[str, str]]] = {}
    for listing in code_tables(model):
        codes: dict[str, dict[str, str]] = {}
        for kind, code, meaning in await probe.rows(listing.name, listing.columns, _MOST_LISTED):
            codes.setdefault(str(kind), {})[str(code).strip()] = str(meaning)
        others = ((table, column) for table in model if table.name != listing.name for column in table.columns)
        for table, column in others if len(codes) > 1 else ():
            if type_family(column.type) is TypeFamily.TEXT:
                seen = await probe.values(table.name, column.name, MOST_CODES)
                if known := codes_of_column(column.name, seen, codes):
                    found[ColumnRef(table.name, column.name)] = (seen, known)
    return found


def spoken_names(tables: Sequence[Table]) -> dict[tuple[str, ...], str]:
    """What tables and columns are called, by their names in lower case: "Complaint" for `tblCMPLNT`."""
    of = SchemaWords(tables).of
    found: dict[tuple[str, ...], tuple[str, ...]]
    found = {(table.name.lower(),): without_ending(without_prefix(of(table.name))) for table in tables}
    found |= {(table.name.lower(), one.name.lower()): of(one.name) for table in tables for one in table.columns}
    whole = {key: " ".join(written_out(list(map(noun_for, words)))) for key, words in found.items()}
    return {key: readable(ending_written_out(name)) for key, name in whole.items()}


def _with_keys(manifest: Manifest, keys: Mapping[str, str]) -> Manifest:
    reason = {"inferredKey": True, "reason": "the database declares no key; the values of this column are unique"}
    models = tuple(
        model.model_copy(update={"primary_key": (keys[model.name],), "properties": {**model.properties, **reason}})
        if model.name in keys
        else model
        for model in manifest.models
    )
    return manifest.model_copy(update={"models": models})
