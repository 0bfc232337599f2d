"""How a command says that it cannot go on."""

from __future__ import annotations

from typing import NoReturn

import typer

from askwell.errors import AskwellError


def give_up(error: AskwellError, status: int = 1) -> NoReturn:
    """Print what happened and what to do next on standard error, and end with `status`."""
    typer.secho(error.message, fg=typer.colors.RED, err=True)
    if error.hint:
        typer.echo(error.hint, err=True)
    raise typer.Exit(status)
