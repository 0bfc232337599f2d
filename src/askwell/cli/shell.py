"""`askwell shell`: a database, or a running service, asked one question after the other."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import give_up
from askwell.errors import AskwellError

if TYPE_CHECKING:
    from askwell.cli.conversation import Conversation

_INTERRUPTED = 130


def shell(
    database: Annotated[
        str | None,
        typer.Argument(
            help="A SQLite or DuckDB file, the URL of a server, or env:NAME for what that variable holds; "
            "$ASKWELL_DATABASE without it."
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Ask a running service instead.")] = None,
    project: Annotated[str, typer.Option(help="The project of the service whose data is asked.")] = "default",
    rows: Annotated[int, typer.Option(min=1, help="How many rows to show.")] = 20,
    model: Annotated[
        Path | None, typer.Option(help="A semantic model, as MDL JSON, to use for the database.", dir_okay=False)
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Where the language model and settings are.")
    ] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Look at the database anew.")] = False,
    timezone: Annotated[str | None, typer.Option(help="Where days begin and end, such as Europe/Berlin.")] = None,
) -> None:
    """Ask one question after the other: follow-ups add to what was asked before ("and per country?", "only 2023"), and
    where a question could mean several things you choose by number. `.help` lists what else there is.

    Status 0 at the end, 2 when what was given cannot be used.
    """
    database = database or (None if url else os.environ.get("ASKWELL_DATABASE"))
    if (database is None) == (url is None):
        said = "Name a database or --url, not both." if url else "There is no database to ask."
        give_up(AskwellError(said, "askwell shell shop.sqlite, or askwell shell --url http://127.0.0.1:5555"), 2)
    from askwell.errors import ConfigurationError, InvalidModel

    try:
        if url is not None:
            asyncio.run(_talk_to_service(url, project, rows))
        else:
            asyncio.run(_talk_to_database(database or "", model, config, rows, refresh=refresh, timezone=timezone))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(_INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status=2 if isinstance(error, ConfigurationError | InvalidModel) else 1)


async def _talk_to_database(
    database: str, model: Path | None, config: Path | None, rows: int, *, refresh: bool, timezone: str | None
) -> None:
    from askwell.cli.conversation import Conversation, LocalDoor
    from askwell.cli.local.given_database import given_database
    from askwell.cli.local.time_zone import time_zone
    from askwell.cli.progress import Progress
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    given, zone, settings = (
        given_database(database, os.environ),
        time_zone(timezone, os.environ),
        load_config(config, os.environ),
    )
    text = None
    if model is not None:
        from askwell.cli.local.model_file import read_model_file

        text = read_model_file(model)
    session = importlib.import_module("askwell.cli.local.session")
    async with contextlib.AsyncExitStack() as opened:
        with Progress(quiet=not sys.stderr.isatty()) as progress:
            progress.step("reading the schema")
            async with given.engine() as engine:
                schema = await engine.introspect()
            options = session.LocalOptions(model=text, refresh=refresh, timezone=zone)
            opening = session.local_session(given, schema, settings, os.environ, options, progress)
            ready = await opened.enter_async_context(opening)
        await _converse(Conversation(LocalDoor(ready), rows), given.name)


async def _talk_to_service(url: str, project: str, rows: int) -> None:
    from askwell.cli.conversation import Conversation, ServiceDoor

    await _converse(Conversation(ServiceDoor(url, project), rows), url)


async def _converse(conversation: Conversation, name: str) -> None:
    """Read lines until the end. Ctrl-C stops the question that is being answered, and nothing else."""
    from askwell.cli.asking_back import typed_line
    from askwell.cli.shell_history import kept_history

    is_there = sys.stdin.isatty()
    if is_there:
        typer.echo(f"Ask {name} in your own words. `.help` lists commands, Ctrl-D ends.", err=True)
    answering: asyncio.Task[Any] | None = None

    def interrupted() -> None:
        if answering is not None and not answering.done():
            answering.cancel()
        else:
            typer.echo("\n(Ctrl-D or .quit ends.)", err=True)

    with contextlib.suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted)
    with kept_history(os.environ) if is_there else contextlib.nullcontext():
        lines: list[str] = []
        while (line := await typed_line("... " if lines else "askwell> ")) is not None:
            lines.append(line.removesuffix("\\"))
            if line.endswith("\\"):
                continue
            said, lines = " ".join(lines).strip(), []
            if not said:
                continue
            answering = asyncio.create_task(conversation.hear(said))
            try:
                if await answering:
                    return
            except asyncio.CancelledError:
                typer.echo("Stopped.", err=True)
    if is_there:
        typer.echo(err=True)
