"""`askwell teach`: what words mean in a database or in a service's project."""

from __future__ import annotations

from typing import Annotated

import typer

from askwell.cli.lessons import told, with_book
from askwell.cli.messages import UNUSABLE, give_up
from askwell.cli.option_groups import Database, Project, Url
from askwell.cli.teaching import lesson_of
from askwell.errors import InvalidRequest


def teach(
    words: Annotated[
        list[str],
        typer.Argument(
            help='"zorbs" = customers, "turnover" = orders.net_amount, "revenue" = "sum(orders.net_amount)".'
        ),
    ],
    url: Url = None,
    project: Project = "default",
    database: Database = None,
) -> None:
    """Teach what words mean: a table, a column as table.column, or a figure such as sum(table.column). It counts from
    the next question on."""
    try:
        lesson = lesson_of(words)
    except InvalidRequest as error:
        give_up(error, UNUSABLE)
    for kept in with_book(url, project, database, lambda book: book.teach(lesson)):
        typer.echo(told(kept))
