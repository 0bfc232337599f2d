"""Any server that speaks OpenAI's chat completions, through Haystack's chat generator.

One generator and its connection pool serve all calls. The ways of asking for JSON, and for usage while streaming,
that a server turned away are remembered, so that finding out costs once.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from askwell.errors import AskwellError, ModelUnavailable
from askwell.providers import haystack_telemetry
from askwell.providers.llm.base import JsonSchema, ModelReply, OnDelta, Usage
from askwell.providers.llm.json_formats import JsonFormat, response_format, told_in_words
from askwell.providers.llm.openai_errors import (
    Server,
    is_transient,
    model_unavailable,
    refuses_json_format,
    refuses_stream_options,
    retry_after,
    server_unreachable,
)

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage, StreamingChunk

    from askwell.providers.llm.chat_generator import LeanChatGenerator

# Seconds before the second and the third attempt, a quarter more or less: many waiting calls should not come back at
# once.
_BACKOFF = (0.25, 1.0)
# Seconds for finding out whether the server is there.
REACH_SECONDS = 2.0


@dataclass(slots=True)
class _Call:
    """One call of `reply` on its way, over all its attempts. `deadline` is in the event loop's time."""

    system: str
    user: str
    schema: JsonSchema | None
    on_delta: OnDelta | None
    deadline: float
    requests: int = 0
    streamed: bool = False

    async def pass_on(self, chunk: StreamingChunk) -> None:
        if chunk.content and self.on_delta is not None:
            self.streamed = True
            self.on_delta(chunk.content)


