"""The server over the standard streams of a process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol, cast

import anyio
from mcp.server.stdio import stdio_server

from askwell.mcp_server.server import mcp_server
from askwell.mcp_server.services import Connections, McpServices


class Writing(Protocol):
    """Where lines go. Raises `OSError` once nobody reads them any more."""

    async def write(self, text: str) -> None: ...

    async def flush(self) -> None: ...


class _UntilClosed:
    """What is written to somebody who is gone is lost; the end of what they say is the end of it all."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing

    async def write(self, text: str) -> None:
        await self._writing.write(text)

    async def flush(self) -> None:
        try:
            await self._writing.flush()
        except OSError:
            raise anyio.ClosedResourceError from None


def streams(incoming: AsyncIterator[str], outgoing: Writing) -> Any:
    """A context of two streams of messages over lines of text, one message each."""
    # The library asks for files; it reads the one line by line, and only writes to the other.
    return stdio_server(cast("anyio.AsyncFile[str]", incoming), cast("anyio.AsyncFile[str]", _UntilClosed(outgoing)))


async def serve(
    services: McpServices, connections: Connections, incoming: AsyncIterator[str], outgoing: Writing
) -> None:
    """Answer one client until it has said all. Cancelling ends what is under way."""
    server = mcp_server(services, connections)
    async with streams(incoming, outgoing) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
