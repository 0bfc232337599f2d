"""Haystack's OpenAI chat generators, with a shorter way there and back.

The vendor's client walks through its types for every field of a request, and builds an object with all its fields for
every piece of a stream (0.1 ms a piece). Of a reply we need its text, the thoughts in it and its tool calls, and at the
end the usage and why it stopped.

aiohttp under the vendor's client of language models: its parser is written in C, and a streamed reply costs less.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.request import getproxies

import aiohttp
import httpx2
from haystack.components.generators.chat.azure import AzureOpenAIChatGenerator
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.utils import Secret
from openai import APIError, APIStatusError, AsyncAzureOpenAI, AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient

from askwell.providers.llm.reply_parts import ToolCallAssembler, texts_of, whole_characters
from askwell.providers.llm.thinking import Piece, Thoughts

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


# A stream that arrives all at once is read without waiting; others get their turn after so many pieces.
_PIECES_AT_A_TIME = 50
# Seconds for a server to take a connection.
_CONNECT_SECONDS = 5.0
# In a request's extensions: the server has begun to answer it.
ANSWERED = "askwell.answered"
# In the meta of a streaming chunk that is a thought.
THOUGHT = "askwell.thought"
# Bytes that are read of one reply. The longest that models write have some hundred thousand; compressed, few bytes can
# become very many.
_MOST_BYTES = 8 * 2**20
_MOST_COMPRESSED_BYTES = 128 * 2**10
# Seconds for a server to end its response after its last word, so that the connection can be used again.
_PATIENCE_AT_THE_END = 0.5


# How the vendor's client calls what is no part of the body.
_ASIDE = {"extra_headers": "headers", "extra_query": "params", "extra_body": "extra_json", "timeout": "timeout"}


class LeanChatGenerator(OpenAIChatGenerator):
    """For OpenAI and whoever speaks its protocol: Haystack's generator with a shorter way there and back."""

    # The model was seen to leave out the mark that opens a thought.
    _leaves_thoughts_unopened = False

    async def reply(
        self,
        messages: Sequence[Mapping[str, Any]],
        streaming_callback: Callable[[StreamingChunk], Awaitable[None]] | None,
        options: dict[str, Any],
    ) -> ChatMessage:
        """The first reply to messages in OpenAI's form, an empty one where there is none. With a callback it is
        streamed: the pieces carry nothing but text, or a thought (`meta[THOUGHT]`). The reply's text is without
        thoughts. Its `meta` has `model`, `usage` and `finish_reason` as the server tells them, `streamed` where it did
        stream, `refusal` where the model refused, and `thought` where it thought aloud.

        Raises `APIError` and httpx2's errors, and `ValueError` for what is no chat completion."""
        await self.warm_up_async()
        assert self.async_client is not None
        body = {
            "model": self.model,
            "messages": list(messages),
            "stream": streaming_callback is not None,
            **{name: value for name, value in options.items() if name not in _ASIDE},
        }
        aside: Any = {_ASIDE[name]: value for name, value in options.items() if name in _ASIDE}
        aside["security"] = {"bearer_auth": True}
        # As it comes, unread: the typed way through the client costs more than the request itself.
        unread: Any = {"cast_to": httpx2.Response, "stream": True, "stream_cls": AsyncStream[Any]}
        send = self.async_client.post
        response: httpx2.Response = await send("/chat/completions", body=body, options=aside, **unread)
        try:
            thoughts = Thoughts(waits=self._leaves_thoughts_unopened)
            message = await _read(response, streaming_callback, thoughts)
            self._leaves_thoughts_unopened |= thoughts.unopened
            return message
        finally:
            # Also when this task is cancelled: the connection has to be gone by then.
            await asyncio.shield(response.aclose())

    def client_of(self, http: DefaultAsyncHttpxClient) -> AsyncOpenAI:
        """The vendor's client over these connections."""
        return AsyncOpenAI(http_client=http, **self._patient_kwargs())

    def _patient_kwargs(self) -> dict[str, Any]:
        """For the client: an answer may take its time, a connection may not."""
        given = self._client_kwargs()
        limit = given["timeout"]
        return {**given, "timeout": httpx2.Timeout(limit, connect=min(limit, _CONNECT_SECONDS))}

    async def warm_up_async(self) -> None:
        """See the parent. Connects to nothing."""
        if self.async_client is None:
            # The SDK's own client follows redirects, and takes the prompt along.
            http = DefaultAsyncHttpxClient(
                transport=aiohttp_transport(),
                follow_redirects=False,
                event_hooks={"response": [_on_answer]},
                headers={"Accept-Encoding": "identity"},
            )
            self.async_client = self.client_of(http)


class LeanAzureChatGenerator(LeanChatGenerator, AzureOpenAIChatGenerator):
    """For Azure's routes with a deployment and an `api-version` in the address."""

    def client_of(self, http: DefaultAsyncHttpxClient) -> AsyncOpenAI:
        return AsyncAzureOpenAI(http_client=http, **self._patient_kwargs())