class OpenAILanguageModel:
    """A `LanguageModel` of one name on one server. Belongs to the event loop of its first call."""

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None,
        api_key: str,
        key_variable: str,
        timeout: float,
        context_window: int,
        kwargs: Mapping[str, Any],
        prompt_price: float = 0.0,
        completion_price: float = 0.0,
    ) -> None:
        self._model = model
        self._context_window = context_window
        self._timeout = timeout
        self._prices = (prompt_price, completion_price)
        self._settings = dict(kwargs)
        self._server = Server(model, _address(api_base), key_variable)
        self._generator = _generator(model, api_base, api_key, timeout)
        self._json_format = JsonFormat.SCHEMA
        self._sends_usage_when_streaming = True
        self._closed = False

    @property
    def name(self) -> str:
        return self._model

    @property
    def context_window(self) -> int:
        return self._context_window

    async def reply(
        self,
        *,
        system: str,
        user: str,
        schema: JsonSchema | None = None,
        on_delta: OnDelta | None = None,
        timeout: float | None = None,
    ) -> ModelReply:
        """See `LanguageModel.reply`. `usage.llm_calls` counts the requests sent, those turned away included."""
        if self._closed:
            raise ModelUnavailable("The connection to the language model is closed.", "The service is shutting down.")
        limit = self._timeout if timeout is None else min(timeout, self._timeout)
        call = _Call(system, user, schema, on_delta, deadline=asyncio.get_running_loop().time() + limit)
        try:
            async with asyncio.timeout_at(call.deadline):
                message = await self._in_a_way_it_knows(call)
        except AskwellError:
            raise
        except Exception as error:  # noqa: BLE001 - the SDK, httpx and Haystack each have their own
            # Without its cause: that holds the request, and with it the prompt and the key.
            raise model_unavailable(error, self._server, limit, self._settings) from None
        truncated = message.meta.get("finish_reason") == "length"
        return ModelReply(_whole_characters(message.text or ""), self._usage(message, call.requests), truncated)

    async def reach(self) -> None:
        """See `LanguageModel.reach`. A server that takes the connection and is slow to answer is busy, not away."""
        import httpx2
        from openai import APIConnectionError, APIStatusError

        if self._closed:
            raise ModelUnavailable("The connection to the language model is closed.", "The service is shutting down.")
        client = self._generator.async_client
        if client is None:
            return  # made with the first call, which will tell
        try:
            await client.get("/models", cast_to=httpx2.Response, options={"timeout": REACH_SECONDS, "max_retries": 0})
        except APIStatusError:
            return
        except APIConnectionError as error:
            if isinstance(error.__cause__, httpx2.ReadTimeout | httpx2.PoolTimeout):
                return
            raise server_unreachable(self._server) from None

    async def close(self) -> None:
        self._closed = True
        await self._generator.close_async()

    async def _in_a_way_it_knows(self, call: _Call) -> ChatMessage:
        """Ask for JSON in the strictest way that the server takes."""
        way: JsonFormat = self._json_format
        while True:
            try:
                message = await self._with_patience(call, way)
            except Exception as error:
                plainer = way.plainer
                if call.schema is None or plainer is None or not refuses_json_format(error):
                    raise
                way = plainer
            else:
                if call.schema is not None:
                    self._json_format = way
                return message

    async def _with_patience(self, call: _Call, way: JsonFormat) -> ChatMessage:
        """Try again after a failure that may pass, unless part of the answer is already out."""
        delays = iter(_BACKOFF)
        while True:
            try:
                return await self._request(call, way)
            except Exception as error:
                if self._sends_usage_when_streaming and refuses_stream_options(error):
                    self._sends_usage_when_streaming = False
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

    async def _request(self, call: _Call, way: JsonFormat) -> ChatMessage:
        from haystack.dataclasses import ChatMessage

        call.requests += 1
        system = call.system if call.schema is None else told_in_words(call.system, call.schema, way)
        options = dict(self._settings)
        if call.schema is not None and (wanted := response_format(call.schema, way)):
            # In the extra body it goes out as it is; as an argument it takes a slower way through the SDK.
            options["extra_body"] = {**options.get("extra_body", {}), "response_format": wanted}
        if call.on_delta is not None and self._sends_usage_when_streaming:
            options["stream_options"] = {"include_usage": True}
        answer = await self._generator.run_async(
            [ChatMessage.from_system(system), ChatMessage.from_user(call.user)],
            streaming_callback=call.pass_on if call.on_delta is not None else None,
            generation_kwargs=options,
        )
        replies = answer["replies"]
        return replies[0] if replies else ChatMessage.from_assistant("")

    def _usage(self, message: ChatMessage, requests: int) -> Usage:
        """Tokens as the server counted them; 0 where it does not say."""
        counted = message.meta.get("usage") or {}
        prompt = int(counted.get("prompt_tokens") or 0)
        completion = int(counted.get("completion_tokens") or 0)
        cost = (prompt * self._prices[0] + completion * self._prices[1]) / 1_000_000
        return Usage(requests, prompt, completion, cost)


def _whole_characters(text: str) -> str:
    """JSON escapes and streams can split a character into two surrogates: pairs are joined, halves replaced, since
    text with a half can be neither sent nor stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _generator(model: str, api_base: str | None, api_key: str, timeout: float) -> LeanChatGenerator:
    haystack_telemetry.switch_off()
    from haystack.utils import Secret

    from askwell.providers.llm.chat_generator import LeanChatGenerator

    # The SDK logs whole requests, prompts included, at DEBUG.
    logging.getLogger("openai").setLevel(logging.WARNING)
    generator = LeanChatGenerator(
        model=model,
        api_base_url=api_base,
        api_key=Secret.from_token(api_key),
        timeout=timeout,
        max_retries=0,  # we know the time limit of a call, the SDK does not
    )
    _warm_up(generator)
    return generator


def _warm_up(generator: LeanChatGenerator) -> None:
    """Make the client now: in the first call it would hold up the event loop for 50 ms. Connects to nothing."""
    making = generator.warm_up_async()
    try:
        making.send(None)  # it has nothing to wait for, so it needs no loop
    except StopIteration:
        assert generator.async_client is not None
        generator.async_client.chat.completions  # noqa: B018 - the SDK imports it when it is first looked at
    else:
        making.close()  # then the first call makes it


def _address(api_base: str | None) -> str:
    """The server for messages, which clients read too: scheme, host and port, without credentials or path."""
    if api_base is None:
        return "api.openai.com"
    parts = urlsplit(api_base)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
