"""What every command does alike: how it prints where not every letter can be, and how it says that it cannot go on."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

import typer

from askwell.errors import AskwellError


def replace_what_cannot_be_printed() -> None:
    """A terminal or a pipe that is not UTF-8 shows `?` for letters that it does not know."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def print_json(value: Any, indent: int | None = None) -> None:
    """On standard output, without `indent` as one line; other letters than ASCII's as they are where they can be
    printed."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(value, indent=indent, ensure_ascii=not is_unicode))


@contextlib.contextmanager
def until_nobody_reads() -> Iterator[None]:
    """Printing in here ends without a word once nobody reads standard output any more, as with `| head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would fail again when the process ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def give_up(error: AskwellError, status: int = 1) -> NoReturn:
    """Print what happened and what to do next on standard error, and end with `status`."""
    typer.secho(error.message, fg=typer.colors.RED, err=True)
    if error.hint:
        typer.echo(error.hint, err=True)
    raise typer.Exit(status)
