"""aiohttp under the vendor's client of language models: its parser is written in C, and a streamed reply costs less."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from urllib.request import getproxies

import aiohttp
import httpx2

# Seconds that an idle connection is kept: servers often close theirs after five.
_KEPT_SECONDS = 4.5
# Bytes of one header line, as much as httpx takes.
_MOST_OF_A_HEADER = 64 * 2**10
_READ_AT_ONCE = 64 * 2**10

# The first that fits counts.
_ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (aiohttp.ConnectionTimeoutError, httpx2.ConnectTimeout),
    (aiohttp.ServerTimeoutError, httpx2.ReadTimeout),
    (aiohttp.ClientConnectorError, httpx2.ConnectError),
    (aiohttp.ServerDisconnectedError, httpx2.RemoteProtocolError),
    (aiohttp.ClientResponseError, httpx2.RemoteProtocolError),
    (aiohttp.InvalidURL, httpx2.UnsupportedProtocol),
    (aiohttp.ClientError, httpx2.ReadError),
    (ConnectionError, httpx2.ReadError),
    (TimeoutError, httpx2.ReadTimeout),
)


def aiohttp_transport() -> httpx2.AsyncBaseTransport | None:
    """A transport for `httpx2.AsyncClient(transport=…)`; None where the environment names a proxy (`HTTPS_PROXY` and
    the like): those httpx2's own transport knows better."""
    return None if getproxies() else _AiohttpTransport()


class _AiohttpTransport(httpx2.AsyncBaseTransport):
    """Belongs to the event loop of its first request."""

    def __init__(self) -> None:
        self._verified = httpx2.create_ssl_context()
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        limits = request.extensions.get("timeout", {})
        with _errors_of_httpx():
            response = await self._open().request(
                request.method,
                # Credentials in the address stand in the headers already.
                str(request.url.copy_with(userinfo=b"")),
                headers=request.headers.multi_items(),
                data=await request.aread() or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(sock_connect=limits.get("connect"), sock_read=limits.get("read")),
            )
        return httpx2.Response(response.status, headers=response.raw_headers, stream=_Stream(response), request=request)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                # Whoever calls bounds how many calls there are.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_SECONDS, ssl=self._verified),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
                auto_decompress=False,
                max_line_size=_MOST_OF_A_HEADER,
                max_field_size=_MOST_OF_A_HEADER,
            )
        return self._session

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()


class _Stream(httpx2.AsyncByteStream):
    """The body as it comes. Closing it before its end closes the connection."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors_of_httpx():
            async for part in self._response.content.iter_chunked(_READ_AT_ONCE):
                yield part

    async def aclose(self) -> None:
        self._response.release()


@contextmanager
def _errors_of_httpx() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        for theirs, ours in _ERRORS:
            if isinstance(error, theirs):
                raise ours(str(error)) from error
        raise
