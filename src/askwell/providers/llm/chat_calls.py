"""Chat calls to one model on one server: tried again, stepped down, and their failures put into words.

How a JSON reply is asked for, from the strictest way to the plainest: servers differ in what they understand.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from askwell.errors import ModelUnavailable
from askwell.messages import say
from askwell.observability.trace_context import HEADER
from askwell.observability.tracing import current_span
from askwell.providers.breaker import Breaker
from askwell.providers.llm.base import JsonFormat, JsonSchema, OnDelta, ToolSpec
from askwell.providers.llm.call_options import CallOptions, call_options
from askwell.providers.llm.openai_errors import (
    Server,
    failure,
    is_gateway_failure,
    model_unavailable,
    quoted,
    refuses_field,
    refuses_json_format,
    refuses_roles,
    refuses_tools,
    server_away,
    server_unreachable,
    tries_in_all,
    was_reached,
)
from askwell.providers.llm.reply_reading import Reply, read_reply
from askwell.providers.llm.thinking import Piece, Thoughts
from askwell.providers.model_server import CallFailed, ModelServer, ServerRefused, retry_after

logger = logging.getLogger(__name__)


def response_format(schema: JsonSchema, way: JsonFormat) -> dict[str, Any] | None:
    """The request's `response_format`; None for plain text."""
    match way:
        case JsonFormat.SCHEMA:
            shape = {"name": schema.name, "strict": True, "schema": dict(schema.schema)}
            return {"type": "json_schema", "json_schema": shape}
        case JsonFormat.OBJECT:
            return {"type": "json_object"}
        case JsonFormat.TEXT:
            return None
    assert_never(way)


def with_schema(user: str, schema: JsonSchema, way: JsonFormat) -> str:
    """The user text, with the schema spelled out at its end where the request itself cannot carry it: what stands
    before it is what other calls begin with too."""
    if way is JsonFormat.SCHEMA:
        return user
    shape = json.dumps(schema.schema, ensure_ascii=False)
    return f"{user}\n\nReply with one JSON object and nothing else. It has to fit this JSON Schema:\n{shape}"


# Seconds before each attempt after the first, a quarter more or less: many waiting calls should not come back at once.
_BACKOFF = (0.25, 0.75, 1.5)
# Seconds for finding out whether the server is there, and for each look at what it tells of itself.
REACH_SECONDS = 2.0
# Two names of the limit of a reply: reasoning models take the second, other servers the first.
_LIMITS = ("max_tokens", "max_completion_tokens")
# What a call can do without. Reasoning models refuse any temperature but their own; others know no effort.
_OPTIONAL = ("stream_options", "temperature", "reasoning_effort")


@dataclass(slots=True)
class ChatCall:
    """One call on its way, over all its attempts. `messages` are in OpenAI's form; with `schema` the last of them is
    the user's. `limit` is in seconds, `deadline` in the event loop's time; `optional` are the fields of its last
    attempt that it can do without; `most_tokens` bounds the reply."""

    messages: Sequence[Mapping[str, Any]]
    limit: float
    _: dataclasses.KW_ONLY
    schema: JsonSchema | None = None
    tools: Sequence[ToolSpec] = ()
    on_delta: OnDelta | None = None
    deadline: float = 0.0
    requests: int = 0
    streamed: bool = False
    optional: frozenset[str] = frozenset()
    most_tokens: int | None = None
    wanted: CallOptions = dataclasses.field(default_factory=call_options)

    def __post_init__(self) -> None:
        self.deadline = asyncio.get_running_loop().time() + self.limit

    @property
    def characters(self) -> int:
        """The length of everything that the model reads, the fields' names apart."""
        said = [[message.get("content"), message.get("tool_calls")] for message in self.messages]
        return _characters(said) + sum(_characters(dataclasses.asdict(tool)) for tool in self.tools)

    @property
    def texts(self) -> list[str]:
        """The texts of its messages."""
        return [text for message in self.messages if isinstance(text := message.get("content"), str)]

    def needs_another_form(self, error: Exception) -> bool:
        """Whether the server refused what this call cannot go without in this form: trying again is no use."""
        return (self.schema is not None and refuses_json_format(error)) or self.is_refused_tools(error)

    def is_refused_tools(self, error: Exception) -> bool:
        """Whether the server or the model cannot call tools at all."""
        return bool(self.tools) and refuses_tools(error)

    def messages_in(self, way: JsonFormat) -> Sequence[Mapping[str, Any]]:
        """The messages, the last with the schema in words where the request itself cannot carry it."""
        if self.schema is None:
            return self.messages
        *others, last = self.messages
        return [*others, {**last, "content": with_schema(last["content"], self.schema, way)}]

    def pass_on(self, piece: Piece) -> None:
        """A piece of the reply has come."""
        if piece.is_thought:
            if self.wanted.on_thought is not None:
                self.wanted.on_thought(piece.text)
        elif self.on_delta is not None:
            self.streamed = True
            self.on_delta(piece.text)


