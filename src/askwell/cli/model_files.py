"""`askwell model import`, `template` and `export`: models from and for other tools."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askwell.cli.local.model_format import ModelFormat
from askwell.cli.messages import Force, confirm_overwriting, give_up
from askwell.cli.model_output import (
    Output,
    counted,
    given_to,
    summary,
    write_model,
    write_text,
)
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.csv_files.loaded import LoadedFolder
    from askwell.mdl.manifest import Manifest


class ExportFormat(StrEnum):
    """What a model can be exported to."""

    OSSIE = "ossie"


def import_(
    source: Annotated[
        Path, typer.Argument(help="An Excel workbook, a folder of CSV files, dbt's manifest.json, or an Ossie file.")
    ],
    kind: Annotated[
        ModelFormat | None, typer.Option("--format", help="What it is; without it, told by its name.")
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="Take types from this database, and check names with it; for CSV, the DuckDB file to write."),
    ] = None,
    output: Output = None,
    force: Force = False,
    encoding: Annotated[
        str | None, typer.Option(help="The encoding of CSV files that are not UTF-8; without it, windows-1252.")
    ] = None,
) -> None:
    """Write a model from a file of another tool: Excel, CSV, dbt or Ossie. Status 1 when it has problems, all of which
    are listed."""
    from askwell.cli.local.model_format import format_of

    confirm_overwriting(output, force=force)
    try:
        chosen = kind or format_of(source)
        if chosen is ModelFormat.CSV:
            import_csv(source, database, output, force=force, encoding=encoding)
        else:
            import_file(source, chosen, database, output)
    except AskwellError as error:
        give_up(error, status=2 if isinstance(error, ConfigurationError) else 1)


def import_file(source: Path, kind: ModelFormat, database: str | None, output: Path | None) -> None:
    """Import a file that is no CSV, and write its model."""
    from askwell.cli.local.model_import import import_model

    given = given_to(database) if database is not None else None
    findings = asyncio.run(import_model(source, kind, given))
    _tell(findings.problems, findings.warnings)
    if findings.manifest is None:
        give_up(
            AskwellError(f"No model was written: {counted(len(findings.problems), 'problem')}.", "Correct them first.")
        )
    write_model(findings.manifest, output)
    typer.echo(summary(findings.manifest, output), err=True)


def import_csv(source: Path, database: str | None, output: Path | None, *, force: bool, encoding: str | None) -> None:
    """Load a folder of CSV files into a DuckDB file, and write a model of it."""
    from askwell.csv_files.folder import load_csv_folder

    if not source.exists():
        raise ConfigurationError(f"There is no {source}.", "Name a folder of CSV files.")
    if database is not None and ("://" in database or database.startswith("env:")):
        # It may hold a password: it is not repeated.
        raise ConfigurationError("CSV files go into a DuckDB file, not to a server.", "Name a file with --database.")
    target = Path(database) if database is not None else Path(f"{source.resolve().stem or 'tables'}.duckdb")
    confirm_overwriting(target, force=force)
    loaded = load_csv_folder(source, target, encoding)
    _tell(tuple(map(str, loaded.problems)), tuple(map(str, loaded.warnings)))
    if loaded.problems:
        give_up(
            AskwellError(
                f"Nothing was written: {counted(len(loaded.problems), 'problem')}.", "Correct the files first."
            )
        )
    manifest = asyncio.run(_csv_model(target, loaded))
    write_model(manifest, output)
    typer.echo(f"{summary(manifest, output)} The rows are in {target}.", err=True)


async def _csv_model(database: Path, loaded: LoadedFolder) -> Manifest:
    from askwell.services.csv_drafting import draft_csv_model

    async with given_to(str(database)).engine() as engine:
        return await draft_csv_model(engine, loaded)


def template(
    file: Annotated[Path, typer.Argument(help="The workbook to write.")],
    force: Force = False,
) -> None:
    """Write an Excel workbook to fill in, with an example that `askwell model import` reads as it is."""
    from askwell.mdl.importers.workbook_template import write_template

    confirm_overwriting(file, force=force)
    try:
        write_template(file)
    except ConfigurationError as error:
        give_up(error, status=2)
    typer.echo(f"Describe your tables in {file}, then run: askwell model import {file} -o model.json", err=True)


def export(
    file: Annotated[Path, typer.Argument(help="The semantic model, as MDL JSON.")],
    kind: Annotated[ExportFormat, typer.Option("--format", help="What to write.")] = ExportFormat.OSSIE,
    output: Output = None,
    force: Force = False,
) -> None:
    """Write a model for other tools, as Apache Ossie (Open Semantic Interchange). Warnings say what they do not see."""
    from askwell.cli.local.model_check import checked
    from askwell.cli.local.model_file import read_model_file
    from askwell.mdl.ossie_export import export_ossie

    confirm_overwriting(output, force=force)
    try:
        findings = asyncio.run(checked(read_model_file(file), None))
    except AskwellError as error:
        give_up(error, status=2 if isinstance(error, ConfigurationError) else 1)
    if findings.manifest is None:
        _tell(findings.problems, ())
        give_up(AskwellError(f"{file} is no model that can be exported.", "Correct its problems."))
    exported = export_ossie(findings.manifest)
    _tell((), tuple(map(str, exported.warnings)))
    write_text(exported.yaml(), output)


def _tell(problems: tuple[str, ...], warnings: tuple[str, ...]) -> None:
    for name, lines in (("problem", problems), ("warning", warnings)):
        for line in lines:
            typer.echo(shown(f"{name}: {line}"), err=True)
