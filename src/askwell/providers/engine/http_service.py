"""The connections to one service that runs statements over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import QueryFailure
from askwell.providers.engine.limits import EngineLimits
from askwell.providers.redirects import sends_on

# Seconds for the server to take a connection, out of those that a request has.
_CONNECT_SECONDS = 5.0
# Above this many bytes a reply is read off the event loop.
SMALL_REPLY = 50_000


class TooLarge(Exception):
    """A reply has more bytes than it may have; the rest was not read. The message is a sentence."""


class HttpService:
    """At most `pool_size` requests at once, replies of at most `byte_limit` bytes, and no redirect followed.

    `unusable` makes the error from a sentence without its full stop."""

    def __init__(self, base: str, limits: EngineLimits, unusable: Callable[[str], EngineUnavailable]) -> None:
        self._base = f"{base.rstrip('/')}/"
        self._byte_limit = limits.byte_limit
        self._free_slots = asyncio.Semaphore(limits.pool_size)
        self._unusable = unusable
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """Status and body of the reply. Waits for a free connection; how long is for the caller to limit. Raises
        `EngineUnavailable` when the server cannot be reached, and `TooLarge`."""
        async with self._free_slots:
            session = self._open()
            try:
                # A redirect would carry the request to somebody else.
                async with session.request(
                    method, f"{self._base}{path}", json=json, params=params, headers=headers, allow_redirects=False
                ) as response:
                    if did := sends_on(response.status, response.headers.get("location")):
                        raise self._unusable(f"It {did}")
                    return response.status, await self._bounded(response)
            except aiohttp.ConnectionTimeoutError as error:
                raise self._unusable(f"It takes no connection within {_CONNECT_SECONDS:g} seconds") from error
            except (aiohttp.ClientError, OSError) as error:
                self._open()  # closed meanwhile: that is the reason
                raise self._unusable("It cannot be reached") from error

    async def statement(
        self,
        sql: str,
        path: str,
        timeout: float,
        *,
        json: Any,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes] | QueryFailure:
        """The reply to a request that carries `sql`, or why there is none: it takes longer than `timeout` seconds,
        waiting included, or is too large. Raises `EngineUnavailable` as `request` does."""
        try:
            # Half a pair of surrogates is no text; JSON could carry it, and nobody knows what others make of it.
            sql.encode()
        except UnicodeEncodeError:
            return QueryFailure("error", "The statement holds a character that is no text.")
        try:
            async with asyncio.timeout(timeout):
                return await self.request("POST", path, json=json, params=params, headers=headers)
        except TimeoutError:
            return QueryFailure("timeout", f"The statement did not finish within {timeout:g} seconds.")
        except TooLarge as error:
            return QueryFailure("resources", f"{error} Ask for fewer rows or columns.")

    async def close(self) -> None:
        """Close every connection. Safe to call twice."""
        self._closed = True
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        if self._closed:
            raise EngineUnavailable("The database has been closed.", "The service is shutting down; ask again later.")
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
            self._session = aiohttp.ClientSession(timeout=timeout)
        return self._session

    async def _bounded(self, response: aiohttp.ClientResponse) -> bytes:
        """The body, as far as it may be read."""
        chunks, size = [], 0
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > self._byte_limit:
                raise TooLarge(f"The result is larger than {self._byte_limit:,} bytes.")
            chunks.append(chunk)
        return b"".join(chunks)