def _characters(value: object) -> int:
    match value:
        case str():
            return len(value)
        case Mapping():
            return sum(map(_characters, value.values()))
        case list():
            return sum(map(_characters, value))
    return 0


def in_plain_roles(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages without a system's: it is the beginning of the user's first. Those of one role in a row are one."""
    plain: list[Mapping[str, Any]] = []
    for message in messages:
        role = "user" if message["role"] == "system" else message["role"]
        if plain and plain[-1]["role"] == role == "user":
            plain[-1] = {"role": role, "content": f"{plain[-1]['content']}\n\n{message['content']}"}
        else:
            plain.append({**message, "role": role})
    return plain


def prompt_messages(system: str, user: str) -> list[Mapping[str, Any]]:
    """A prompt as messages in OpenAI's form."""
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


class ChatCalls:
    """The calls of `server.model` over the connections of `http`. An optional field of a request that the server
    turned away is not sent again. `settings` go out with every call, `breaker` is the server's. With `trace_context`
    each request says which trace it belongs to."""

    def __init__(
        self,
        http: ModelServer,
        server: Server,
        settings: Mapping[str, Any],
        breaker: Breaker,
        *,
        trace_context: bool = False,
    ) -> None:
        self._http = http
        self._server = server
        self._settings = dict(settings)
        self._breaker = breaker
        self._trace_context = trace_context
        self._refused: set[str] = set()
        self._renamed: dict[str, str] = {}
        self._in_plain_roles = False
        # The model was seen to leave out the mark that opens a thought.
        self._leaves_thoughts_unopened = False

    @property
    def away(self) -> bool:
        """See `LanguageModel.away`."""
        return self._breaker.away

    async def answer(self, call: ChatCall, way: JsonFormat) -> tuple[Reply, JsonFormat]:
        """The answer within the call's deadline, and the way in which its JSON was asked for in the end: this one, or
        the next plainer one that the server takes. Raises `ModelUnavailable`."""
        self._require_open()
        try:
            async with asyncio.timeout_at(call.deadline):
                return await self._in_a_way_it_knows(call, way)
        except Exception as error:  # noqa: BLE001 - whatever it is, people read it in words
            if call.is_refused_tools(error):
                raise failure("no_tools", self._server) from None
            raise model_unavailable(
                error, self._server, call.limit, self._settings, self._quoted(error, call)
            ) from None

    def _quoted(self, error: Exception, call: ChatCall) -> str:
        return quoted(error, call.texts, self._server.secrets) if isinstance(error, ServerRefused) else ""

    async def reach(self) -> None:
        """See `LanguageModel.reach`."""
        self._require_open()
        if self._breaker.away:
            raise server_away(self._server)
        if await self._http.knock(REACH_SECONDS) is None:
            raise server_unreachable(self._server)

    async def _is_there(self) -> bool:
        """For the breaker."""
        answer = await self._http.knock(REACH_SECONDS)
        return answer is not None and not (isinstance(answer, ServerRefused) and is_gateway_failure(answer))

    async def look(self, address: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON that the server has at an address; None for whatever else comes of it."""
        self._require_open()
        try:
            return await self._http.json(address, body, timeout=REACH_SECONDS)
        except (CallFailed, ValueError):
            return None

    async def close(self) -> None:
        """Safe to call twice."""
        await self._breaker.close()
        await self._http.close()

    def _require_open(self) -> None:
        if self._http.is_closed:
            raise ModelUnavailable(*say("llm.closed"))

    async def _in_a_way_it_knows(self, call: ChatCall, way: JsonFormat) -> tuple[Reply, JsonFormat]:
        while True:
            try:
                return await self._with_patience(call, way), way
            except Exception as error:
                plainer = way.plainer
                if call.schema is None or plainer is None or not refuses_json_format(error):
                    raise
                way = plainer

    async def _with_patience(self, call: ChatCall, way: JsonFormat) -> Reply:
        """Try again after a failure that may pass, unless part of the answer is already out: a reader would
        read its beginning twice, and perhaps in other words."""
        tried = 0
        while True:
            if self._breaker.away:
                raise server_away(self._server)
            try:
                answer = await self._request(call, way)
                self._breaker.answered()
                return answer
            except Exception as error:
                self._tell_breaker(error)
                if self._can_do_without(error, call):
                    continue
                if call.needs_another_form(error):
                    raise
                tried += 1
                if call.streamed or tried >= tries_in_all(error):
                    raise
                asked = retry_after(error)
                wait = _BACKOFF[tried - 1] * random.uniform(0.75, 1.25) if asked is None else asked
                if asyncio.get_running_loop().time() + wait >= call.deadline:
                    raise
            await asyncio.sleep(wait)

    def _tell_breaker(self, error: Exception) -> None:
        reached = was_reached(error)
        if reached:
            self._breaker.answered()
        elif reached is False:
            self._breaker.failed(self._server.model, self._is_there)

    def _can_do_without(self, error: Exception, call: ChatCall) -> bool:
        """Whether the server refused an optional field that was sent."""
        for field in (*_OPTIONAL, *_LIMITS):
            if field in call.optional and refuses_field(error, field):
                # Calls that went out together are refused together.
                if field in self._settings and field not in self._refused:
                    logger.warning("The language model %s does not accept %s: left out.", self._server.model, field)
                self._refused.add(field)
                return True
        if not self._in_plain_roles and refuses_roles(error):
            self._in_plain_roles = True
            return True
        return self._can_be_renamed(error)

    def _can_be_renamed(self, error: Exception) -> bool:
        """Whether the server knows the limit of a reply's tokens by its other name only, as far as one can tell."""
        for name, other in (_LIMITS, _LIMITS[::-1]):
            if name in self._settings and not self._renamed and refuses_field(error, name):
                logger.warning("The language model %s does not accept %s: sent as %s.", self._server.model, name, other)
                self._renamed[name] = other
                return True
        return False

    async def _request(self, call: ChatCall, way: JsonFormat) -> Reply:
        call.requests += 1
        options = {self._renamed.get(name, name): value for name, value in self._settings.items()}
        if call.wanted.temperature is not None:
            options["temperature"] = call.wanted.temperature
        if call.schema is not None and (wanted := response_format(call.schema, way)):
            options["response_format"] = wanted
        if call.tools:
            options["tools"] = [{"type": "function", "function": dataclasses.asdict(tool)} for tool in call.tools]
        if call.on_delta is not None:
            options["stream_options"] = {"include_usage": True}
        if self._trace_context and (span := current_span.get()) is not None:
            options["extra_headers"] = {**options.get("extra_headers", {}), HEADER: span.context.header()}
        for field in self._refused:
            options.pop(field, None)
        call.optional = frozenset(options).intersection(_OPTIONAL)
        if call.most_tokens is not None and not options.keys() & _LIMITS:
            for name in [name for name in _LIMITS if name not in self._refused][:1]:
                options[name] = call.most_tokens
                call.optional |= {name}
        messages = call.messages_in(way)
        return await self._sent(in_plain_roles(messages) if self._in_plain_roles else messages, call, options)

    async def _sent(self, messages: Sequence[Mapping[str, Any]], call: ChatCall, options: dict[str, Any]) -> Reply:
        aside = {name: options.pop(name, None) for name in ("extra_headers", "extra_query", "extra_body", "timeout")}
        streams = call.on_delta is not None
        body = {"model": self._server.model, "messages": list(messages), "stream": streams, **options}
        thoughts = Thoughts(waits=self._leaves_thoughts_unopened)
        async with self._http.answer(
            "/chat/completions",
            body | (aside["extra_body"] or {}),
            is_call=True,
            timeout=aside["timeout"],
            headers=aside["extra_headers"],
            query=aside["extra_query"],
        ) as answer:
            reply = await read_reply(answer, call.pass_on if streams else None, thoughts)
        self._leaves_thoughts_unopened |= thoughts.unopened
        return reply
