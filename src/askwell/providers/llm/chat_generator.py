"""The chat generator of all pipelines and of Haystack's `Agent`: a configured language model as a component.

This module imports Haystack: import it inside the function that needs it.
"""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, ChatRole, StreamingChunk, ToolCall
from haystack.dataclasses.streaming_chunk import StreamingCallbackT
from haystack.tools import ToolsType, flatten_tools_or_toolsets

from askwell.providers.llm.base import LanguageModel, ModelCall, ModelReply, NoTextReply, ToolSpec, Usage

# What a caller may say of a call, and the messages of a prompt.
_OPTIONS = frozenset({"schema", "on_delta", "timeout"})
_PROMPT = [ChatRole.SYSTEM, ChatRole.USER]


@component
class ChatGenerator:
    """Lets a pipeline, or an `Agent` of one run, talk to `model`. `usage` is what its calls have cost so far."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.usage = Usage()

    @component.output_types(replies=list[ChatMessage], usage=Usage)
    def run(
        self,
        messages: list[ChatMessage],
        streaming_callback: StreamingCallbackT | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: ToolsType | None = None,
    ) -> dict[str, Any]:
        """Always raises `NotImplementedError`: models are called from the event loop only."""
        raise NotImplementedError("ChatGenerator has no synchronous way: use run_async.")

    @component.output_types(replies=list[ChatMessage], usage=Usage)
    async def run_async(
        self,
        messages: list[ChatMessage],
        streaming_callback: StreamingCallbackT | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        *,
        tools: ToolsType | None = None,
    ) -> dict[str, Any]:
        """`{"replies": [message], "usage": usage}` with the assistant's next turn. With a callback the turn is
        streamed: a chunk for each piece of text, in order and before this returns. Without `tools`, a system's message
        and a user's are a prompt; of one, `generation_kwargs` may have `schema`, the `JsonSchema` of the reply;
        `on_delta`, which gets its pieces as plain texts; and `timeout` in seconds. Parameters of the model are the
        configuration's.

        The message's `meta` has `model`, `finish_reason` (`stop`, `tool_calls` or `length`) and `usage` with
        `prompt_tokens`, `completion_tokens` and `total_tokens`. Follows the `call_options` of its caller. Raises what
        `LanguageModel` raises, what the callback raises, and `ValueError` for other `generation_kwargs`.
        """
        options = generation_kwargs or {}
        specs = [ToolSpec(tool.name, tool.description, tool.parameters) for tool in flatten_tools_or_toolsets(tools)]
        is_prompt = streaming_callback is None and not specs and [message.role for message in messages] == _PROMPT
        if options.keys() - (_OPTIONS if is_prompt else frozenset()):
            raise ValueError("Set the parameters of a model in its `kwargs` in the llm section.")
        call = ModelCall(messages=messages, tools=specs)
        if is_prompt:
            system, user = (message.text or "" for message in messages)
            call = ModelCall(system, user, **options)
        try:
            if streaming_callback is not None:
                answer = await self._stream(call, streaming_callback)
            else:
                answer = await self._model.reply(call)
        except NoTextReply as error:
            self.usage += error.usage
            raise
        self.usage += answer.usage
        return {"replies": [self._reply(answer)], "usage": answer.usage}

    async def _stream(self, call: ModelCall, callback: StreamingCallbackT) -> ModelReply:
        # A model passes text on by plain calls; the callback may have to be awaited, as for a slow reader.
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        telling = asyncio.create_task(_tell(pieces, callback))
        try:
            return await self._model.reply(replace(call, on_delta=pieces.put_nowait))
        except asyncio.CancelledError:
            telling.cancel()
            raise
        finally:
            pieces.put_nowait(None)
            await telling  # also after a failure: what was written before it is passed on

    def _reply(self, answer: ModelReply) -> ChatMessage:
        calls = [ToolCall(one.name, one.arguments, one.id) for one in answer.calls]
        usage = answer.usage
        meta = {
            "model": self._model.name,
            "finish_reason": "length" if answer.truncated else "tool_calls" if calls else "stop",
            "usage": {
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            },
        }
        return ChatMessage.from_assistant(answer.text or None, meta=meta, tool_calls=calls)


async def _tell(pieces: asyncio.Queue[str | None], callback: StreamingCallbackT) -> None:
    while (piece := await pieces.get()) is not None:
        result = callback(StreamingChunk(content=piece))
        if inspect.isawaitable(result):
            await result
