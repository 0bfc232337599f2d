"""`askwell model import`, `template`, `export` and `push`: models from and for other tools, and to a service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.local.model_format import ModelFormat
from askwell.cli.messages import give_up
from askwell.cli.model_output import (
    Force,
    Output,
    counted,
    given_to,
    refuse_what_is_there,
    summary,
    write_model,
    write_text,
)
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.csv_files.loaded import LoadedFolder
    from askwell.mdl.manifest import Manifest

_URL = "http://127.0.0.1:5555"
_INTERRUPTED = 130
_NOTES = 10


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

    refuse_what_is_there(output, force)
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
    refuse_what_is_there(target, force)
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

    refuse_what_is_there(file, force)
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
    from askwell.mdl.exporters.ossie import export_ossie

    refuse_what_is_there(output, force)
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


def push(
    file: Annotated[Path, typer.Argument(help="The semantic model, as MDL JSON.")],
    url: Annotated[str, typer.Option(help="Where the service runs.")] = _URL,
    project: Annotated[str, typer.Option(help="The project that it is a model of.")] = "default",
    as_json: Annotated[bool, typer.Option("--json", help="Print the preparation's last status on one line.")] = False,
) -> None:
    """Send a model to a running service and follow its preparation. Status 0 when it is ready, 1 when it is refused."""
    from askwell.cli.progress import Progress
    from askwell.cli.remote import push_model

    told: tuple[str, int] | None = None

    def on_event(_: str, status: Mapping[str, Any]) -> None:
        nonlocal told
        stage, done, total = _made(status)
        line = f"{stage} {done:,} of {total:,}" if total else stage
        progress.step(line)
        # Where no line can change, as in a log: each stage, and each tenth of it.
        mark = (stage, done * _NOTES // total if total else 0)
        if mark != told:
            progress.note(line)
        told = mark

    try:
        with Progress() as progress:
            label, status = push_model(url, project, file, on_event=on_event)
    except KeyboardInterrupt:
        typer.echo("Stopped looking; what was sent is prepared all the same.", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status=2 if isinstance(error, ConfigurationError) else 1)
    for warning in status.get("warnings") or ():
        typer.echo(shown(f"warning: {warning}"), err=True)
    if as_json:
        typer.echo(json.dumps({"id": label, **status}))
    if status["status"] != "finished":
        said = status.get("error") or {}
        give_up(AskwellError(shown(str(said.get("message", "The model was refused."))), str(said.get("hint") or "")))
    if not as_json:
        typer.echo(f"The model is in use for project {project} (label {label}).")


def _made(status: Mapping[str, Any]) -> tuple[str, int, int]:
    """The stage of a preparation, and how many of its parts are done; 0 of 0 where nothing is counted."""
    made = status.get("progress") or {}
    stage = str(made.get("stage") or status.get("status", ""))
    return stage, int(made.get("done") or 0), int(made.get("total") or 0)


def _tell(problems: tuple[str, ...], warnings: tuple[str, ...]) -> None:
    for name, lines in (("problem", problems), ("warning", warnings)):
        for line in lines:
            typer.echo(shown(f"{name}: {line}"), err=True)
