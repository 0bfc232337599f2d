"""`askwell teach`: what words mean in a service's project."""

from __future__ import annotations

from typing import Annotated

import typer

from askwell.cli.lessons import Project, Url, told
from askwell.cli.messages import give_up, status_of
from askwell.errors import AskwellError


def teach(
    words: Annotated[list[str], typer.Argument(help='"zorbs" = customers, or "turnover" = orders.net_amount.')],
    url: Url,
    project: Project = "default",
) -> None:
    """Teach a service what words mean: a table, or a column as table.column. It counts from the next question on."""
    from askwell.cli.remote import lessons_call
    from askwell.cli.teaching import lesson_of

    try:
        kept = lessons_call(url, project, "POST", body={"lessons": [lesson_of(words)]})["lessons"]
    except AskwellError as error:
        give_up(error, status_of(error))
    for lesson in kept:
        typer.echo(told(lesson))
