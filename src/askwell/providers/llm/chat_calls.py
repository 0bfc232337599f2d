"""Chat calls to one model on one server: tried again, stepped down, and their failures put into words."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from haystack.dataclasses import ChatMessage, StreamingChunk
from openai import APIConnectionError, APIError, APIStatusError

from askwell.errors import ModelUnavailable
from askwell.providers.llm.base import JsonFormat, JsonSchema, OnDelta
from askwell.providers.llm.chat_generator import LeanChatGenerator
from askwell.providers.llm.json_formats import response_format, told_in_words
from askwell.providers.llm.openai_errors import (
    Server,
    is_transient,
    model_unavailable,
    refuses_field,
    refuses_json_format,
    retry_after,
    server_unreachable,
)

logger = logging.getLogger(__name__)

# Seconds before the second and the third attempt, a quarter more or less: many waiting calls should not come back at
# once.
_BACKOFF = (0.25, 1.0)
# Seconds for finding out whether the server is there, and for each look at what it tells of itself.
REACH_SECONDS = 2.0
# What a call can do without. Reasoning models refuse any temperature but their own.
_OPTIONAL = ("stream_options", "temperature")


@dataclass(slots=True)
class ChatCall:
    """One call on its way, over all its attempts. `limit` is in seconds, `deadline` in the event loop's time;
    `optional` are the fields of its last attempt that it can do without."""

    system: str
    user: str
    schema: JsonSchema | None
    on_delta: OnDelta | None
    limit: float
    deadline: float = 0.0
    requests: int = 0
    streamed: bool = False
    optional: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.deadline = asyncio.get_running_loop().time() + self.limit

    async def pass_on(self, chunk: StreamingChunk) -> None:
        if chunk.content and self.on_delta is not None:
            self.streamed = True
            self.on_delta(chunk.content)


class ChatCalls:
    """One generator and its connection pool serve all calls. An optional field of a request that the server turned away
    is not sent again. `settings` go out with every call."""

    def __init__(self, generator: LeanChatGenerator, server: Server, settings: Mapping[str, Any]) -> None:
        self._generator = generator
        self._server = server
        self._settings = dict(settings)
        self._refused: set[str] = set()
        self._closed = False

    async def answer(self, call: ChatCall, way: JsonFormat) -> tuple[ChatMessage, JsonFormat]:
        """The answer within the call's deadline, and the way in which its JSON was asked for in the end: this one, or
        the next plainer one that the server takes. Raises `ModelUnavailable`."""
        self._require_open()
        try:
            async with asyncio.timeout_at(call.deadline):
                return await self._in_a_way_it_knows(call, way)
        except Exception as error:  # noqa: BLE001 - the SDK, httpx and Haystack each have their own
            # Without its cause: that holds the request, and with it the prompt and the key.
            raise model_unavailable(error, self._server, call.limit, self._settings) from None

    async def reach(self) -> None:
        """See `LanguageModel.reach`. A server that takes the connection and is slow to answer is busy, not away."""
        self._require_open()
        try:
            await self._fetch("/models", None)
        except APIConnectionError as error:
            if not isinstance(error.__cause__, httpx2.ReadTimeout | httpx2.PoolTimeout):
                raise server_unreachable(self._server) from None
        except APIStatusError:
            pass

    async def look(self, address: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON that the server has at an address; None for whatever else comes of it."""
        self._require_open()
        try:
            response = await self._fetch(address, body)
            return None if response is None else response.json()
        except (APIError, ValueError):
            return None

    async def close(self) -> None:
        """Safe to call twice."""
        self._closed = True
        await self._generator.close_async()

    def _require_open(self) -> None:
        if self._closed:
            raise ModelUnavailable("The connection to the language model is closed.", "The service is shutting down.")

    async def _fetch(self, address: str, body: Mapping[str, Any] | None) -> httpx2.Response | None:
        client = self._generator.async_client
        if client is None:
            return None  # made with the first call
        options: Any = {"timeout": REACH_SECONDS, "max_retries": 0}
        if body is None:
            return await client.get(address, cast_to=httpx2.Response, options=options)
        return await client.post(address, body=dict(body), cast_to=httpx2.Response, options=options)

    async def _in_a_way_it_knows(self, call: ChatCall, way: JsonFormat) -> tuple[ChatMessage, JsonFormat]:
        while True:
            try:
                return await self._with_patience(call, way), way
            except Exception as error:
                plainer = way.plainer
                if call.schema is None or plainer is None or not refuses_json_format(error):
                    raise
                way = plainer

    async def _with_patience(self, call: ChatCall, way: JsonFormat) -> ChatMessage:
        """Try again after a failure that may pass, unless part of the answer is already out."""
        delays = iter(_BACKOFF)
        while True:
            try:
                return await self._request(call, way)
            except Exception as error:
                if self._can_do_without(error, call):
                    continue
                if call.schema is not None and refuses_json_format(error):
                    raise
                delay = next(delays, None)
                if delay is None or call.streamed or not is_transient(error):
                    raise
                asked = retry_after(error)
                wait = delay * random.uniform(0.75, 1.25) if asked is None else asked
                if asyncio.get_running_loop().time() + wait >= call.deadline:
                    raise
            await asyncio.sleep(wait)

    def _can_do_without(self, error: Exception, call: ChatCall) -> bool:
        """Whether the server refused an optional field that was sent."""
        for field in _OPTIONAL:
            if field in call.optional and refuses_field(error, field):
                # Calls that went out together are refused together.
                if field in self._settings and field not in self._refused:
                    logger.warning("The language model %s does not accept %s: left out.", self._server.model, field)
                self._refused.add(field)
                return True
        return False

    async def _request(self, call: ChatCall, way: JsonFormat) -> ChatMessage:
        call.requests += 1
        system = call.system if call.schema is None else told_in_words(call.system, call.schema, way)
        options = dict(self._settings)
        if call.schema is not None and (wanted := response_format(call.schema, way)):
            # In the extra body it goes out as it is; as an argument it takes a slower way through the SDK.
            options["extra_body"] = {**options.get("extra_body", {}), "response_format": wanted}
        if call.on_delta is not None:
            options["stream_options"] = {"include_usage": True}
        for field in self._refused:
            options.pop(field, None)
        call.optional = frozenset(options).intersection(_OPTIONAL)
        answer = await self._generator.run_async(
            [ChatMessage.from_system(system), ChatMessage.from_user(call.user)],
            streaming_callback=call.pass_on if call.on_delta is not None else None,
            generation_kwargs=options,
        )
        replies = answer["replies"]
        return replies[0] if replies else ChatMessage.from_assistant("")
