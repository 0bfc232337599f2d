"""`askwell open`: a database, asked in the browser."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import INTERRUPTED, UNUSABLE, give_up, status_of
from askwell.cli.option_groups import DatabaseOptions, PreparationOptions, with_option_groups
from askwell.errors import AskwellError, ConfigurationError

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession
    from askwell.cli.progress import Progress
    from askwell.config import ServerConfig
    from askwell.container import Container


@with_option_groups
def open(
    local: PreparationOptions,
    database: Annotated[
        str | None,
        typer.Argument(
            help="A SQLite or DuckDB file, a CSV file or a folder of them, the URL of a server, or env:NAME for what "
            "that variable holds; $ASKWELL_DATABASE without it."
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free port.")] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address. Without a terminal that is all anyway.")
    ] = False,
) -> None:
    """Make a database ready to be asked, and serve it to this machine alone, until Ctrl-C or SIGTERM: its page opens in
    the browser.

    What is learnt is kept with what `askwell shell` keeps of the database. Status 0 at the end, 2 for what cannot be
    used, 3 for what failed.
    """
    database = database or os.environ.get("ASKWELL_DATABASE")
    if database is None:
        give_up(AskwellError("There is no database to open.", "askwell open shop.sqlite"), UNUSABLE)
    try:
        asyncio.run(_opened(database, local, port, browser=not no_browser and sys.stdout.isatty()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None
    except AskwellError as error:
        give_up(error, status=status_of(error))


async def _opened(database: str, options: PreparationOptions, port: int, *, browser: bool) -> None:
    from askwell.cli.progress import Progress
    from askwell.config import ServerConfig

    server = ServerConfig(port=port)
    # First: that the port is taken is not to be found out after a minute of looking at the database.
    with contextlib.closing(_listening(server)) as listener:
        async with contextlib.AsyncExitStack() as opened:
            with Progress() as progress, _cancelled_by_signals():
                session = await _session(opened, database, options, progress)
            await _serve(session, server, listener, browser=browser)


def _listening(server: ServerConfig) -> socket.socket:
    from askwell.services.health.network import listen

    try:
        return listen(server)
    except AskwellError as error:
        hint = "Stop what listens there, choose another port with --port, or leave it out to take a free one."
        raise ConfigurationError(error.message, hint) from None


@contextlib.contextmanager
def _cancelled_by_signals() -> Iterator[None]:
    """What was begun is tidied up. Afterwards signals are the server's."""
    loop, preparing = asyncio.get_running_loop(), asyncio.current_task()
    signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    assert preparing is not None
    for one in signals:
        loop.add_signal_handler(one, preparing.cancel)
    try:
        yield
    finally:
        for one in signals:
            loop.remove_signal_handler(one)


async def _session(
    opened: contextlib.AsyncExitStack, database: str, options: PreparationOptions, progress: Progress
) -> LocalSession:
    from askwell.cli.local.csv_tables import csv_source, csv_tables, place_of_tables
    from askwell.cli.local.opening import opened_session

    # Questions come with the time zone of the browser.
    chosen = DatabaseOptions(**asdict(options), timezone="UTC")
    if (source := csv_source(database)) is not None:
        folder = opened.enter_context(place_of_tables(source, os.environ))
        tables = await csv_tables(source, folder, progress, refresh=options.refresh)
        database, chosen = str(tables.database), replace(chosen, model=options.model or tables.model)
    return await opened.enter_async_context(opened_session(database, chosen, progress))


async def _serve(session: LocalSession, config: ServerConfig, listener: socket.socket, *, browser: bool) -> None:
    from askwell.cli.serve import server_of, url_of
    from askwell.web.app import create_app

    url = f"{url_of(listener)}/"

    def ready() -> None:
        typer.echo(f"Askwell is ready at {url}")
        typer.echo(f"Ask {session.name} there; Ctrl-C ends it.", err=True)
        if browser:
            import webbrowser

            # Some wait for the browser to end, and nothing here waits for them.
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    started: Any = _Started(session.container)
    app: Any = create_app(started, config)
    server = server_of(app, session.container, config, ready)
    server.has_process = True
    with session.asking():
        await server.serve(sockets=[listener])
    gc.unfreeze()  # DuckDB, which reads CSV files, complains on standard error of what is still there at the end
    if not server.told_to_stop:
        raise getattr(app.state, "start_error", AskwellError("The page could not be served.", "Try again."))


class _Started:
    """A container that was started before it is served."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def __getattr__(self, name: str) -> Any:
        return getattr(self._container, name)

    async def start(self) -> None:
        """Nothing is left to do."""
