"""`askwell model`: write a semantic model of a database or from a file, check one, show one, send one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from askwell.cli.messages import (
    Force,
    confirm_overwriting,
    counted,
    failures_told,
    give_up,
    print_json,
    shown,
    status_of_work,
)
from askwell.cli.model_push import push
from askwell.cli.options import command_group
from askwell.cli.waiting import run
from askwell.csv_files import CSV_SUFFIXES
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say

if TYPE_CHECKING:
    from askwell.mdl.manifest import Manifest
    from askwell.mdl.validation import ManifestReading

_EXCEL = (".xlsx", ".xlsm", ".xltx", ".xls", ".xlsb", ".ods")
_YAML = (".yaml", ".yml")
# dbt writes what a manifest is into its first characters.
_START = 4_096

File = Annotated[Path, typer.Argument(help="The semantic model, as MDL JSON.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write; by default standard output.")]

app = command_group("Write, import, check, show and send semantic models.")


# What a model can be imported from.
ModelFormat = Literal["excel", "csv", "dbt", "ossie"]


def format_of(source: Path) -> ModelFormat:
    """The format of a file or folder, by its name and first characters. Raises `ConfigurationError`."""
    suffix = source.suffix.lower()
    if not (source.is_file() or source.is_dir()):
        raise ConfigurationError(*say("cli.import_source_missing", source=source))
    if source.is_dir() or suffix in CSV_SUFFIXES:
        return "csv"
    if suffix in _EXCEL:
        return "excel"
    if suffix in _YAML:
        return "ossie"
    if suffix == ".json":
        try:
            with source.open("rb") as file:
                start = file.read(_START)
        except OSError as error:
            raise ConfigurationError(
                *say("cli.file_unreadable_name_another", source=source, strerror=error.strerror)
            ) from None
        return "dbt" if b"dbt_schema_version" in start else "ossie"
    raise ConfigurationError(*say("cli.import_format_unknown", source=source))


@app.command()
def init(
    database: Annotated[
        str | None,
        typer.Option(
            help="A SQLite or DuckDB file, the URL of a database server, or env:NAME for what that variable holds."
        ),
    ] = None,
    output: Output = None,
    force: Force = False,
    excel: Annotated[Path | None, typer.Option(help="As `askwell model import` of a workbook.")] = None,
    csv: Annotated[Path | None, typer.Option(help="As `askwell model import` of a folder of CSV files.")] = None,
    dbt: Annotated[Path | None, typer.Option(help="As `askwell model import` of dbt's manifest.json.")] = None,
    template: Annotated[Path | None, typer.Option(help="As `askwell model template`.")] = None,
) -> None:
    """Write a model of a database: its tables, keys and foreign keys, and links that its names and values suggest."""
    sources: dict[ModelFormat, Path | None] = {"excel": excel, "csv": csv, "dbt": dbt}
    named = [(kind, path) for kind, path in sources.items() if path is not None]
    with failures_told():
        if len(named) + (template is not None) > 1 or (template is not None and database is not None):
            raise ConfigurationError(*say("cli.model_sources"))
        if template is not None:
            write_template(template, force=force)
        elif named:
            kind, path = named[0]
            import_(path, kind, database, output, force=force)
        elif database is None:
            raise ConfigurationError(*say("cli.model_no_source"))
        else:
            _init_from_database(database, output, force=force)


def _init_from_database(database: str, output: Path | None, *, force: bool) -> None:
    from askwell.cli.model_files import database_of, draft
    from askwell.mdl.problems import shown as in_one_line

    def told(view: str) -> None:
        typer.echo(f"warning: the view {in_one_line(view, 200)} cannot be read, and is left out.", err=True)

    confirm_overwriting(output, force=force)
    given = database_of(database)
    _write_model(run(draft(given, told), lambda _: 1), output)


@app.command("import")
def import_(
    source: Annotated[
        Path, typer.Argument(help="An Excel workbook, a folder of CSV files, dbt's manifest.json, or an Ossie file.")
    ],
    kind: Annotated[
        ModelFormat | None,
        typer.Option(
            "--format", help="The format of the source: excel, csv, dbt or ossie; by default its name decides."
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="Take types from this database and check names with it; for CSV files, the DuckDB file to write."
        ),
    ] = None,
    output: Output = None,
    force: Force = False,
    encoding: Annotated[
        str | None,
        typer.Option(help="The encoding of CSV files that are not UTF-8; by default Windows-1252, with a warning."),
    ] = None,
) -> None:
    """Write a model from a file of another tool: Excel, CSV, dbt or Ossie. Status 1 when it has problems, all of which
    are listed."""
    confirm_overwriting(output, force=force)
    with failures_told(status_of_work):
        chosen = kind or format_of(source)
        if chosen == "csv":
            _import_csv(source, database, output, force=force, encoding=encoding)
        else:
            from askwell.cli.model_files import database_of, import_model

            given = database_of(database) if database is not None else None
            findings = asyncio.run(import_model(source, chosen, given))
            _tell(findings.problems, findings.warnings)
            if findings.manifest is None:
                problems = counted(len(findings.problems), "problem")
                raise AskwellError(*say("cli.no_model_written", problems=problems))
            _write_model(findings.manifest, output)


def _import_csv(source: Path, database: str | None, output: Path | None, *, force: bool, encoding: str | None) -> None:
    """Load a folder of CSV files into a DuckDB file, and write a model of it."""
    from askwell.cli.model_files import draft_csv
    from askwell.csv_files.reading import load_csv_folder

    if not source.exists():
        raise ConfigurationError(*say("cli.csv_folder_missing", source=source))
    if database is not None and ("://" in database or database.startswith("env:")):
        # It may hold a password: it is not repeated.
        raise ConfigurationError(*say("cli.csv_to_server"))
    target = Path(database) if database is not None else Path(f"{source.resolve().stem or 'tables'}.duckdb")
    confirm_overwriting(target, force=force)
    loaded = load_csv_folder(source, target, encoding)
    _tell(loaded.problems, loaded.warnings)
    if loaded.problems:
        problems = counted(len(loaded.problems), "problem")
        raise AskwellError(*say("cli.nothing_written", problems=problems))
    _write_model(asyncio.run(draft_csv(target, loaded)), output, f" The rows are in {target}.")


@app.command("template")
def write_template(
    file: Annotated[Path, typer.Argument(help="The workbook to write.")],
    force: Force = False,
) -> None:
    """Write an Excel workbook to fill in, with an example that `askwell model import` reads as it is."""
    from askwell.mdl.importers import workbook

    confirm_overwriting(file, force=force)
    with failures_told():
        workbook.write_template(file)
    typer.echo(f"Describe your tables in {file}, then run: askwell model import {file} -o model.json", err=True)


app.command()(push)


@app.command()
def check(
    file: File,
    database: Annotated[
        str | None,
        typer.Option(help="Also check that its tables and columns are in this database: a file, a URL or env:NAME."),
    ] = None,
) -> None:
    """Check a model and list every problem. Status 0 when it can be used, 1 when it cannot."""
    findings = _checked(file, database)
    _tell(findings.problems, findings.warnings, err=False)
    problems, warnings = len(findings.problems), len(findings.warnings)
    verdict = "cannot be used" if problems else "can be used"
    typer.echo(f"{file} {verdict}: {counted(problems, 'problem')}, {counted(warnings, 'warning')}.")
    raise typer.Exit(1 if problems else 0)


@app.command()
def show(
    file: File,
    tables: Annotated[list[str] | None, typer.Argument(help="Only these tables, and what they belong to.")] = None,
) -> None:
    """Show a model: its tables, its relationships, and the text that language models read, which is left out where
    there are many tables and none is named."""
    from askwell.cli.model_files import show_model

    with failures_told():
        findings = _checked(file)
        if findings.manifest is None:
            _tell(findings.problems, ())
            give_up(AskwellError(*say("cli.model_unusable", file=file)))
        show_model(findings.manifest, tables or ())


def _checked(file: Path, database: str | None = None) -> ManifestReading:
    """What is to be said of the model in a file; ends the command where it or the database cannot be read."""
    from askwell.cli.local.database import read_model_file
    from askwell.cli.model_files import check_model, database_of

    async def checked() -> ManifestReading:
        given = database_of(database) if database is not None else None
        return await check_model(read_model_file(file), given)

    return run(checked(), status_of_work)


def _tell(problems: Iterable[object], warnings: Iterable[object], *, err: bool = True) -> None:
    for name, lines in (("problem", problems), ("warning", warnings)):
        for line in lines:
            typer.echo(shown(f"{name}: {line}"), err=err)


def _write_model(manifest: Manifest, output: Path | None, more: str = "") -> None:
    """Write the model as JSON into the file, or on standard output; and on standard error how much it holds, how much
    of that was inferred, where it is, and `more`."""
    if output is None:
        print_json(_written(manifest), indent=2)
    else:
        _write_text(json.dumps(_written(manifest), indent=2, ensure_ascii=False) + "\n", output)
    inferred = sum(1 for entry in manifest.relationships if entry.properties.get("inferred"))
    keys = sum(1 for model in manifest.models if model.properties.get("inferredKey"))
    counts = f"{counted(len(manifest.models), 'model')} and {counted(len(manifest.relationships), 'relationship')}"
    guessed = f", {inferred} of these and {counted(keys, 'key')} inferred" if inferred or keys else ""
    where = f" in {output}" if output else ""
    typer.echo(f"{counts}{guessed}{where}.{more}", err=True)


def _write_text(text: str, output: Path | None) -> None:
    """Write the text into the file, or on standard output; ends the command where it cannot be written."""
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        give_up(ConfigurationError(*say("cli.model_not_writable", output=output, strerror=error.strerror)), status=2)


def _written(manifest: Manifest) -> dict[str, Any]:
    """The manifest's JSON; a key of one column is a name, as people and other programs write it."""
    mdl = manifest.wire()
    for model in mdl["models"]:
        if len(key := model.get("primaryKey", ())) == 1:
            model["primaryKey"] = key[0]
    return mdl
