"""Work that is done for a client for as long as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from fastapi import Request, Response

from askwell.errors import ShuttingDown

# As nginx calls it; nobody reads it but the log.
_CLIENT_CLOSED_REQUEST = 499


async def disconnected(request: Request) -> None:
    """Returns when the client is gone. The body has to have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def while_connected(request: Request, work: Coroutine[Any, Any, Response], ending: asyncio.Event) -> Response:
    """What the work comes to, which is cancelled where the client goes away. Raises `ShuttingDown` where the service is
    `ending` before."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(disconnected(request))
    over = asyncio.ensure_future(ending.wait())
    try:
        await asyncio.wait({working, gone, over}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        working.cancel()
        await asyncio.wait({working})
        if over.done():
            raise ShuttingDown("The service is shutting down.", "Send the statement again in a moment.")
        return Response(status_code=_CLIENT_CLOSED_REQUEST)
    finally:
        for task in (working, gone, over):
            task.cancel()
