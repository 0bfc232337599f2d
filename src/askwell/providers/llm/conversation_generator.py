"""A configured language model as the chat generator of Haystack's `Agent`.

This module imports Haystack: import it inside the function that needs it, after `telemetry.switch_off()`.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.dataclasses.streaming_chunk import StreamingCallbackT
from haystack.tools import ToolsType, flatten_tools_or_toolsets

from askwell.providers.llm.base import LanguageModel, NoTextReply, ToolSpec, Turn, Usage


@component
class ConversationGenerator:
    """Lets an `Agent` of one run talk to `model`. `usage` is what its calls have cost so far."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.usage = Usage()

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        streaming_callback: StreamingCallbackT | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: ToolsType | None = None,
    ) -> dict[str, Any]:
        """Always raises `NotImplementedError`: models are called from the event loop only."""
        raise NotImplementedError("ConversationGenerator has no synchronous way: use Agent.run_async.")

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self,
        messages: list[ChatMessage],
        streaming_callback: StreamingCallbackT | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: ToolsType | None = None,
    ) -> dict[str, Any]:
        """`{"replies": [message]}` with the assistant's next turn. With a callback the turn is streamed: a chunk for
        each piece of text, in order and before this returns.

        The message's `meta` has `model`, `finish_reason` (`stop`, `tool_calls` or `length`) and `usage` with
        `prompt_tokens`, `completion_tokens` and `total_tokens`. Follows the `call_options` of its caller. Raises what
        `LanguageModel.converse` raises, what the callback raises, and `ValueError` for `generation_kwargs`, which are
        the configuration's.
        """
        if generation_kwargs:
            raise ValueError("Set the parameters of a model in its `kwargs` in the llm section.")
        specs = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in flatten_tools_or_toolsets(tools)]
        try:
            if streaming_callback is None:
                turn = await self._model.converse(messages, tools=specs)
            else:
                turn = await self._stream(messages, specs, streaming_callback)
        except NoTextReply as error:
            self.usage += error.usage
            raise
        self.usage += turn.usage
        return {"replies": [self._reply(turn)]}

    async def _stream(self, messages: list[ChatMessage], tools: list[ToolSpec], callback: StreamingCallbackT) -> Turn:
        # A model passes text on by plain calls; the callback may have to be awaited, as for a slow reader.
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        telling = asyncio.create_task(_tell(pieces, callback))
        try:
            turn = await self._model.converse(messages, tools=tools, on_delta=pieces.put_nowait)
        except asyncio.CancelledError:
            telling.cancel()
            raise
        finally:
            pieces.put_nowait(None)
            await telling  # also after a failure: what was written before it is passed on
        return turn

    def _reply(self, turn: Turn) -> ChatMessage:
        calls = turn.message.tool_calls
        usage = turn.usage
        meta = {
            "model": self._model.name,
            "finish_reason": "length" if turn.truncated else "tool_calls" if calls else "stop",
            "usage": {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            },
        }
        return ChatMessage.from_assistant(turn.message.text or None, meta=meta, tool_calls=calls)


async def _tell(pieces: asyncio.Queue[str | None], callback: StreamingCallbackT) -> None:
    while (piece := await pieces.get()) is not None:
        result = callback(StreamingChunk(content=piece))
        if inspect.isawaitable(result):
            await result
