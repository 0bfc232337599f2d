"""Everything that is wrong with a semantic model, alone or beside its database."""

from __future__ import annotations

from dataclasses import dataclass

from askwell.cli.local.given_database import GivenDatabase
from askwell.mdl.data_sources import sql_dialect
from askwell.mdl.manifest import Manifest
from askwell.mdl.validation import read_manifest, warnings_against
from askwell.providers.engine.base import PhysicalSchema
from askwell.sql.planner import unsafe_parts


@dataclass(frozen=True, slots=True)
class ModelFindings:
    """`problems` keep a model from being used, `warnings` do not; `manifest` is there when there are no problems."""

    manifest: Manifest | None
    problems: tuple[str, ...]
    warnings: tuple[str, ...]


async def checked(text: str, given: GivenDatabase | None) -> ModelFindings:
    """What a service would say of the model. Beside a database, tables and columns that are not there are problems.
    Raises `EngineUnavailable` where the database cannot be used."""
    if given is None:
        return checked_text(text, None)
    async with given.engine() as engine:
        findings = checked_text(text, engine.data_source)
        return beside(findings, await engine.introspect()) if findings.manifest is not None else findings


def beside(findings: ModelFindings, schema: PhysicalSchema) -> ModelFindings:
    """The findings with what the database lacks, as problems."""
    if findings.manifest is None:
        return findings
    missing = tuple(str(line) for line in warnings_against(findings.manifest, schema))
    return ModelFindings(None if missing else findings.manifest, missing, findings.warnings)


def checked_text(text: str, data_source: str | None) -> ModelFindings:
    """What a service whose database is of that kind would say of the model."""
    reading = read_manifest(text, data_source=data_source)
    problems = reading.problems
    if reading.manifest is not None:
        problems = unsafe_parts(reading.manifest, sql_dialect(reading.manifest.data_source))
    manifest = None if problems else reading.manifest
    return ModelFindings(manifest, tuple(map(str, problems)), tuple(map(str, reading.warnings)))
