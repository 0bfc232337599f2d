"""`askwell shell`: a database, or a running service, asked one question after the other."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, Protocol

import typer

from askwell.cli.messages import INTERRUPTED, UNUSABLE, give_up, status_of, until_nobody_reads
from askwell.cli.option_groups import DatabaseOptions, ServiceOptions, with_option_groups, with_service_of_environment
from askwell.cli.threads import until_signalled
from askwell.errors import AskwellError

if TYPE_CHECKING:
    from askwell.cli.asking_back import LineReader

_PROMPT, _GOES_ON = "askwell> ", "... "


@with_option_groups
def shell(
    service: ServiceOptions,
    local: DatabaseOptions,
    database: Annotated[
        str | None,
        typer.Argument(
            help="A SQLite or DuckDB file, the URL of a server, or env:NAME for what that variable holds; "
            "$ASKWELL_DATABASE without it."
        ),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="How many rows to show.")] = 20,
) -> None:
    """Ask one question after the other: follow-ups add to what was asked before ("and per country?", "only 2023"), and
    where a question could mean several things you choose by number. `.help` lists what else there is.

    Status 0 at the end of what somebody types. Of lines that come through a pipe the highest of 0 for an answer, 1 for
    none, 2 for what cannot be done, and 3 for what failed.
    """
    run_talk("shell", database, service, local, partial(_talk_to_service, rows), partial(_talk_to_database, rows))


def run_talk(
    command: str,
    database: str | None,
    service: ServiceOptions,
    local: DatabaseOptions,
    to_service: Callable[[str, str], Awaitable[int]],
    to_database: Callable[[str, DatabaseOptions], Awaitable[int]],
) -> NoReturn:
    """Talk to a service, by its address and project, or to a database, whichever was named, and end with the status
    that comes of it."""
    service = with_service_of_environment(service, database)
    database = database or (None if service.url else os.environ.get("ASKWELL_DATABASE"))
    if (database is None) == (service.url is None):
        said = "Name a database or --url, not both." if service.url else "There is no database to ask."
        example = f"askwell {command} shop.sqlite, or askwell {command} --url http://127.0.0.1:5555"
        give_up(AskwellError(said, example), UNUSABLE)
    unfit = next((f.name for f in fields(local) if service.url and getattr(local, f.name) != f.default), None)
    if unfit is not None:
        give_up(AskwellError(f"--{unfit} does not go with --url.", "The service has its own configuration."), UNUSABLE)
    try:
        if service.url is not None:
            talking = to_service(service.url, service.project or "default")
        else:
            talking = to_database(database or "", local)
        status = asyncio.run(until_signalled(talking, signal.SIGHUP))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status=status_of(error))
    raise typer.Exit(status)


async def _talk_to_database(rows: int, database: str, options: DatabaseOptions) -> int:
    from askwell.cli.local.opening import opened_session
    from askwell.cli.progress import Progress

    async with contextlib.AsyncExitStack() as opened:
        with Progress() as progress:
            session = await opened.enter_async_context(opened_session(database, options, progress))
        from askwell.cli.conversation import Conversation
        from askwell.cli.doors import LocalDoor

        reader = line_reader()
        return await converse(Conversation(LocalDoor(session), rows, reader), reader, session.name)


async def _talk_to_service(rows: int, url: str, project: str) -> int:
    from askwell.cli.conversation import Conversation
    from askwell.cli.doors import ServiceDoor

    reader = line_reader()
    return await converse(Conversation(ServiceDoor(url, project), rows, reader), reader, url)


def line_reader() -> LineReader:
    """Reads what somebody types; a command or a question of its own answers nothing that was asked back."""
    from askwell.cli.asking_back import LineReader
    from askwell.cli.shell_words import is_elsewhere

    return LineReader(is_elsewhere)


class Hearer(Protocol):
    """Hears one line after the other; `status` is what they came to so far."""

    status: int

    async def hear(self, line: str) -> bool:
        """Whether that was to end."""
        ...


async def converse(conversation: Hearer, reader: LineReader, name: str) -> int:
    """Read lines until the end, and the status that they come to. Ctrl-C stops the question that is being answered, and
    nothing else."""
    from askwell.cli.shell_history import kept_history

    is_there = sys.stdin.isatty()
    if is_there:
        typer.echo(f"Ask {name} in your own words. `.help` lists commands, Ctrl-D ends.", err=True)
    answering: asyncio.Task[Any] | None = None
    lines: list[str] = []

    def interrupted() -> None:
        if answering is not None and not answering.done():
            answering.cancel()
        else:
            lines.clear()
            typer.echo(f"\n(Ctrl-D or .quit ends.)\n{_PROMPT if is_there else ''}", nl=False, err=True)

    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted)
    with kept_history(os.environ) if is_there else contextlib.nullcontext():
        ended = False
        while not ended:
            line = await reader.line(_GOES_ON if lines else _PROMPT)
            lines.append((line or "").removesuffix("\\"))
            if line is not None and line.endswith("\\"):
                continue
            said, ended = " ".join(lines).strip(), line is None
            lines.clear()
            if not said or said.startswith("#"):
                continue
            answering = asyncio.create_task(_heard(conversation, said))
            try:
                ended = await answering or ended
            except asyncio.CancelledError:
                if (own := asyncio.current_task()) is not None and own.cancelling():
                    raise
                typer.echo("Stopped.", err=True)
    if is_there:
        typer.echo(err=True)
    return 0 if is_there else conversation.status


async def _heard(conversation: Hearer, said: str) -> bool:
    """Whether that was to end, or nobody reads any more."""
    ended = True
    with until_nobody_reads():
        ended = await conversation.hear(said)
    return ended  # noqa: RET504 - it is not set where nobody reads
