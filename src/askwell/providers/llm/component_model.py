"""A language model behind a chat generator of Haystack's ecosystem.

What every such component has in common is used: messages in, a reply out; where its `run` takes them, tools, a
callback for streams and a temperature. The shape of a reply is asked for in words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.tools.tool import Tool

from askwell.errors import ModelUnavailable
from askwell.providers.haystack_components import Component, ComponentFailed, call_failure
from askwell.providers.llm.base import CalledTool, JsonFormat
from askwell.providers.llm.chat_calls import ChatCall, in_plain_roles
from askwell.providers.llm.openai_errors import (
    Server,
    failure,
    model_unavailable,
    quoted,
    refuses_field,
    refuses_roles,
)
from askwell.providers.llm.reply_reading import Reply, whole_characters
from askwell.providers.llm.thinking import Piece, Thoughts, without_asides
from askwell.providers.model_server import CallFailed, ServerRefused


class ComponentCalls:
    """The calls of `server.model` that a component makes, in place of `ChatCalls`. What the server turns away of system
    messages and temperatures is not sent again."""

    away = False

    def __init__(self, generator: Component, server: Server) -> None:
        self._generator = generator
        self._server = server
        self._in_plain_roles = self._keeps_its_temperature = self._leaves_thoughts_unopened = False

    async def answer(self, call: ChatCall, way: JsonFormat) -> tuple[Reply, JsonFormat]:
        """See `ChatCalls.answer`: JSON is asked for in words only, and no limit of tokens is sent."""
        if call.tools and "tools" not in self._generator.takes:
            raise failure("no_tools", self._server)
        call.most_tokens = None
        hearing = _Hearing(call, Thoughts(waits=self._leaves_thoughts_unopened))
        try:
            async with asyncio.timeout_at(call.deadline):
                reply = hearing.finish(await self._answer(call, hearing))
        except Exception as error:  # noqa: BLE001 - whatever a component raises, people read it in words
            raise self._unavailable(call_failure(error), call) from None
        self._leaves_thoughts_unopened |= hearing.thoughts.unopened
        return reply, JsonFormat.TEXT

    async def reach(self) -> None:
        """Nothing is known before it is asked: components have no way to look for their servers."""

    async def look(self, address: str, body: Mapping[str, Any] | None = None) -> None:
        """Nor do they tell anything else of them."""

    async def close(self) -> None:
        await self._generator.close()

    def _unavailable(self, error: CallFailed, sent: ChatCall) -> ModelUnavailable:
        said = ""
        if isinstance(error, ServerRefused | ComponentFailed):
            refused = error if isinstance(error, ServerRefused) else ServerRefused(500, str(error), {})
            said = quoted(refused, sent.texts, self._server.secrets)
        if isinstance(error, ComponentFailed):
            return failure("component_failed", self._server, said=said, component=self._generator.path)
        return model_unavailable(error, self._server, sent.limit, (), said)

    async def _answer(self, call: ChatCall, hearing: _Hearing) -> ChatMessage:
        """The reply, asked for once more in another form where the server turns this one away."""
        while True:
            call.requests += 1
            try:
                message = (await self._run(call, hearing))["replies"][0]
            except Exception as error:
                refused = call_failure(error)
                if refuses_roles(refused) and not self._in_plain_roles:
                    self._in_plain_roles = True
                elif refuses_field(refused, "temperature") and not self._keeps_its_temperature:
                    self._keeps_its_temperature = True
                else:
                    raise
            else:
                if not isinstance(message, ChatMessage):
                    raise ComponentFailed("its replies are not chat messages")
                return message

    async def _run(self, call: ChatCall, hearing: _Hearing) -> dict[str, Any]:
        takes = self._generator.takes
        said = call.messages_in(JsonFormat.TEXT)
        said = in_plain_roles(said) if self._in_plain_roles else said
        given: dict[str, Any] = {"messages": [ChatMessage.from_openai_dict_format(dict(one)) for one in said]}
        if call.tools:
            # The caller runs them, never the component.
            given["tools"] = [Tool(one.name, one.description, dict(one.parameters), dict) for one in call.tools]
        if call.wanted.temperature is not None and "generation_kwargs" in takes and not self._keeps_its_temperature:
            given["generation_kwargs"] = {"temperature": call.wanted.temperature}
        if call.on_delta is not None and "streaming_callback" in takes:
            loop, is_async = asyncio.get_running_loop(), hasattr(self._generator.instance, "run_async")
            given["streaming_callback"] = (
                hearing.take_async if is_async else lambda chunk: loop.call_soon_threadsafe(hearing.take, chunk)
            )
        return await self._generator.run(**given)


class _Hearing:
    """What comes of one call: pieces are passed on while they come, and put together at the end."""

    def __init__(self, call: ChatCall, thoughts: Thoughts) -> None:
        self.thoughts = thoughts
        self._call = call
        self._streamed = self._thought = False

    async def take_async(self, chunk: StreamingChunk) -> None:
        self.take(chunk)

    def take(self, chunk: StreamingChunk) -> None:
        self._streamed = True
        self._add(chunk.content or "", chunk.reasoning)

    def finish(self, message: ChatMessage) -> Reply:
        if not self._streamed:
            self._add("".join(message.texts), message.reasoning)
        self._pass_on(self.thoughts.finish())
        meta, usage = message.meta, message.meta.get("usage")
        whole = whole_characters(self.thoughts.reply)
        text = without_asides(whole)
        reason = next((meta[key] for key in ("finish_reason", "stop_reason", "done_reason") if meta.get(key)), None)
        if reason is None and meta.get("done") and self._call.schema and not text.rstrip().endswith(("}", "`")):
            reason = "length"  # Ollama's component leaves this one out
        return Reply(
            text=text,
            calls=tuple(
                CalledTool(one.tool_name, dict(one.arguments), one.id or f"call_{place}")
                for place, one in enumerate(message.tool_calls)
            ),
            finish_reason=reason,
            usage=usage if isinstance(usage, dict) else {},
            model=meta.get("model"),
            streamed=self._streamed,
            is_refusal=False,
            thought=self._thought or self.thoughts.found or text != whole,
        )

    def _add(self, text: str, reasoning: Any) -> None:
        thought = reasoning.reasoning_text if reasoning else ""
        self._thought = self._thought or bool(thought)
        self._pass_on([Piece(thought, is_thought=True), *self.thoughts.add(text)])

    def _pass_on(self, pieces: Sequence[Piece]) -> None:
        for piece in filter(lambda piece: piece.text, pieces):
            self._call.pass_on(piece)
