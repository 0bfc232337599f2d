"""HTTP to a server that takes and gives JSON: of models that speak OpenAI's protocol, language models and embedders
alike, Azure's among them, and of Wren's services.

It goes by aiohttp and without the vendor's client, whose types take half a second to import and walk through every
field of a request and of each piece of a stream.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import json
import os
import ssl
import sys
import zlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

if TYPE_CHECKING:
    from collections.abc import Iterator

    import aiohttp

# Seconds for a server to take a connection.
CONNECT_SECONDS = 5.0
# Seconds that an idle connection is kept: servers often close theirs after five.
_KEPT_SECONDS = 4.5
# Seconds for a server to end its response after its last word, so that the connection can be used again.
_PATIENCE_AT_THE_END = 0.5
_READ_AT_ONCE = 64 * 2**10
_MOST_OF_A_HEADER = 64 * 2**10
# Bytes that are read of one reply. The longest that models write have some hundred thousand; compressed, few bytes can
# become very many.
_MOST_BYTES = 8 * 2**20
_MOST_COMPRESSION = 64
_MOST_OF_A_REFUSAL = 2**18


class CallFailed(Exception):
    """A request that gave no usable answer. `answered`: the server had begun to answer it."""

    answered = False


class NotConnected(CallFailed):
    """Nothing takes connections at the address."""


class ConnectTimedOut(NotConnected):
    """Nothing took the connection in time."""


class TooMuch(ValueError):
    """A reply has more bytes than anything that was asked for."""


class Late(CallFailed):
    """The server took the connection, and did not answer in time."""


class BrokenOff(CallFailed):
    """The connection ended before the answer did, or the answer says that it failed."""

    def __init__(self, message: str = "", *, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


class ServerRefused(CallFailed):
    """The server answered with a status that is no success. `body` is its JSON, or its text; `code` and `param` are
    what OpenAI's protocol calls so. `in_reply`: the failure stands inside a reply of status 200, as OpenRouter's do."""

    answered = True

    def __init__(self, status: int, body: object, headers: Mapping[str, str], *, in_reply: bool = False) -> None:
        if isinstance(body, list) and len(body) == 1:  # Gemini's
            body = body[0]
        error = body.get("error") if isinstance(body, Mapping) else None
        inner = error if error and isinstance(error, str | Mapping | list) else body
        named = inner if isinstance(inner, Mapping) else {}
        message = named.get("message")
        super().__init__(message if isinstance(message, str) else "")
        self.status, self.body, self.headers, self.in_reply = status, inner, headers, in_reply
        self.code, self.param = named.get("code"), named.get("param")

    @property
    def words(self) -> str:
        """Everything that the server said, for looking for words in it. Never for people: servers quote keys and
        prompts."""
        return f"{self} {json.dumps(self.body, default=str)}"


def retry_after(error: Exception) -> float | None:
    """The seconds that the server asked us to wait."""
    if not isinstance(error, ServerRefused):
        return None
    try:
        return max(0.0, float(error.headers.get("Retry-After", "")))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is, and what every request to it has. Calls of a model go to `calls` where that is another place
    than `base`."""

    base: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict)
    calls: str = ""

    def url(self, path: str, *, is_call: bool) -> str:
        """The address of a path; one that has a host of its own stays as it is."""
        if "://" in path:
            return path
        query = f"?{urlencode(self.query)}" if self.query else ""
        return f"{(is_call and self.calls) or self.base}{path}{query}"


def openai_address(api_base: str | None, key: str) -> Address:
    """A server of OpenAI's protocol; None is OpenAI itself, whose organisation and project the environment may name.
    Local servers want the header, and ignore what it says: without a key something stands there."""
    headers = {"Authorization": f"Bearer {key.strip() or 'no-key'}"}
    if api_base is None:
        api_base = os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        for header, variable in (("OpenAI-Organization", "OPENAI_ORG_ID"), ("OpenAI-Project", "OPENAI_PROJECT_ID")):
            headers |= {header: os.environ[variable]} if os.environ.get(variable) else {}
    if "@" in urlsplit(api_base).netloc:  # credentials in the address go in the place of the key
        del headers["Authorization"]
    return Address(api_base.rstrip("/"), headers)


