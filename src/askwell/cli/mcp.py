"""`askwell mcp`: a database, or a running service, for clients of the Model Context Protocol that start commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import fields
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from askwell.cli.api_key import API_KEY
from askwell.cli.messages import UNUSABLE, give_up
from askwell.cli.option_groups import DatabaseOptions, with_option_groups
from askwell.cli.threads import until_signalled
from askwell.errors import AskwellError, ConfigurationError, InvalidModel, InvalidRequest, NotInstalled

if TYPE_CHECKING:
    from askwell.cli.protocol_streams import Lines, Writer

Serve = Callable[["Lines", "Writer"], Awaitable[None]]
_EXAMPLE = "askwell mcp shop.sqlite, askwell mcp --url http://127.0.0.1:5555, or askwell mcp --config config.yaml"


@with_option_groups
def mcp(
    local: DatabaseOptions,
    database: Annotated[
        str | None,
        typer.Argument(
            help="A SQLite or DuckDB file, the URL of a server, or env:NAME for what that variable holds; "
            "$ASKWELL_DATABASE without it."
        ),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Hand everything on to the service that runs there.")] = None,
    project: Annotated[str | None, typer.Option(help="The project of the service, or of the configuration.")] = None,
) -> None:
    """Serve tools over standard input and output to a client of the Model Context Protocol, which starts this command
    itself: for a database, for a running service, or, with a configuration alone, for a project of that.

    Standard output holds nothing but the protocol; whatever there is to say goes to standard error. It ends with the
    client. Status 1 when something failed, 2 when what was given cannot be used.
    """
    try:
        serve = _served(database, local, url, project)
        if find_spec("mcp") is None:
            raise NotInstalled(
                "The Model Context Protocol needs the extra `mcp`, which is not installed.",
                "Install it with pip install 'askwell[mcp]'.",
            )
        _run(serve)
    except AskwellError as error:
        unusable = isinstance(error, ConfigurationError | InvalidModel | InvalidRequest)
        give_up(error, status=UNUSABLE if unusable else 1)


def _served(database: str | None, local: DatabaseOptions, url: str | None, project: str | None) -> Serve:
    """What is to be served. Raises `ConfigurationError` for options that do not go together."""
    if url is not None:
        given = next((one.name for one in fields(local) if getattr(local, one.name) != one.default), None)
        if database is not None or given is not None:
            unfit = "A database" if database is not None else f"--{given}"
            raise ConfigurationError(f"{unfit} does not go with --url.", "The service has its own configuration.")
        return lambda lines, writer: _serve_service(url, project or "default", lines, writer)
    if database is None and (local.config is not None or project is not None):
        return lambda lines, writer: _serve_configured(local, project or "default", lines, writer)
    database = database or os.environ.get("ASKWELL_DATABASE") or None
    if database is None:
        raise ConfigurationError("It is not said what to serve.", _EXAMPLE)
    if project is not None:
        raise ConfigurationError("--project does not go with a database.", "A database is a project of its own.")
    return lambda lines, writer: _serve_database(database, local, lines, writer)


def _run(serve: Serve) -> None:
    """Until the client has said all, or the process is told to end: both are the usual end."""
    from askwell.cli.protocol_streams import protocol_streams

    with protocol_streams() as (lines, writer), contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(until_signalled(serve(lines, writer), signal.SIGHUP))


async def _serve_service(url: str, project: str, lines: Lines, writer: Writer) -> None:
    from askwell.cli.remote import service_url
    from askwell.mcp_server.bridge import bridge
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    await bridge(service_url(url), project, lines, writer, api_key=os.environ.get(API_KEY))


async def _serve_database(database: str, options: DatabaseOptions, lines: Lines, writer: Writer) -> None:
    from askwell.cli.local.opening import opened_session
    from askwell.cli.progress import Progress

    async with contextlib.AsyncExitStack() as opened:
        with Progress() as progress:
            session = await opened.enter_async_context(opened_session(database, options, progress))
        from askwell.mcp_server.services import Connections
        from askwell.mcp_server.stdio import serve

        typer.echo(f"Askwell serves {session.name} over the Model Context Protocol.", err=True)
        with session.asking():
            await serve(session.container, Connections(timezone=session.timezone), lines, writer)


async def _serve_configured(options: DatabaseOptions, project: str, lines: Lines, writer: Writer) -> None:
    from askwell.cli.local.time_zone import time_zone
    from askwell.config import load_config
    from askwell.observability.logging import configure_logging

    unfit = next((name for name in ("model", "refresh") if getattr(options, name)), None)
    if unfit is not None:
        raise ConfigurationError(f"--{unfit} needs a database.", f"Name one: {_EXAMPLE}")
    configure_logging("error", as_json=False)
    connections_zone = time_zone(options.timezone, os.environ)
    config = load_config(options.config, os.environ)
    from askwell.container import Container
    from askwell.mcp_server.services import Connections
    from askwell.mcp_server.stdio import serve

    container = Container.build(config, lasting=True)
    try:
        container.database_for(project)
        await container.start()
        if await container.projects.get(project, None) is None:
            hint = "Send one to the service with askwell model push."
            typer.echo(f"Project {project} has no semantic model yet. {hint}", err=True)
        typer.echo(f"Askwell serves project {project} over the Model Context Protocol.", err=True)
        await serve(container, Connections(project, connections_zone), lines, writer)
    finally:
        await container.stop()
