"""`askwell docs`: documents of words that a project's questions may be about."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from askwell.cli.messages import give_up, print_json, status_of
from askwell.cli.option_groups import Database, Project, Url
from askwell.cli.plain_text import shown
from askwell.errors import AskwellError

if TYPE_CHECKING:
    from askwell.cli.document_doors import DocumentDoor

Found = TypeVar("Found")
Tag = Annotated[list[str] | None, typer.Option("--tag", help="May be repeated.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_SHOWN_CHARACTERS = 600

app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    help="Documents of words: handbooks, policies, definitions.",
)


@app.command()
def add(
    files: Annotated[
        list[Path], typer.Argument(help="Markdown, text, HTML, PDF, Word or CSV.", exists=True, dir_okay=False)
    ],
    title: Annotated[str | None, typer.Option(help="In place of one made of the file's name; for one file.")] = None,
    tag: Tag = None,
    url: Url = None,
    project: Project = "default",
    database: Database = None,
) -> None:
    """Add files; one of the same name takes the place of the one before. Status 1 where some could not be read."""
    if title is not None and len(files) > 1:
        raise typer.BadParameter("--title is for one file.")

    async def each(door: DocumentDoor) -> int:
        failed = 0
        for file in files:
            try:
                event = await door.add(file, title, tag or ())
            except AskwellError as error:
                event = {"error": {"message": error.message, "hint": error.hint}}
            failed += _told(file, event)
        return failed

    raise typer.Exit(1 if with_documents(url, project, database, each) else 0)


@app.command("list")
def list_(url: Url = None, project: Project = "default", database: Database = None, as_json: AsJson = False) -> None:
    """List the documents, oldest first."""
    documents = with_documents(url, project, database, lambda door: door.all())
    if as_json:
        print_json(list(documents))
        return
    for one in documents:
        tags = f"  [{', '.join(one['tags'])}]" if one["tags"] else ""
        why = f"  {one['error']['message']}" if one.get("error") else ""
        typer.echo(shown(f"{one['id']}  {one['status']:<8} {one['chunks']:>5} passages  {one['title']}{tags}{why}"))
    if not documents:
        typer.echo("There are no documents yet.", err=True)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question, or some words.")],
    top_k: Annotated[int, typer.Option("--top", min=1, max=50, help="The most passages that are shown.")] = 5,
    tag: Tag = None,
    url: Url = None,
    project: Project = "default",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages that may answer a question. Status 1 where there are none."""
    passages = with_documents(url, project, database, lambda door: door.search(query, top_k, tag or ()))
    if as_json:
        print_json(list(passages))
    for number, one in enumerate(passages if not as_json else (), 1):
        where = f", {one['locator']}" if one["locator"] else ""
        typer.secho(shown(f"{number}. {one['title']}{where} ({one['score']:.0%})"), bold=True)
        text = one["text"] if len(one["text"]) <= _SHOWN_CHARACTERS else f"{one['text'][:_SHOWN_CHARACTERS]} …"
        typer.echo(f"{shown(text)}\n")
    if not passages:
        typer.echo("Nothing in the documents answers that.", err=True)
        raise typer.Exit(1)


@app.command()
def remove(
    document: Annotated[list[str], typer.Argument(help="Ids, as `askwell docs list` shows them.")],
    url: Url = None,
    project: Project = "default",
    database: Database = None,
) -> None:
    """Remove documents with all that stands in them."""

    async def each(door: DocumentDoor) -> None:
        for one in document:
            await door.remove(one)
            typer.echo(f"{shown(one)} is removed.")

    with_documents(url, project, database, each)


def with_documents(
    url: str | None, project: str, database: str | None, action: Callable[[DocumentDoor], Awaitable[Found]]
) -> Found:
    """What something done with a project's documents comes to. Ends the command with a reason where it cannot be
    done."""
    from askwell.cli.document_doors import opened_documents

    async def done() -> Found:
        async with opened_documents(url, project, database) as door:
            return await action(door)

    try:
        return asyncio.run(done())
    except AskwellError as error:
        give_up(error, status_of(error))


def _told(file: Path, event: Mapping[str, Any]) -> int:
    """Say how it ended; 1 where it failed."""
    if (error := event.get("error")) is not None:
        typer.secho(shown(f"{file.name}: {error['message']} {error.get('hint', '')}"), fg=typer.colors.RED, err=True)
        return 1
    typer.echo(shown(f"{file.name}: {event.get('chunks', 0)} passages."))
    return 0
