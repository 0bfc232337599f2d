"""Semantic models from files of other tools, with their types looked up and everything checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from askwell.cli.local.given_database import GivenDatabase
from askwell.cli.local.model_check import ModelFindings, beside, checked_text
from askwell.cli.local.model_format import ModelFormat
from askwell.mdl.importers.imported import ImportedModel, complete_types


async def import_model(source: Path, kind: ModelFormat, given: GivenDatabase | None) -> ModelFindings:
    """The model in a file that is no CSV, checked as a service would, also beside a database where one is given."""
    result = _reader(kind)(source)
    if result.problems:
        return ModelFindings(None, tuple(map(str, result.problems)), tuple(map(str, result.warnings)))
    if given is None:
        assumed = complete_types(result.mdl, None, result.guesses)
        findings = checked_text(json.dumps(result.mdl), None)
    else:
        async with given.engine() as engine:
            schema = await engine.introspect()
            assumed = complete_types(result.mdl, schema, result.guesses)
            findings = beside(checked_text(json.dumps(result.mdl), engine.data_source), schema)
    warnings = (*map(str, result.warnings), *map(str, assumed), *findings.warnings)
    return ModelFindings(findings.manifest, findings.problems, warnings)


def _reader(kind: ModelFormat) -> Callable[[Path], ImportedModel]:
    match kind:
        case ModelFormat.EXCEL:
            from askwell.mdl.importers.excel import read_excel

            return read_excel
        case ModelFormat.DBT:
            from askwell.mdl.importers.dbt import read_dbt

            return read_dbt
        case _:
            from askwell.mdl.importers.ossie import read_ossie

            return read_ossie
