"""`askwell completion`: what a shell has to be told so that Tab completes commands, options and their values."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import get_completion_script  # type: ignore[attr-defined]  # its own name for it

from askwell.cli.main import COMPLETES


class Shell(StrEnum):
    """The shells that there are scripts for."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="The shell that is to complete.")]) -> None:
    """Print the script that lets a shell complete `askwell`: eval "$(askwell completion bash)" in ~/.bashrc."""
    typer.echo(get_completion_script(prog_name="askwell", complete_var=COMPLETES, shell=shell))
