"""`askwell docs`: documents of words that a project's questions may be about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from askwell.cli.client import Client, Item, with_client
from askwell.cli.messages import print_items, print_json, shown
from askwell.cli.options import AsJson, GivenDatabase, ProjectOptions, command_group, with_option_groups
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say

Tag = Annotated[list[str] | None, typer.Option("--tag", help="A tag of the documents; repeat for more.")]
_SHOWN_CHARACTERS = 600

app = command_group("Documents of words: handbooks, policies, definitions.")


@app.command()
@with_option_groups
def add(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[DATABASE] FILE…",
            help="The database, where it is not a CSV file, and Markdown, text, HTML, PDF, Word or CSV.",
        ),
    ],
    of: ProjectOptions,
    title: Annotated[
        str | None, typer.Option(help="The title of one file, in place of one made from its name.")
    ] = None,
    tag: Tag = None,
) -> None:
    """Add files; one of the same name takes the place of the one before. Status 1 where some could not be read."""
    of, named = of.at_first(words, csv=False)
    files = [Path(name) for name in named]
    if missing := next((file for file in files if not file.is_file()), None):
        raise ConfigurationError(*say("cli.document_missing", file=missing))
    if title is not None and len(files) > 1:
        raise typer.BadParameter("--title is for one file.")

    async def each(client: Client) -> int:
        failed = 0
        for file in files:
            try:
                event = await client.add_document(file, title, tag or ())
            except AskwellError as error:
                event = {"error": {"message": error.message, "hint": error.hint}}
            failed += _told(file, event)
        return failed

    raise typer.Exit(1 if with_client(of, each) else 0)


@app.command("list")
@with_option_groups
def list_(of: ProjectOptions, place: GivenDatabase = None, as_json: AsJson = False) -> None:
    """List the documents, oldest first."""

    def line(one: Item) -> str:
        tags = f"  [{', '.join(one['tags'])}]" if one["tags"] else ""
        why = f"  {one['error']['message']}" if one.get("error") else ""
        return f"{one['id']}  {one['status']:<8} {one['chunks']:>5} passages  {one['title']}{tags}{why}"

    documents = with_client(of.at(place), lambda client: client.all("documents"))
    print_items(documents, line, as_json=as_json, nothing="There are no documents yet.")


@app.command()
@with_option_groups
def search(
    words: Annotated[
        list[str], typer.Argument(metavar="[DATABASE] QUERY", help="The database, and a question, or some words.")
    ],
    of: ProjectOptions,
    top_k: Annotated[int, typer.Option("--top", min=1, max=50, help="How many passages to show at most.")] = 5,
    tag: Tag = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages that may answer a question. Status 1 where there are none."""
    of, query = of.at_pair(words)
    body = {"query": query, "top_k": top_k, "tags": tag or []}
    passages = with_client(of, lambda client: client.call("POST /documents/search", body))["passages"]
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
@with_option_groups
def remove(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[DATABASE] DOCUMENT…", help="The database, and ids that `askwell docs list` shows."),
    ],
    of: ProjectOptions,
) -> None:
    """Remove documents with all that stands in them."""

    of, documents = of.at_first(words, csv=False)

    async def each(client: Client) -> None:
        for one in documents:
            await client.remove_document(one)
            typer.echo(f"{shown(one)} is removed.")

    with_client(of, each)


def _told(file: Path, event: Mapping[str, Any]) -> int:
    """Say how it ended; 1 where it failed."""
    if (error := event.get("error")) is not None:
        typer.secho(shown(f"{file.name}: {error['message']} {error.get('hint', '')}"), fg=typer.colors.RED, err=True)
        return 1
    typer.echo(shown(f"{file.name}: {event.get('chunks', 0)} passages."))
    return 0
