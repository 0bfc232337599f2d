"""The one door through which a manifest comes in: read, checked in full, every problem at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askwell.mdl.checks.calculations import check_circles
from askwell.mdl.checks.database import warnings_against
from askwell.mdl.checks.derived import check_derived
from askwell.mdl.checks.models import check_models
from askwell.mdl.checks.names import check_names
from askwell.mdl.checks.relationships import check_relationships
from askwell.mdl.checks.scope import Scope
from askwell.mdl.data_sources import SQL_DIALECTS, data_source_name, same_engine, sql_dialect
from askwell.mdl.json_source import read_json
from askwell.mdl.lookup import Lookup
from askwell.mdl.manifest import Manifest
from askwell.mdl.names import nearest_hint
from askwell.mdl.problems import AND_MORE, Findings, Problem, TooManyProblems, shown
from askwell.mdl.shape import Shaped, read_shape

__all__ = ["ManifestReading", "Problem", "read_manifest", "warnings_against"]


@dataclass(frozen=True, slots=True)
class ManifestReading:
    """`manifest` is there if and only if there are no `problems`. `warnings` never stand in its way."""

    manifest: Manifest | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def read_manifest(source: str | bytes | dict[str, Any], *, data_source: str | None = None) -> ManifestReading:
    """Read MDL JSON and check everything that can be checked without a database.

    `data_source` is the configured engine's; a manifest that names another is refused, one that names none takes it.
    Total: whatever JSON value (or text, or bytes) comes in, problems come out, never an exception. It takes about half
    a millisecond a model: call it off the event loop.
    """
    findings = Findings()
    manifest = None
    try:
        value = read_json(source, findings)
        if value is not None:
            manifest = _checked(read_shape(value, findings), findings, data_source)
    except TooManyProblems:
        findings.problems.append(AND_MORE)
    return ManifestReading(
        manifest=None if findings.problems else manifest,
        problems=tuple(findings.problems),
        warnings=tuple(findings.warnings),
    )


def _checked(shaped: Shaped, findings: Findings, data_source: str | None) -> Manifest | None:
    manifest = shaped.manifest
    if manifest is None:
        return None
    manifest = _with_data_source(manifest, findings, data_source)
    scope = Scope(
        manifest=manifest,
        lookup=Lookup(manifest),
        findings=findings,
        dialect=sql_dialect(manifest.data_source),
        broken=frozenset(shaped.broken),
        positions=shaped.positions,
    )
    for check in (check_names, check_models, check_relationships, check_circles, check_derived):
        check(scope)
    return manifest


def _with_data_source(manifest: Manifest, findings: Findings, engine: str | None) -> Manifest:
    """The manifest with its data source spelled our way; the engine's where it names none."""
    for key, text in (("catalog", manifest.catalog), ("schema", manifest.schema_name)):
        if not text.strip():
            findings.refuse("manifest", f'"{key}" is empty', "Give it a name; it is a name of the model only.")
    own = data_source_name(engine) if engine else None
    written = data_source_name(manifest.data_source) if manifest.data_source else None
    if written is None and own is None:
        findings.warn("manifest", '"dataSource" is missing, so its SQL is read as DuckDB\'s', "Name the database.")
    elif written is not None and written not in SQL_DIALECTS:
        hint = nearest_hint(written, SQL_DIALECTS)
        findings.refuse("manifest", f'"dataSource" is not one that is known ({shown(written)})', hint or "Correct it.")
    elif written is not None and own is not None and not same_engine(written, own):
        what = f'"dataSource" is {written}, but the project\'s database is {own}'
        findings.refuse("manifest", what, "Send the model to the project whose database it describes.")
    chosen = written if written in SQL_DIALECTS else own
    return manifest if chosen == manifest.data_source else manifest.model_copy(update={"data_source": chosen})
