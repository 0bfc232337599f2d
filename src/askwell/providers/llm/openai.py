"""Any server that speaks OpenAI's chat completions, through Haystack's chat generator.

One generator and its connection pool serve all calls. What a server turned away is remembered, so that finding out
costs once: ways of asking for JSON, usage while streaming, a temperature.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askwell.errors import ModelUnavailable
from askwell.providers import haystack_telemetry
from askwell.providers.llm import probing
from askwell.providers.llm.base import Capabilities, JsonFormat, JsonSchema, ModelReply, OnDelta, Usage
from askwell.providers.llm.json_formats import response_format, told_in_words
from askwell.providers.llm.model_listing import model_listing, own_context_length
from askwell.providers.llm.openai_errors import (
    Server,
    content_filtered,
    is_transient,
    model_unavailable,
    refuses_field,
    refuses_json_format,
    retry_after,
    server_unreachable,
    too_long,
    unknown_model,
)

if TYPE_CHECKING:
    from haystack.dataclasses import ChatMessage, StreamingChunk

    from askwell.providers.llm.chat_generator import LeanAzureChatGenerator, LeanChatGenerator

logger = logging.getLogger(__name__)

# Seconds before the second and the third attempt, a quarter more or less: many waiting calls should not come back at
# once.
_BACKOFF = (0.25, 1.0)
# Seconds for finding out whether the server is there, and for each look at what it tells of itself.
REACH_SECONDS = 2.0
# What a call can do without. Reasoning models refuse any temperature but their own.
_OPTIONAL = ("stream_options", "temperature")
# Only to turn away what cannot fit: prompts have fewer characters a token than this.
_CHARACTERS_A_TOKEN = 4


@dataclass(slots=True)
class _Call:
    """One call on its way, over all its attempts. `limit` is in seconds, `deadline` in the event loop's time."""

    system: str
    user: str
    schema: JsonSchema | None
    on_delta: OnDelta | None
    limit: float
    deadline: float = 0.0
    requests: int = 0
    streamed: bool = False

    def __post_init__(self) -> None:
        self.deadline = asyncio.get_running_loop().time() + self.limit

    async def pass_on(self, chunk: StreamingChunk) -> None:
        if chunk.content and self.on_delta is not None:
            self.streamed = True
            self.on_delta(chunk.content)


