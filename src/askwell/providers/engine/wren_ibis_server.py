"""The connections to one ibis-server, and what is sent with every request."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp

from askwell.errors import EngineUnavailable
from askwell.providers.engine.limits import EngineLimits

# Seconds for the server to take a connection, out of those that a request has.
_CONNECT_SECONDS = 5.0
_SECRET_KEY = re.compile(r"pass|pwd|secret|token|credential|key|connection_?url|^pat$", re.IGNORECASE)


class TooLarge(Exception):
    """A reply has more bytes than it may have; the rest was not read. The message is a sentence."""


class IbisServer:
    """One database by one ibis-server. `connection_info` is what the server needs to reach the database; it goes to
    `api_base` and nowhere else. `secrets` are the texts in it that no message may repeat; `functions` is for whoever
    asks for them first to keep."""

    def __init__(
        self, api_base: str, data_source: str, connection_info: Mapping[str, Any], limits: EngineLimits
    ) -> None:
        self._base = f"{api_base.rstrip('/')}/"
        self._source = data_source.lower()
        self._info = dict(connection_info)
        self._byte_limit = limits.byte_limit
        self._free_slots = asyncio.Semaphore(limits.pool_size)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False
        self.secrets = tuple(sorted(set(_secrets(self._info)), key=len, reverse=True))
        self.functions: frozenset[str] | None = None

    async def request(
        self,
        method: str,
        version: str,
        route: str,
        *,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """Status and body of the reply. Waits for a free connection; how long is for the caller to limit. Raises
        `EngineUnavailable` when the server cannot be reached, and `TooLarge`."""
        url = f"{self._base}{version}/connector/{self._source}/{route}"
        content = None if method == "GET" else {**(body or {}), "connectionInfo": self._info}
        async with self._free_slots:
            session = self._open()
            try:
                # A redirect would carry the connection information to somebody else.
                async with session.request(
                    method, url, json=content, params=params, headers=headers, allow_redirects=False
                ) as response:
                    return response.status, await self._bounded(response)
            except aiohttp.ConnectionTimeoutError as error:
                raise unusable(f"It takes no connection within {_CONNECT_SECONDS:g} seconds") from error
            except (aiohttp.ClientError, OSError) as error:
                self._open()  # closed meanwhile: that is the reason
                raise unusable("It cannot be reached") from error

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


def unusable(what: str) -> EngineUnavailable:
    """That the server, or the database behind it, cannot be used at all; `what` is a sentence without its full stop."""
    return EngineUnavailable(
        f"The ibis-server cannot be used. {what}.",
        "Check api_base, data_source and the connection information of this data source, and that server's log.",
    )


def _secrets(value: object, key: str = "") -> Iterator[str]:
    """The texts under keys that speak of secrets."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _secrets(inner, key if _SECRET_KEY.search(key) else str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _secrets(inner, key)
    elif isinstance(value, str) and value and _SECRET_KEY.search(key):
        yield value
