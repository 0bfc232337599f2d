"""Semantic models in files: read, imported, checked, drafted from a database, and shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from askwell.cli.answer import console_for_output, show_sql
from askwell.cli.local.database import GivenDatabase, given_database
from askwell.cli.messages import shown
from askwell.cli.model import ModelFormat
from askwell.errors import ConfigurationError
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.importers.imported import ImportedModel, complete_types
from askwell.mdl.manifest import Manifest, RelationshipEntry, content_hash
from askwell.mdl.names import nearest_hint
from askwell.mdl.prompt_schema import model_ddl
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.semantic_model import Table as SemanticTable
from askwell.mdl.validation import ManifestReading, read_manifest, warnings_against
from askwell.mdl.view import authorised_view
from askwell.observability.logging import configure_logging
from askwell.providers.engine.base import PhysicalSchema
from askwell.sql.planner import unsafe_parts

if TYPE_CHECKING:
    from askwell.csv_files.loaded import LoadedFolder


def database_of(written: str) -> GivenDatabase:
    """The database that a command was given. Raises `ConfigurationError`."""
    configure_logging("error", as_json=False)
    return given_database(written)


async def draft(given: GivenDatabase, on_unreadable: Callable[[str], None]) -> Manifest:
    """The model that a database's declarations, names and values suggest. Views that cannot be read are left out, and
    handed to `on_unreadable`."""
    from askwell.services.model_drafting import draft_model

    async with given.engine() as engine:
        schema = await engine.introspect()
        for view in schema.unreadable:
            on_unreadable(view)
        return await draft_model(schema, engine)


async def draft_csv(database: Path, loaded: LoadedFolder) -> Manifest:
    """The model of CSV files that are in a DuckDB file."""
    from askwell.services.csv_drafting import draft_csv_model

    async with database_of(str(database)).engine() as engine:
        return await draft_csv_model(engine, loaded)


async def check_model(text: str, given: GivenDatabase | None = None) -> ManifestReading:
    """What a service would say of the model. Beside a database, tables and columns that are not there are problems.
    Raises `EngineUnavailable` where the database cannot be used."""
    if given is None:
        return _check_text(text, None)
    async with given.engine() as engine:
        findings = _check_text(text, engine.data_source)
        return _check_beside(findings, await engine.introspect()) if findings.manifest is not None else findings


def _check_beside(findings: ManifestReading, schema: PhysicalSchema) -> ManifestReading:
    """The findings with what the database lacks, as problems."""
    if findings.manifest is None:
        return findings
    missing = warnings_against(findings.manifest, schema)
    return ManifestReading(None if missing else findings.manifest, missing, findings.warnings)


def _check_text(text: str, data_source: str | None) -> ManifestReading:
    """What a service whose database is of that kind would say of the model."""
    reading = read_manifest(text, data_source=data_source)
    problems = reading.problems
    if reading.manifest is not None:
        problems = unsafe_parts(reading.manifest, sql_dialect(reading.manifest.data_source))
    manifest = None if problems else reading.manifest
    return ManifestReading(manifest, problems, reading.warnings)


async def import_model(source: Path, kind: ModelFormat, given: GivenDatabase | None) -> ManifestReading:
    """The model in a file that is no CSV, checked as a service would, also beside a database where one is given."""
    result = _reader(kind)(source)
    if result.problems:
        return ManifestReading(None, result.problems, result.warnings)
    if given is None:
        assumed = complete_types(result.mdl, None, result.guesses)
        findings = _check_text(json.dumps(result.mdl), None)
    else:
        async with given.engine() as engine:
            schema = await engine.introspect()
            assumed = complete_types(result.mdl, schema, result.guesses)
            findings = _check_beside(_check_text(json.dumps(result.mdl), engine.data_source), schema)
    warnings = (*result.warnings, *assumed, *findings.warnings)
    return ManifestReading(findings.manifest, findings.problems, warnings)


def _reader(kind: ModelFormat) -> Callable[[Path], ImportedModel]:
    match kind:
        case "excel":
            from askwell.mdl.importers.excel import read_excel

            return read_excel
        case "dbt":
            from askwell.mdl.importers.dbt import read_dbt

            return read_dbt
        case _:
            from askwell.mdl.importers.ossie import read_ossie

            return read_ossie


# Of more tables than these the text is only shown where they are named.
_SHOWN_WHOLE = 30


def show_model(manifest: Manifest, names: Collection[str] = ()) -> None:
    """Print what can be asked about: the tables, how they belong together, and the model's text; with `names` only of
    these tables. Raises `ConfigurationError` for a name that is none."""
    model = authorised_view(manifest, content_hash(manifest))
    chosen = [_chosen(model, name) for name in names] or list(model)
    own = {table.name for table in chosen}
    console = console_for_output()
    _show_tables(console, manifest, chosen)
    if links := [entry for entry in manifest.relationships if own & set(entry.models)]:
        _show_relationships(console, links)
    if names or len(chosen) <= _SHOWN_WHOLE:
        show_sql(console, model_ddl(model, own))
    else:
        console.print(
            Text(f"The text of {len(chosen)} tables is left out; add the names of tables to see theirs."),
            soft_wrap=True,
        )


def _chosen(model: SemanticModel, name: str) -> SemanticTable:
    table = model.table(name)
    if table is None:
        hint = nearest_hint(name, (one.name for one in model)) or "Without a name, all tables are listed."
        raise ConfigurationError(f"The model has no table {name}.", hint)
    return table


def _show_tables(console: Console, manifest: Manifest, tables: Iterable[SemanticTable]) -> None:
    guessed = {entry.name for entry in manifest.models if entry.properties.get("inferredKey") is True}
    table = Table(box=box.SIMPLE)
    for heading in ("table", "kind", "columns", "key", "called", "description"):
        table.add_column(heading, justify="right" if heading == "columns" else "left")
    for one in tables:
        key = ", ".join(one.primary_key) + (" (inferred)" if one.name in guessed else "")
        cells = (one.name, one.kind.value, str(len(one.columns)), key, one.display_name or "", one.description or "")
        table.add_row(*(Text(shown(cell, lines=False)) for cell in cells))
    console.print(table)


def _show_relationships(console: Console, relationships: Iterable[RelationshipEntry]) -> None:
    table = Table(box=box.SIMPLE)
    for heading in ("relationship", "kind", "condition", "from"):
        table.add_column(heading)
    for entry in relationships:
        inferred = entry.properties.get("inferred") is True
        origin = f"inferred: {entry.properties.get('reason', '')}" if inferred else "declared"
        cells = (entry.name, entry.join_type, entry.condition, origin)
        table.add_row(*(Text(shown(cell, lines=False)) for cell in cells))
    console.print(table)
