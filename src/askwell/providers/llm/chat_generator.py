"""Haystack's OpenAI chat generator with a leaner way of reading streams.

The SDK builds an object with all its fields for every piece of a stream, which costs 0.1 ms a piece: for a plan of some
hundred words more than the rest of an ask. Of a piece we need its text, and at the end the usage and why it stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk
from openai import APIError

if TYPE_CHECKING:
    import httpx2

# A stream that arrives all at once is read without waiting; others get their turn after so many pieces.
_PIECES_AT_A_TIME = 50
# Seconds for a server to end its response after its last word, so that the connection can be used again.
_PATIENCE_AT_THE_END = 0.5


class LeanChatGenerator(OpenAIChatGenerator):
    """As its parent; streams are read here. Pieces carry nothing but their text."""

    async def _handle_async_stream_response(self, chat_completion: Any, callback: Any) -> list[ChatMessage]:
        texts: list[str] = []
        usage: dict[str, Any] | None = None
        finish_reason: str | None = None
        try:
            async for event in _events(chat_completion.response):
                usage = event.get("usage") or usage
                for choice in (event.get("choices") or [])[:1]:
                    finish_reason = choice.get("finish_reason") or finish_reason
                    # `message` is there when the server does not stream and sends its whole reply as one.
                    text = (choice.get("delta") or choice.get("message") or {}).get("content")
                    if not text:
                        continue
                    texts.append(text)
                    await callback(StreamingChunk(content=text))
                    if len(texts) % _PIECES_AT_A_TIME == 0:
                        await asyncio.sleep(0)
        finally:
            # Also when this task is cancelled: the connection has to be gone by then.
            await asyncio.shield(chat_completion.close())
        meta = {"model": self.model, "index": 0, "finish_reason": finish_reason, "usage": usage}
        return [ChatMessage.from_assistant("".join(texts), meta=meta)]


async def _events(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    """The JSON of each server-sent event up to `[DONE]`. Raises `APIError` for an error in the stream."""
    if response.headers.get("content-type", "").startswith("application/json"):
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
        raise ValueError("a streamed event is not an object")
    if event.get("error"):
        raise APIError("The stream holds an error.", response.request, body=event["error"])
    return event


async def _drain(lines: AsyncIterator[str]) -> None:
    try:
        async with asyncio.timeout(_PATIENCE_AT_THE_END):
            async for _ in lines:
                pass
    except TimeoutError:
        pass
