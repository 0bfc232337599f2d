"""A door between a client and a server on this machine, which a test can shut and open again."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Self


class Gateway:
    """Passes bytes on to `host`:`port` from a port of its own. Shut, it refuses connections and cuts those it had."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._open: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._telling = True
        self._last_words: tuple[bytes, ...] = ()
        self.port = 0

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.shut()

    async def open(self) -> None:
        """Listen, on the same port as before."""
        self._telling = True
        self._server = await asyncio.start_server(self._pass, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def shut(self, *, telling: bool = True) -> None:
        """Refuse what comes and cut what is there; unless `telling`, the server does not hear of it."""
        assert self._server is not None
        self._server.close()
        self._telling = telling
        for client, server in self._open:
            client.transport.abort()
            if telling:
                server.transport.abort()
        await self._server.wait_closed()

    def shut_after(self, *words: bytes) -> None:
        """Shut once a client has said these words, in this order and in one connection. The server has heard the last
        one, and nobody hears its answer."""
        self._last_words = words

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, away = await asyncio.open_connection(*self._target)
        pair = writer, away
        self._open.add(pair)
        await asyncio.gather(self._pass_requests(reader, away), self._pump(there, writer))
        self._open.discard(pair)

    async def _pass_requests(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        said = 0
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                target.write(data)
                await target.drain()
                if self._last_words and self._last_words[said] in data:
                    said += 1
                    if said == len(self._last_words):
                        self._last_words = ()
                        await self.shut(telling=False)
        if self._telling:
            target.close()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                target.write(data)
                await target.drain()
        if self._telling:
            target.close()
