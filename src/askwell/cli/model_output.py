"""What the commands that make a model share: the database they look at, and where the model is written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import give_up, print_json
from askwell.errors import AskwellError, ConfigurationError
from askwell.mdl.problems import shown

if TYPE_CHECKING:
    from askwell.cli.local.given_database import GivenDatabase
    from askwell.mdl.manifest import Manifest

Output = Annotated[Path | None, typer.Option("--output", "-o", help="The file; without it, standard output.")]


def given_to(database: str) -> GivenDatabase:
    """The database that the command was given; ends the command where there is none."""
    from askwell.cli.local.given_database import given_database
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    try:
        return given_database(database, os.environ)
    except AskwellError as error:
        give_up(error, status=2)


async def drafted(given: GivenDatabase) -> Manifest:
    """The model that a database's declarations, names and values suggest."""
    from askwell.services.model_drafting import draft_model

    async with given.engine() as engine:
        schema = await engine.introspect()
        for view in schema.unreadable:
            typer.echo(f"warning: the view {shown(view, 200)} cannot be read, and is left out.", err=True)
        return await draft_model(schema, engine)


def write_model(manifest: Manifest, output: Path | None) -> None:
    """Write the model as JSON into the file, or on standard output."""
    if output is None:
        print_json(_written(manifest), indent=2)
    else:
        write_text(json.dumps(_written(manifest), indent=2, ensure_ascii=False) + "\n", output)


def write_text(text: str, output: Path | None) -> None:
    """Write the text into the file, or on standard output; ends the command where it cannot be written."""
    if output is None:
        typer.echo(text, nl=False)
        return
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


def counted(count: int, what: str) -> str:
    """`1 model`, `2 models`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def summary(manifest: Manifest, output: Path | None) -> str:
    """How much the model holds, how much of it was inferred, and where it is."""
    inferred = sum(1 for entry in manifest.relationships if entry.properties.get("inferred"))
    keys = sum(1 for model in manifest.models if model.properties.get("inferredKey"))
    counts = f"{counted(len(manifest.models), 'model')} and {counted(len(manifest.relationships), 'relationship')}"
    guessed = f", {inferred} of these and {counted(keys, 'key')} inferred" if inferred or keys else ""
    where = f" in {output}" if output else ""
    return f"{counts}{guessed}{where}."
