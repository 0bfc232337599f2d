"""`askwell open`: a database, asked in the browser."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askwell.cli.messages import UNUSABLE, give_up
from askwell.cli.options import DatabaseOptions, GivenDatabase, PreparationOptions, with_option_groups
from askwell.cli.waiting import run, until_signalled
from askwell.errors import AskwellError, ConfigurationError
from askwell.messages import say

if TYPE_CHECKING:
    from askwell.cli.local.session import LocalSession
    from askwell.cli.progress import Progress
    from askwell.config import ServerConfig
    from askwell.container import Container


@with_option_groups
def open(
    local: PreparationOptions,
    database: GivenDatabase = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
) -> None:
    """Make a database ready to be asked, and serve it to this machine alone, until Ctrl-C or SIGTERM: its page opens in
    the browser.

    What is learned is kept with what `askwell shell` keeps of the database. Status 0 at the end, 2 for what cannot be
    used, 3 for what failed.
    """
    database = database or os.environ.get("ASKWELL_DATABASE")
    if database is None:
        give_up(AskwellError(*say("cli.nothing_named")), UNUSABLE)
    serve_database(database, local, port, browser=not no_browser and sys.stdout.isatty())


def serve_database(database: str, options: PreparationOptions, port: int, *, browser: bool) -> None:
    """Serve a database to this machine alone, until a signal ends it. Ends the command where that cannot be done."""
    run(_opened(database, options, port, browser=browser))


async def _opened(database: str, options: PreparationOptions, port: int, *, browser: bool) -> None:
    from askwell.cli.progress import Progress
    from askwell.config import ServerConfig

    server = ServerConfig(port=port)
    # First: that the port is taken is not to be found out after a minute of looking at the database.
    with contextlib.closing(_listening(server)) as listener:
        async with contextlib.AsyncExitStack() as opened:
            with Progress() as progress:
                preparing = _session(opened, database, options, progress)
                session = await until_signalled(preparing, signal.SIGHUP)
            await _serve(session, server, listener, browser=browser)


def _listening(server: ServerConfig) -> socket.socket:
    from askwell.services.health.databases import listen

    try:
        return listen(server)
    except AskwellError as error:
        raise ConfigurationError(*say("cli.port_not_free", message=error.message)) from None


async def _session(
    opened: contextlib.AsyncExitStack, database: str, options: PreparationOptions, progress: Progress
) -> LocalSession:
    from askwell.cli.local.database import opened_session

    # Questions come with the time zone of the browser.
    chosen = DatabaseOptions(**asdict(options), timezone="UTC")
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

    started: Any = _Started(session.whole)
    app: Any = create_app(started, config)
    server = server_of(app, session.whole, config, ready)
    server.has_process = True
    with session.folder.serving(url_of(listener)):
        await server.serve(sockets=[listener])
    if not server.told_to_stop:
        raise getattr(app.state, "start_error", AskwellError(*say("cli.page_not_served")))


class _Started:
    """A container that was started before it is served."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def __getattr__(self, name: str) -> Any:
        return getattr(self._container, name)

    async def start(self) -> None:
        """Nothing is left to do."""
