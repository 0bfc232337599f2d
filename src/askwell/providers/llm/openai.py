"""A language model on any server that speaks OpenAI's chat completions, and what servers tell of their models
unasked: names, and how much they read at once.

All servers list their models. OpenAI tells nothing of the context length; vLLM, OpenRouter and many others tell it in
the list; LM Studio, llama.cpp and Ollama under addresses of their own. What counts is what is really set aside for a
prompt, not what the model was trained for: Ollama cuts a longer prompt without a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from askwell.providers.llm.base import (
    Capabilities,
    JsonFormat,
    JsonSchema,
    ModelCall,
    ModelReply,
    PromptTooLong,
    UnfinishedReply,
    Usage,
)
from askwell.providers.llm.call_options import call_options
from askwell.providers.llm.chat_calls import REACH_SECONDS, ChatCall, ChatCalls, prompt_messages
from askwell.providers.llm.listing import ModelListing, entries, read_listing, tokens
from askwell.providers.llm.openai_errors import RequestFailed, Server, failure, unanswered
from askwell.providers.llm.reply_reading import Reply

if TYPE_CHECKING:
    from askwell.providers.llm.component_model import ComponentCalls

logger = logging.getLogger(__name__)

# Gives the JSON at an address, None for anything else: `get(address)`, or with a body to be posted.
Look = Callable[[str, Mapping[str, Any] | None], Awaitable[Any]]

_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


async def own_context_length(look: Look, model: str, root: str) -> int | None:
    """What Ollama, LM Studio and llama.cpp say under `root`, the server's address without /v1. Asked after a first
    answer: then the model is loaded, and Ollama knows what it has set aside."""
    addresses = (f"{root}/api/ps", f"{root}/api/v0/models", f"{root}/props")
    running, studio, props = await asyncio.gather(*(look(address, None) for address in addresses))
    for entry in entries(running, "models"):
        if model in (name := entry.get("name"), str(name).removesuffix(":latest")):
            length = tokens(entry.get("context_length"))
            return length or _set_length(await look(f"{root}/api/show", {"model": model}))
    for entry in entries(studio, "data"):
        if entry.get("id") == model:
            return tokens(entry.get("loaded_context_length"))
    generation = props.get("default_generation_settings") if isinstance(props, dict) else None
    return tokens(generation.get("n_ctx")) if isinstance(generation, dict) else None


def _set_length(shown: Any) -> int | None:
    found = _NUM_CTX.search(str(shown.get("parameters") or "")) if isinstance(shown, dict) else None
    return int(found[1]) if found else None


# -- finding out what a server really does, by a few tiny requests: servers promise more than they keep

# The first line names the task, as in every prompt of ours.
PROBE_SYSTEM = "Task: capability_probe\nAnswer with one word."
PROBE_USER = "Is water wet?"
# Said only by a server that keeps to the schema: nothing else of the request names the property.
PROBE_SCHEMA = JsonSchema(
    "capability_probe",
    {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def is_wanted_json(text: str, way: JsonFormat) -> bool:
    """Whether a reply fits `PROBE_SCHEMA`: alone where the server promised JSON, else with words or a fence around it,
    which is how replies are read anyway."""
    if way is JsonFormat.TEXT and (found := _OBJECT.search(text)):
        text = found[0]
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("answer"), str)


# Only to turn away what cannot fit: prompts have fewer characters a token than this.
CHARACTERS_A_TOKEN = 4
# As few as most texts have.
_FEWEST_CHARACTERS = 2.5


class OpenAILanguageModel:
    """A `LanguageModel` of one name on one server. Belongs to the event loop of its first call.

    `timeout` is in seconds for a call, `prices` are US dollars for a million tokens in and out, `native_root` is where
    a server that is more than OpenAI's protocol may tell about itself, and `lists_models` says whether `/models` is
    about names that can be asked for. The strictest way of asking for JSON that the server takes is remembered.
    """

    def __init__(
        self,
        calls: ChatCalls | ComponentCalls,
        server: Server,
        *,
        timeout: float,
        context_window: int,
        prices: tuple[float, float],
        native_root: str | None = None,
        lists_models: bool = True,
    ) -> None:
        self._calls = calls
        self._server = server
        self.name = server.model
        self._timeout = timeout
        self._context_window = context_window
        self._prices = prices
        self._native_root = native_root
        self._lists_models = lists_models
        self._json_format = JsonFormat.SCHEMA
        self._looked = native_root is None
        self._looking = asyncio.Lock()
        self._thinks = False

    @property
    def context_window(self) -> int:
        return self._context_window

    @property
    def away(self) -> bool:
        return self._calls.away

    async def reply(self, call: ModelCall) -> ModelReply:
        """See `LanguageModel.reply`. `usage.llm_calls` counts the requests sent, those turned away included."""
        if call.messages is None:
            messages = prompt_messages(call.system, call.user)
        else:
            messages = [message.to_openai_dict_format() for message in call.messages]
        limit = self._timeout if call.timeout is None else min(call.timeout, self._timeout)
        sent = ChatCall(messages, limit, schema=call.schema, tools=call.tools, on_delta=call.on_delta)
        reply, usage = await self._answer(sent)
        calls = reply.calls if call.tools else ()
        return ModelReply(reply.text, usage, truncated=reply.is_cut, model=model_of(reply), calls=calls)

    async def _answer(self, call: ChatCall) -> tuple[Reply, Usage]:
        """The reply and what it cost, all attempts included. Raises as `LanguageModel.reply` does."""
        characters = call.characters
        self._require_room_for(characters)
        call.most_tokens = self._most_tokens(characters)
        known = self._json_format
        reply, way = await self._calls.answer(call, known)
        # Callers that want no reply ask for one token.
        if (call.most_tokens or 1) > 1 and reply.is_cut and not (reply.has_words or reply.calls):
            # What it thinks counts too, and nobody knows how long that takes.
            self._thinks = True
            call.most_tokens = None
            reply, way = await self._calls.answer(call, way)
        if way is not known:
            self._json_format = way
        if not self._looked:
            # Now that the model is loaded, its server knows; and if this prompt was cut, its answer is worth nothing.
            async with self._looking:  # nor are those of others that came meanwhile
                if not self._looked:
                    await self._learnt_context_length()
            self._require_room_for(characters)
        usage = usage_of(reply, call.requests, self._prices)
        require_answer(reply, usage, self._server, may_call=bool(call.tools))
        return reply, usage

    async def reach(self) -> None:
        """See `LanguageModel.reach`."""
        await self._calls.reach()

    async def probe(self) -> Capabilities:
        """See `LanguageModel.probe`. Two to four requests of a few words each, and looks at what the server tells."""
        started = asyncio.get_running_loop().time()
        try:
            plain, way = await self._probing_answer(JsonFormat.SCHEMA)
        except RequestFailed:
            listing = await self._listing()
            if listing.names and listing.find(self.name) is None:
                near = ", ".join(listing.near(self.name))
                raise failure("unknown_model", self._server, near=near) from None
            raise
        seconds = asyncio.get_running_loop().time() - started
        strictest_taken = way
        fits = is_wanted_json(plain.text, way)
        while not fits and (plainer := way.plainer):
            plain, way = await self._probing_answer(plainer)
            fits = is_wanted_json(plain.text, way)
        self._json_format = way if fits else strictest_taken

        messages = prompt_messages(PROBE_SYSTEM, PROBE_USER)
        call = ChatCall(messages, self._timeout, on_delta=lambda _: None)
        streamed, _ = await self._calls.answer(call, JsonFormat.TEXT)
        return Capabilities(
            json_format=way if fits else None,
            streams=streamed.streamed,
            usage=usage_of(plain, 1).prompt_tokens > 0,
            usage_when_streaming=usage_of(streamed, 1).prompt_tokens > 0,
            context_length=await self._learnt_context_length(),
            seconds=seconds,
        )

    async def close(self) -> None:
        await self._calls.close()

    async def _probing_answer(self, way: JsonFormat) -> tuple[Reply, JsonFormat]:
        messages = prompt_messages(PROBE_SYSTEM, PROBE_USER)
        call = ChatCall(messages, self._timeout, schema=PROBE_SCHEMA)
        return await self._calls.answer(call, way)

    def _most_tokens(self, characters: int) -> int | None:
        """The caller's limit for a reply; None where the model thinks first, or where a server that counts prompt and
        limit together may turn it away."""
        most = call_options().most_tokens
        if most is None or self._thinks or most + characters / _FEWEST_CHARACTERS > self._context_window:
            return None
        return most

    def _require_room_for(self, characters: int) -> None:
        """Some servers cut a prompt that is too long, and answer about the rest."""
        if characters > self._context_window * CHARACTERS_A_TOKEN:
            raise failure("too_long", self._server, PromptTooLong)

    async def _listing(self) -> ModelListing:
        return read_listing(await self._calls.look("/models")) if self._lists_models else ModelListing()

    async def _learnt_context_length(self) -> int | None:
        """What the server tells within `REACH_SECONDS`; from now on no more than that is counted on."""
        length = None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REACH_SECONDS):
                listed = (await self._listing()).find(self.name)
                length = listed.context_length if listed is not None else None
                if length is None and self._native_root is not None:
                    length = await own_context_length(self._calls.look, self.name, self._native_root)
        self._looked = True
        if length is not None and length < self._context_window:
            logger.warning(
                "The language model %s reads %d tokens at once on its server, not the %d of context_window: prompts "
                "are kept to that. Set the server to more, or context_window to less.",
                *(self.name, length, self._context_window),
            )
            self._context_window = length
        return length


# More than any model reads or writes in one call: what a server says beyond is nonsense.
_MOST_TOKENS = 10**9
_MOST_OF_A_NAME = 256


def require_answer(reply: Reply, usage: Usage, server: Server, *, may_call: bool) -> None:
    """Raises `ModelUnavailable` where the model did something else in place of answering, with what to change. A reply
    of nothing at all passes: most callers can do without one."""
    if reply.is_filtered:
        raise failure("filtered", server)
    if reply.has_words or (may_call and reply.calls):
        return
    if reply.is_refusal or reply.calls:
        raise unanswered("refused_to_answer" if reply.is_refusal else "called_a_tool", server, usage)
    if reply.is_cut or reply.thought:
        raise unanswered("cut" if reply.is_cut else "thoughts_only", server, usage, UnfinishedReply)


def usage_of(reply: Reply, requests: int, prices: tuple[float, float] = (0.0, 0.0)) -> Usage:
    """Tokens as the server counted them, and their cost; 0 where it does not say."""
    prompt, completion = (
        _count(reply.usage.get(f"{what}_tokens") or reply.usage.get(f"{other}_tokens"))
        for what, other in (("prompt", "input"), ("completion", "output"))
    )
    cost = (prompt * prices[0] + completion * prices[1]) / 1_000_000
    return Usage(requests, prompt, completion, cost, min(_cached(reply), prompt))


def model_of(reply: Reply) -> str:
    """The model that answered, which may be a version or a stand-in of the one that was asked for."""
    return reply.model[:_MOST_OF_A_NAME] if isinstance(reply.model, str) else ""


def _cached(reply: Reply) -> int:
    """Tokens of the prompt that the server had in its cache, by OpenAI's field or by DeepSeek's."""
    details = reply.usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return cached or _count(reply.usage.get("prompt_cache_hit_tokens"))


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value <= _MOST_TOKENS else 0