class OpenAILanguageModel:
    """A `LanguageModel` of one name on one server. Belongs to the event loop of its first call. `native_root` is where
    a server that is more than OpenAI's protocol may tell about itself, `lists_models` whether `/models` is about names
    that can be asked for."""

    def __init__(
        self,
        generator: LeanChatGenerator | LeanAzureChatGenerator,
        server: Server,
        *,
        timeout: float,
        context_window: int,
        kwargs: Mapping[str, Any],
        prompt_price: float = 0.0,
        completion_price: float = 0.0,
        native_root: str | None = None,
        lists_models: bool = True,
    ) -> None:
        self._generator = generator
        self._server = server
        self._timeout = timeout
        self._context_window = context_window
        self._settings = dict(kwargs)
        self._prices = (prompt_price, completion_price)
        self._native_root = native_root
        self._lists_models = lists_models
        self._json_format = JsonFormat.SCHEMA
        self._refused: set[str] = set()
        self._closed = False

    @property
    def name(self) -> str:
        return self._server.model

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
        if len(system) + len(user) > self._context_window * _CHARACTERS_A_TOKEN:
            raise too_long(self._server)  # some servers would cut it and answer about the rest
        limit = self._timeout if timeout is None else min(timeout, self._timeout)
        call = _Call(system, user, schema, on_delta, limit)
        known = self._json_format
        message, way = await self._answered(call, known)
        if way is not known:
            self._json_format = way
        reason = message.meta.get("finish_reason")
        if reason == "content_filter":
            raise content_filtered(self._server)
        return ModelReply(
            _whole_characters(message.text or ""), self._usage(message, call.requests), reason == "length"
        )

    async def reach(self) -> None:
        """See `LanguageModel.reach`. A server that takes the connection and is slow to answer is busy, not away."""
        import httpx2
        from openai import APIConnectionError, APIStatusError

        self._require_open()
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

    async def probe(self) -> Capabilities:
        """See `LanguageModel.probe`. Two to four requests of a few words each."""
        started = asyncio.get_running_loop().time()
        try:
            plain, way = await self._probing_answer(JsonFormat.SCHEMA)
        except ModelUnavailable:
            listing = await model_listing(self._look, self.name) if self._lists_models else None
            if listing and listing.names and not listing.knows(self.name):
                raise unknown_model(self._server, listing.near(self.name)) from None
            raise
        seconds = asyncio.get_running_loop().time() - started
        strictest_taken = way
        fits = probing.is_wanted_json(plain.text or "", way)
        while not fits and (plainer := way.plainer):
            plain, way = await self._probing_answer(plainer)
            fits = probing.is_wanted_json(plain.text or "", way)
        self._json_format = way if fits else strictest_taken

        pieces: list[str] = []
        call = _Call(probing.SYSTEM, probing.USER, None, pieces.append, self._timeout)
        streamed, _ = await self._answered(call, JsonFormat.TEXT)
        length = await self._told_context_length()
        if length is not None and length < self._context_window:
            logger.warning(
                "The language model %s reads %d tokens at once here, not the %d of context_window: prompts are kept to "
                "that. Set the server to more, or context_window to less.",
                *(self.name, length, self._context_window),
            )
            self._context_window = length
        return Capabilities(
            json_format=way if fits else None,
            streams=bool(streamed.meta.get("streamed")),
            usage=self._usage(plain, 1).prompt_tokens > 0,
            usage_when_streaming=self._usage(streamed, 1).prompt_tokens > 0,
            context_length=length,
            seconds=seconds,
        )

    async def close(self) -> None:
        self._closed = True
        await self._generator.close_async()

    def _require_open(self) -> None:
        if self._closed:
            raise ModelUnavailable("The connection to the language model is closed.", "The service is shutting down.")

    async def _probing_answer(self, way: JsonFormat) -> tuple[ChatMessage, JsonFormat]:
        call = _Call(probing.SYSTEM, probing.USER, probing.SCHEMA, None, self._timeout)
        return await self._answered(call, way)

    async def _told_context_length(self) -> int | None:
        listing = await model_listing(self._look, self.name) if self._lists_models else None
        if listing is not None and listing.context_length is not None:
            return listing.context_length
        return await own_context_length(self._look, self.name, self._native_root) if self._native_root else None

    async def _look(self, address: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON that the server has at an address; None for whatever else comes of it."""
        import httpx2
        from openai import APIError

        client = self._generator.async_client
        if client is None:
            return None
        options: Any = {"timeout": REACH_SECONDS, "max_retries": 0}
        try:
            if body is None:
                response = await client.get(address, cast_to=httpx2.Response, options=options)
            else:
                response = await client.post(address, body=dict(body), cast_to=httpx2.Response, options=options)
            return response.json()
        except (APIError, ValueError):
            return None

    async def _answered(self, call: _Call, way: JsonFormat) -> tuple[ChatMessage, JsonFormat]:
        """The answer within the call's deadline, and the way in which its JSON was asked for in the end. Raises
        `ModelUnavailable`."""
        self._require_open()
        try:
            async with asyncio.timeout_at(call.deadline):
                return await self._in_a_way_it_knows(call, way)
        except Exception as error:  # noqa: BLE001 - the SDK, httpx and Haystack each have their own
            # Without its cause: that holds the request, and with it the prompt and the key.
            raise model_unavailable(error, self._server, call.limit, self._settings) from None

    async def _in_a_way_it_knows(self, call: _Call, way: JsonFormat) -> tuple[ChatMessage, JsonFormat]:
        """Ask for JSON in this way, or the next plainer one that the server takes."""
        while True:
            try:
                return await self._with_patience(call, way), way
            except Exception as error:
                plainer = way.plainer
                if call.schema is None or plainer is None or not refuses_json_format(error):
                    raise
                way = plainer

    async def _with_patience(self, call: _Call, way: JsonFormat) -> ChatMessage:
        """Try again after a failure that may pass, unless part of the answer is already out."""
        delays = iter(_BACKOFF)
        while True:
            try:
                return await self._request(call, way)
            except Exception as error:
                if call.schema is not None and refuses_json_format(error):
                    raise
                if self._can_do_without(error):
                    continue
                delay = next(delays, None)
                if delay is None or call.streamed or not is_transient(error):
                    raise
                asked = retry_after(error)
                wait = delay * random.uniform(0.75, 1.25) if asked is None else asked
                if asyncio.get_running_loop().time() + wait >= call.deadline:
                    raise
            await asyncio.sleep(wait)

    def _can_do_without(self, error: Exception) -> bool:
        """Whether the server refused an optional field; it is not sent again."""
        for field in _OPTIONAL:
            if field not in self._refused and refuses_field(error, field):
                self._refused.add(field)
                if field in self._settings:
                    logger.warning("The language model %s does not accept %s: left out.", self.name, field)
                return True
        return False

    async def _request(self, call: _Call, way: JsonFormat) -> ChatMessage:
        from haystack.dataclasses import ChatMessage

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


def openai_model(
    model: str, *, api_base: str | None, api_key: str, key_variable: str, timeout: float, **settings: Any
) -> OpenAILanguageModel:
    """A model at OpenAI, or at `api_base`. `settings` are those of `OpenAILanguageModel`."""
    prepare_sdk()
    from askwell.providers.llm.chat_generator import openai_generator

    root = api_base.rstrip("/").removesuffix("/v1") if api_base else None
    return OpenAILanguageModel(
        openai_generator(model, api_base, api_key, timeout),
        Server.at(api_base or "https://api.openai.com", model, key_variable),
        timeout=timeout,
        native_root=root,
        **settings,
    )


def prepare_sdk() -> None:
    """Before Haystack is imported, and so that nobody logs prompts."""
    haystack_telemetry.switch_off()
    # The SDK logs whole requests, prompts included, at DEBUG.
    logging.getLogger("openai").setLevel(logging.WARNING)


def _whole_characters(text: str) -> str:
    """JSON escapes and streams can split a character into two surrogates: pairs are joined, halves replaced, since
    text with a half can be neither sent nor stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
