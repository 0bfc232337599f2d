"""`askwell model`: write a semantic model of a database or from a file, check one, show one, send one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from askwell.cli import model_files, model_push
from askwell.cli.local.model_format import ModelFormat
from askwell.cli.messages import Force, confirm_overwriting, give_up
from askwell.cli.model_output import (
    Output,
    counted,
    drafted,
    given_to,
    summary,
    write_model,
)
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError, ConfigurationError

app = typer.Typer(
    help="Write, import, check, show and send semantic models.", no_args_is_help=True, add_completion=False
)

File = Annotated[Path, typer.Argument(help="The semantic model, as MDL JSON.")]


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
    sources = {ModelFormat.EXCEL: excel, ModelFormat.CSV: csv, ModelFormat.DBT: dbt}
    named = [(kind, path) for kind, path in sources.items() if path is not None]
    if len(named) + (template is not None) > 1 or (template is not None and database is not None):
        hint = "Name one of --excel, --csv, --dbt and --template."
        give_up(ConfigurationError("More than one thing to start from is named.", hint), status=2)
    if template is not None:
        model_files.template(template, force=force)
    elif named:
        kind, path = named[0]
        model_files.import_(path, kind, database, output, force=force)
    elif database is None:
        hint = "Name a database with --database, or a file with --excel, --csv or --dbt."
        give_up(ConfigurationError("There is nothing to make a model of.", hint), status=2)
    else:
        _init_from_database(database, output, force=force)


def _init_from_database(database: str, output: Path | None, *, force: bool) -> None:
    confirm_overwriting(output, force=force)
    given = given_to(database)
    try:
        manifest = asyncio.run(drafted(given))
    except AskwellError as error:
        give_up(error)
    write_model(manifest, output)
    typer.echo(summary(manifest, output), err=True)


app.command("import")(model_files.import_)
app.command()(model_files.template)
app.command()(model_files.export)
app.command()(model_push.push)


@app.command()
def check(
    file: File,
    database: Annotated[
        str | None, typer.Option(help="Whether its tables and columns are in this database: a file, a URL or env:NAME.")
    ] = None,
) -> None:
    """Check a model and list every problem. Status 0 when it can be used, 1 when it cannot."""
    from askwell.cli.local.model_check import checked

    given = given_to(database) if database is not None else None
    try:
        from askwell.cli.local.model_file import read_model_file

        findings = asyncio.run(checked(read_model_file(file), given))
    except AskwellError as error:
        give_up(error, status=2 if isinstance(error, ConfigurationError) else 1)
    for name, lines in (("problem", findings.problems), ("warning", findings.warnings)):
        for line in lines:
            typer.echo(shown(f"{name}: {line}"))
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
    from askwell.cli.local.model_check import checked
    from askwell.cli.local.model_file import read_model_file

    try:
        findings = asyncio.run(checked(read_model_file(file), None))
    except AskwellError as error:
        give_up(error, status=2 if isinstance(error, ConfigurationError) else 1)
    if findings.manifest is None:
        for line in findings.problems:
            typer.echo(shown(f"problem: {line}"), err=True)
        give_up(AskwellError(f"{file} is no model that can be shown.", "Correct its problems."))
    from askwell.cli.local.model_display import show_model

    try:
        show_model(findings.manifest, tables or ())
    except ConfigurationError as error:
        give_up(error, status=2)
