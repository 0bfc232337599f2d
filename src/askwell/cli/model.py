"""`askwell model`: write a semantic model of a database, check one, show one."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import give_up, print_json
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.cli.local.given_database import GivenDatabase
    from askwell.mdl.manifest import Manifest

app = typer.Typer(help="Write, check and show semantic models.", no_args_is_help=True, add_completion=False)

Database = Annotated[
    str,
    typer.Option(
        help="A SQLite or DuckDB file, the URL of a database server, or env:NAME for what that variable holds."
    ),
]
File = Annotated[Path, typer.Argument(help="The semantic model, as MDL JSON.")]


@app.command()
def init(
    database: Database,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file; without it, standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a model of a database: its tables, keys and foreign keys, and links that its names and values suggest."""
    if output is not None and output.exists() and not force:
        give_up(ConfigurationError(f"{output} is there already.", "Name another file, or use --force."), status=2)
    given = _given(database)
    try:
        manifest = asyncio.run(_drafted(given))
    except AskwellError as error:
        give_up(error)
    if output is None:
        print_json(_written(manifest), indent=2)
    else:
        _write(output, json.dumps(_written(manifest), indent=2, ensure_ascii=False) + "\n")
    typer.echo(_summary(manifest, output), err=True)


@app.command()
def check(
    file: File,
    database: Annotated[
        str | None, typer.Option(help="Whether its tables and columns are in this database: a file, a URL or env:NAME.")
    ] = None,
) -> None:
    """Check a model and list every problem. Status 0 when it can be used, 1 when it cannot."""
    from askwell.cli.local.model_check import checked

    given = _given(database) if database is not None else None
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
    typer.echo(f"{file} {verdict}: {_counted(problems, 'problem')}, {_counted(warnings, 'warning')}.")
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


def _given(database: str) -> GivenDatabase:
    from askwell.cli.local.given_database import given_database
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    try:
        return given_database(database, os.environ)
    except AskwellError as error:
        give_up(error, status=2)


async def _drafted(given: GivenDatabase) -> Manifest:
    from askwell.services.model_drafting import draft_model

    async with given.engine() as engine:
        return await draft_model(await engine.introspect(), engine)


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        give_up(ConfigurationError(f"{output} cannot be written: {error.strerror}.", "Name another file."), status=2)


def _written(manifest: Manifest) -> dict[str, Any]:
    """The manifest's JSON; a key of one column is a name, as people and other programs write it."""
    mdl = manifest.wire()
    for model in mdl["models"]:
        if len(key := model.get("primaryKey", ())) == 1:
            model["primaryKey"] = key[0]
    return mdl


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _summary(manifest: Manifest, output: Path | None) -> str:
    inferred = sum(1 for entry in manifest.relationships if entry.properties.get("inferred"))
    keys = sum(1 for model in manifest.models if model.properties.get("inferredKey"))
    counts = f"{_counted(len(manifest.models), 'model')} and {_counted(len(manifest.relationships), 'relationship')}"
    guessed = f", {inferred} of these and {_counted(keys, 'key')} inferred" if inferred or keys else ""
    where = f" in {output}" if output else ""
    return f"{counts}{guessed}{where}."