def openai_generator(model: str, api_base: str | None, api_key: str, timeout: float) -> LeanChatGenerator:
    """A generator with its client made. `timeout` in seconds."""
    key = Secret.from_token(api_key)
    # We know the time limit of a call, the SDK does not.
    return _warm(LeanChatGenerator(model=model, api_base_url=api_base, api_key=key, timeout=timeout, max_retries=0))


def azure_generator(
    deployment: str, endpoint: str, api_version: str, api_key: str, timeout: float
) -> LeanChatGenerator:
    """The same for a deployment at a resource's endpoint."""
    generator = LeanAzureChatGenerator(
        azure_endpoint=endpoint,
        azure_deployment=deployment,
        api_version=api_version,
        api_key=Secret.from_token(api_key),
        azure_ad_token=None,
        timeout=timeout,
        max_retries=0,
    )
    return _warm(generator)


def _warm(generator: LeanChatGenerator) -> LeanChatGenerator:
    """With its client made: in the first call that would hold up the event loop for 50 ms."""
    making = generator.warm_up_async()
    with contextlib.suppress(StopIteration):
        making.send(None)  # it has nothing to wait for, so it needs no loop
        making.close()  # else the first call makes it
    return generator


async def _on_answer(response: httpx2.Response) -> None:
    """Note that there is an answer, and read no more of it than a model writes."""
    response.request.extensions[ANSWERED] = response.status_code
    is_plain = response.headers.get("content-encoding", "identity") == "identity"
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream, _MOST_BYTES if is_plain else _MOST_COMPRESSED_BYTES)


async def _read(
    response: httpx2.Response, callback: Callable[[StreamingChunk], Awaitable[None]] | None, thoughts: Thoughts
) -> ChatMessage:
    calls = ToolCallAssembler()
    usage: dict[str, Any] | None = None
    model: object = None
    finish_reason: str | None = None
    spoke = refused = thought = False
    read = 0
    async for event in _events(response):
        spoke = spoke or "choices" in event
        usage = event.get("usage") or usage
        model = model or event.get("model")
        for choice in (event.get("choices") or [])[:1]:
            finish_reason = choice.get("finish_reason") or finish_reason
            # `message` is there when the server does not stream and sends its whole reply as one.
            said = choice.get("delta") or choice.get("message") or {}
            refused = refused or bool(said.get("refusal"))
            calls.add(said)
            words, aside = texts_of(said)
            thought = thought or bool(aside)
            await _tell(callback, [Piece(aside, is_thought=True), *thoughts.add(words)])
        read += 1
        if read % _PIECES_AT_A_TIME == 0:
            await asyncio.sleep(0)
    if not spoke:
        raise ValueError("no chat completion")  # a sign-in page, say
    await _tell(callback, thoughts.finish())
    meta = {
        "model": model,
        "finish_reason": finish_reason,
        "usage": usage,
        "streamed": callback is not None and not _is_json(response),
        "refusal": refused,
        "thought": thought or thoughts.found,
    }
    called = calls.calls(is_cut=finish_reason == "length")
    return ChatMessage.from_assistant(whole_characters(thoughts.reply) or None, meta=meta, tool_calls=called)


async def _tell(callback: Callable[[StreamingChunk], Awaitable[None]] | None, pieces: Sequence[Piece]) -> None:
    if callback is None:
        return
    for piece in pieces:
        if piece.text:
            await callback(StreamingChunk(content=piece.text, meta={THOUGHT: True} if piece.is_thought else {}))


class _Bounded(httpx2.AsyncByteStream):
    """A response's bytes as they come, at most so many: more raise `ValueError`, like anything else that no model
    writes."""

    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for part in self._stream:
            count += len(part)
            if count > self._most:
                raise ValueError("a reply without end")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _status_of(error: object) -> int | None:
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _is_json(response: httpx2.Response) -> bool:
    return response.headers.get("content-type", "").startswith("application/json")


async def _events(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    """The JSON of each server-sent event up to `[DONE]`, or of a whole reply. Raises `APIError` for an error in it:
    some servers, OpenRouter among them, report a failure inside a 200."""
    if _is_json(response):
        yield _event((await response.aread()).decode(), response)
        return
    lines = response.aiter_lines()
    data: list[str] = []
    async for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].lstrip(" "))
        if line or not data:
            continue
        text, data = "\n".join(data), []
        if text.startswith("[DONE]"):
            await _drain(lines)
            return
        yield _event(text, response)
    if data and data != ["[DONE]"]:
        yield _event("\n".join(data), response)


def _event(text: str, response: httpx2.Response) -> dict[str, Any]:
    event = json.loads(text)
    if not isinstance(event, dict):
        raise ValueError("a reply is not an object")
    is_whole = _is_json(response)
    error = event.get("error")
    if not error or (is_whole and event.get("choices")):
        return event
    message = "The reply holds an error."
    if status := _status_of(error) or (502 if is_whole else None):
        raise APIStatusError(message, response=httpx2.Response(status, request=response.request), body=error)
    raise APIError(message, response.request, body=error)


async def _drain(lines: AsyncIterator[str]) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_AT_THE_END):
            async for _ in lines:
                pass
