"""`askwell mcp`: a database, or a running service, for clients of the Model Context Protocol that start commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from importlib.util import find_spec

import typer

from askwell.cli.messages import API_KEY, UNUSABLE, failures_told, status_of
from askwell.cli.options import DatabaseOptions, GivenDatabase, ProjectOptions, with_option_groups
from askwell.cli.waiting import in_own_thread, until_signalled
from askwell.errors import NotInstalled
from askwell.messages import say

Lines = AsyncIterator[str]
Serve = Callable[[Lines, "Writer"], Awaitable[None]]


@with_option_groups
def mcp(
    of: ProjectOptions,
    local: DatabaseOptions,
    place: GivenDatabase = None,
) -> None:
    """Serve tools over standard input and output to a client of the Model Context Protocol, which starts this command
    itself: for a database, or for a running service.

    Standard output holds nothing but the protocol; whatever there is to say goes to standard error. It ends with the
    client. Status 1 when something failed, 2 when what was given cannot be used.
    """
    with failures_told(lambda error: UNUSABLE if status_of(error) == UNUSABLE else 1):
        serve = _served(of.asked(place, local), local)
        if find_spec("mcp") is None:
            raise NotInstalled(*say("cli.mcp_not_installed"))
        _run(serve)


def _served(of: ProjectOptions, local: DatabaseOptions) -> Serve:
    """What is to be served."""
    if of.url is not None:
        url, project = of.url, of.project
        return lambda lines, writer: _serve_service(url, project, lines, writer)
    return lambda lines, writer: _serve_database(of.database or "", local, lines, writer)


def _run(serve: Serve) -> None:
    """Until the client has said all, or a signal ends the process: both are the usual end."""
    with protocol_streams() as (lines, writer), contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        asyncio.run(until_signalled(serve(lines, writer), signal.SIGHUP))


async def _serve_service(url: str, project: str, lines: Lines, writer: Writer) -> None:
    from askwell.cli.service import service_url
    from askwell.mcp_server.bridge import bridge
    from askwell.observability.logging import configure_logging

    configure_logging("error", as_json=False)
    await bridge(service_url(url), project, lines, writer, api_key=os.environ.get(API_KEY))


async def _serve_database(database: str, options: DatabaseOptions, lines: Lines, writer: Writer) -> None:
    from askwell.cli.local.database import opened_session
    from askwell.cli.progress import Progress

    async with contextlib.AsyncExitStack() as opened:
        with Progress() as progress:
            session = await opened.enter_async_context(opened_session(database, options, progress))
        from askwell.mcp_server.server import serve
        from askwell.mcp_server.services import Connections

        typer.echo(f"Askwell serves {session.name} over the Model Context Protocol.", err=True)
        await serve(session.whole, Connections(timezone=session.timezone), lines, writer)


_PIECE = 1 << 16


async def _lines(descriptor: int) -> AsyncIterator[str]:
    """The lines that come in, as they come; until they end, or are closed."""
    begun = bytearray()
    with contextlib.suppress(OSError):
        while piece := await in_own_thread(partial(os.read, descriptor, _PIECE)):
            begun += piece
            if b"\n" in piece:
                *whole, begun = begun.split(b"\n")
                for line in whole:
                    yield line.decode(errors="replace")
    if begun:
        yield begun.decode(errors="replace")


class Writer:
    """Lines that go out, each as soon as it is flushed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = bytearray()

    async def write(self, text: str) -> None:
        """Keep it until `flush`."""
        self._waiting += text.encode(errors="replace")

    async def flush(self) -> None:
        """Raises `OSError` once nobody reads any more."""
        whole, self._waiting = bytes(self._waiting), bytearray()
        await in_own_thread(partial(_write, self._descriptor, whole))


@contextlib.contextmanager
def protocol_streams() -> Iterator[tuple[Lines, Writer]]:
    """Standard input and output for the protocol alone. Meanwhile whatever else is printed goes to standard error, and
    whatever else reads finds nothing, in child processes too."""
    sys.stdout.flush()
    ours = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield _lines(ours[0]), Writer(ours[1])
    finally:
        os.dup2(ours[1], 1)
        os.close(nothing)


def _write(descriptor: int, text: bytes) -> None:
    rest = memoryview(text)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