class ModelServer:
    """The connections to one server. Belongs to the event loop of its first request; connects when it is first asked.
    `timeout` is in seconds, for a connection that says nothing, and `most_bytes` what one reply may have. Redirects are
    not followed: they would take the texts along. Without `uses_proxy` no proxy of the environment is used."""

    def __init__(
        self, address: Address, timeout: float, most_bytes: int = _MOST_BYTES, *, uses_proxy: bool = True
    ) -> None:
        self._address = address
        self._timeout = timeout
        self._most_bytes = most_bytes
        self._uses_proxy = uses_proxy
        self.is_closed = False
        self._session: aiohttp.ClientSession | None = None

    async def json(self, path: str, body: Mapping[str, Any] | None = None, *, timeout: float | None = None) -> Any:
        """The JSON that a path answers with: a look, or with a `body` a POST. Raises `CallFailed`, and `ValueError` for
        what is no JSON."""
        async with self.answer(path, body, timeout=timeout) as answer:
            return json.loads(await answer.text())

    async def knock(self, timeout: float) -> bool | CallFailed | None:
        """None when nobody takes the connection; else whether it answers, or its refusal, or that it is late: a server
        that takes the connection and is slow to answer is busy, not away."""
        try:
            async with self.answer("/models", timeout=timeout):
                return True
        except (Late, ServerRefused) as error:
            return error
        except CallFailed:
            return None

    @asynccontextmanager
    async def answer(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        is_call: bool = False,
        timeout: float | None = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Answer]:
        """The answer to a request, as it comes. Its connection is gone when the block is left before its end. Raises
        `CallFailed`, also for what fails inside of the block."""
        if "aiohttp" not in sys.modules:  # a fifth of a second, for which nothing else waits
            await asyncio.to_thread(import_module, "aiohttp")
        import aiohttp

        url = self._address.url(path, is_call=is_call)
        limit = self._timeout if timeout is None else timeout
        response = None
        with _failures():
            response = await self._opened().request(
                "GET" if body is None else "POST",
                url,
                json=body,
                params=query,
                headers={**self._address.headers, **(headers or {})},
                allow_redirects=False,
                proxy=_proxy(url) if self._uses_proxy else None,
                # `connect` holds for the look-up of the name too.
                timeout=aiohttp.ClientTimeout(connect=min(limit, CONNECT_SECONDS), sock_read=limit),
            )
        try:
            with _failures(answered=True):
                answer = Answer(response, self._most_bytes)
                if not 200 <= response.status < 300:
                    raise ServerRefused(response.status, await answer.refusal(), response.headers)
                yield answer
        finally:
            response.release()  # closes the connection of an answer that was not read to its end

    async def close(self) -> None:
        """Close connections. Safe to call twice."""
        self.is_closed = True
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp

            trusted = _trusted() if self._address.base.startswith("https:") else True
            self._session = aiohttp.ClientSession(
                # Callers bound how many calls there are.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEPT_SECONDS, ssl=trusted),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": "askwell", "Accept": "application/json", "Accept-Encoding": "identity"},
                auto_decompress=False,
                max_line_size=_MOST_OF_A_HEADER,
                max_field_size=_MOST_OF_A_HEADER,
            )
        return self._session


class Answer:
    """What a server answers. Raises `TooMuch` for more than `most_bytes`, and `ValueError` for what is no text."""

    def __init__(self, response: aiohttp.ClientResponse, most_bytes: int) -> None:
        self._response = response
        self._most_bytes = most_bytes
        self.headers: Mapping[str, str] = response.headers

    @property
    def is_json(self) -> bool:
        """Whether it says to be one whole JSON document."""
        return self.headers.get("Content-Type", "").startswith("application/json")

    async def text(self) -> str:
        """All of it."""
        return b"".join([part async for part in self._parts()]).decode()

    async def refusal(self) -> object:
        """The body of a refusal: JSON, or the beginning of a text."""
        with contextlib.suppress(ValueError):
            text = (await self.text())[:_MOST_OF_A_REFUSAL]
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                return text
        return ""

    async def events(self) -> AsyncIterator[str]:
        """The data of each server-sent event up to `[DONE]`."""
        import aiohttp

        lines = self._lines()
        data: list[str] = []
        async for line in lines:
            if line.startswith("data:"):
                data.append(line[5:].lstrip(" "))
            if line or not data:
                continue
            text, data = "\n".join(data), []
            if text.startswith("[DONE]"):
                # Nothing more is wanted, however the connection ends.
                with contextlib.suppress(TimeoutError, ConnectionError, ValueError, aiohttp.ClientError):
                    async with asyncio.timeout(_PATIENCE_AT_THE_END):
                        async for _ in lines:
                            pass
                return
            yield text
        if data and data != ["[DONE]"]:
            yield "\n".join(data)

    async def _lines(self) -> AsyncIterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        held = ""
        async for part in self._parts():
            held += decoder.decode(part)
            end = -1 if held.endswith("\r") else len(held)  # its line feed may still come
            *lines, rest = held[:end].replace("\r\n", "\n").replace("\r", "\n").split("\n")
            held = rest + held[end:] if end == -1 else rest
            for line in lines:
                yield line
        if held:
            yield held.rstrip("\r")

    async def _parts(self) -> AsyncIterator[bytes]:
        encoding = self.headers.get("Content-Encoding", "identity")
        is_plain = encoding == "identity"
        unpacker = None if is_plain else zlib.decompressobj(zlib.MAX_WBITS | 32)
        read = given = 0
        async for part in self._response.content.iter_chunked(_READ_AT_ONCE):
            read += len(part)
            try:
                unpacked = part if unpacker is None else unpacker.decompress(part, self._most_bytes)
            except zlib.error as error:
                raise ValueError(f"a reply is not {encoding}") from error
            given += len(unpacked)
            if max(read, given) > self._most_bytes or (
                unpacker is not None and read > self._most_bytes // _MOST_COMPRESSION
            ):
                raise TooMuch("a reply without end")
            yield unpacked


@contextmanager
def _failures(*, answered: bool = False) -> Iterator[None]:
    """aiohttp's errors as ours, without their causes: those hold the request, and with it the texts and the key."""
    import aiohttp

    try:
        yield
    except CallFailed:
        raise
    except aiohttp.ConnectionTimeoutError as error:
        raise ConnectTimedOut(str(error)) from None
    except (aiohttp.ClientConnectorError, aiohttp.InvalidURL) as error:
        raise NotConnected(str(error)) from None
    except (aiohttp.ServerTimeoutError, TimeoutError) as error:
        raise Late(str(error)) from None
    except (aiohttp.ClientError, ConnectionError) as error:
        raise BrokenOff(str(error), answered=answered) from None
    except (ValueError, RuntimeError) as error:  # a header that cannot be sent, a session that is closed
        if answered:
            raise
        raise NotConnected(type(error).__name__) from None


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address (`HTTPS_PROXY` and the like); none leads to this machine."""
    named, parts = getproxies(), urlsplit(url)
    if not named or parts.hostname == "127.0.0.1" or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    found = named.get(parts.scheme) or named.get("all")
    return found if not found or "://" in found else f"http://{found}"


def _trusted() -> ssl.SSLContext:
    """Certificates that the system trusts, and those that certifi has."""
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context
