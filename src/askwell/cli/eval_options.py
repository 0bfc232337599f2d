"""What the commands of `askwell eval` have in common: options, progress, and how each ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from askwell.cli.messages import give_up, print_json
from askwell.errors import AskwellError

AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on the last line; progress goes to standard error.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Take a sample of this size.")]
Seed = Annotated[int, typer.Option(help="Which sample.")]


class Report(Protocol):
    """What every evaluation gives back."""

    def as_json(self) -> dict[str, Any]: ...

    def as_table(self) -> str: ...


@contextmanager
def errors_in_words() -> Iterator[None]:
    """What goes wrong is printed, with status 2: 1 would mean that something was measured."""
    try:
        yield
    except AskwellError as error:
        give_up(error, status=2)


def require_files(*paths: Path) -> None:
    """Ends with status 2 where one is missing."""
    missing = [str(path) for path in dict.fromkeys(paths) if not path.exists()]
    if missing:
        give_up(AskwellError(f"There is no {' and no '.join(missing)}.", "Check the paths."), status=2)


def print_report(report: Report, as_json: bool) -> None:
    """On standard output, as a table or as one line of JSON."""
    if as_json:
        print_json(report.as_json())
    else:
        typer.echo(report.as_table())


def progress(line: str) -> None:
    """A line for people, on standard error."""
    typer.echo(line, err=True)
