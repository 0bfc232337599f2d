"""Requests and answers of OpenAI's protocol, as a scripted server reads and writes them."""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.chat_script import Answer

# How many dimensions the vectors of `/v1/embeddings` have unless the server is told another number.
EMBEDDING_DIMENSIONS = 384


@dataclass
class ChatRequest:
    """A request as it arrived, and how it ended: `answered`, `refused` (an HTTP error), `dropped`, or `abandoned` when
    the client closed the connection first. `outcome` is None while it is being answered. `authorization` is the header
    of that name, or Azure's `api-key`."""

    stage: str
    body: dict[str, Any]
    authorization: str | None
    path: str = ""
    received: float = field(default_factory=time.monotonic)
    outcome: str | None = None

    def _text(self, role: str) -> str:
        return "\n".join(str(m["content"]) for m in self.body["messages"] if m["role"] == role)

    @property
    def system(self) -> str:
        return self._text("system")

    @property
    def user(self) -> str:
        return self._text("user")

    @property
    def response_format(self) -> str | None:
        return (self.body.get("response_format") or {}).get("type")

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))


def pieces(text: str) -> list[str]:
    """Whitespace kept with the word before it, so that the pieces add up to the text."""
    found: list[str] = []
    for part in text.splitlines(keepends=True):
        words = part.split(" ")
        found += [word + " " for word in words[:-1]] + [words[-1]]
    return [piece for piece in found if piece] or [""]


def usage(request: ChatRequest, answer: Answer) -> dict[str, Any]:
    prompt, completion = len(request.system + request.user) // 4, len(answer.content) // 4
    counted = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {**counted, "prompt_tokens_details": {"cached_tokens": answer.cached}} if answer.cached else counted


def head(request: ChatRequest, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": request.body["model"]}


def completion(request: ChatRequest, answer: Answer, counted: dict[str, Any] | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.content, **in_place_of_text(answer)}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    whole = {**head(request, "chat.completion"), "choices": [choice]}
    return whole if counted is None else {**whole, "usage": counted}


def in_place_of_text(answer: Answer) -> dict[str, Any]:
    """The fields of a message, or of a delta, that says nothing."""
    if answer.refusal is not None:
        return {"content": None, "refusal": answer.refusal}
    if answer.tool_call is not None:
        function = {"name": answer.tool_call, "arguments": "{}"}
        return {"content": None, "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}
    return {}


def word_vector(text: str, dimensions: int = EMBEDDING_DIMENSIONS) -> list[float]:
    vector = [0.0] * dimensions
    for word in text.lower().split():
        vector[zlib.crc32(word.encode()) % dimensions] += 1.0
    return vector


def event(request: ChatRequest, delta: dict[str, Any], finish_reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return data({**head(request, "chat.completion.chunk"), "choices": [choice]})


def data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def error(status: int, message: str, code: str | None) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "code": code}
    return web.json_response({"error": error}, status=status)
