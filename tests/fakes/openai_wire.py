"""Requests and answers of OpenAI's protocol, as a scripted server reads and writes them."""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.chat_script import Answer, Call

# How many dimensions the vectors of `/v1/embeddings` have unless the server is told another number.
EMBEDDING_DIMENSIONS = 384


@dataclass
class ChatRequest:
    """A request as it arrived, and how it ended: `answered`, `refused` (an HTTP error), `dropped`, or `abandoned` when
    the client closed the connection first. `outcome` is None while it is being answered. `authorization` is the header
    of that name, or Azure's `api-key`; `traceparent` is that header."""

    stage: str
    body: dict[str, Any]
    authorization: str | None
    path: str = ""
    traceparent: str | None = None
    received: float = field(default_factory=time.monotonic)
    outcome: str | None = None

    def _text(self, role: str) -> str:
        return "\n".join(str(m["content"]) for m in self.messages if m["role"] == role and m.get("content"))

    @property
    def system(self) -> str:
        return self._text("system")

    @property
    def user(self) -> str:
        return self._text("user")

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.body["messages"]
        return found

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model was offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def tool_results(self) -> dict[str, str]:
        """By the id of its call, what each tool of the conversation gave."""
        return {m["tool_call_id"]: m["content"] for m in self.messages if m["role"] == "tool"}

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
    written = answer.content + "".join(call.name + call.text for call in answer.calls)
    prompt, completion = len(request.system + request.user) // 4, len(written) // 4
    counted = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {**counted, "prompt_tokens_details": {"cached_tokens": answer.cached}} if answer.cached else counted


def head(request: ChatRequest, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": request.body["model"]}


def completion(request: ChatRequest, answer: Answer, counted: dict[str, Any] | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.content}
    if answer.refusal is not None:
        message |= {"content": None, "refusal": answer.refusal}
    if answer.calls:
        calls = [_whole_call(answer, number, call) for number, call in enumerate(answer.calls)]
        message |= {"content": answer.content or None, "tool_calls": calls}
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    choice = {"index": 0, "message": message, "finish_reason": answer.ending}
    whole = {**head(request, "chat.completion"), "choices": [choice]}
    return whole if counted is None else {**whole, "usage": counted}


def deltas(answer: Answer) -> list[dict[str, Any]]:
    """What a stream says piece by piece."""
    if answer.refusal is not None:
        return [{"content": None, "refusal": answer.refusal}]
    texts = pieces(answer.content) if answer.content or not answer.calls else []
    said: list[dict[str, Any]] = [{"role": "assistant", "content": piece} for piece in texts]
    for number, call in enumerate(answer.calls):
        said += [{"tool_calls": [fragment]} for fragment in _fragments(answer, number, call)]
    return said


def _fragments(answer: Answer, number: int, call: Call) -> list[dict[str, Any]]:
    whole = _whole_call(answer, number, call)
    if answer.whole_calls or answer.object_arguments:
        return [whole]
    first = {**whole, "function": {"name": call.name, "arguments": ""}}
    place = {name: whole[name] for name in ("index",) if name in whole}
    parts = [call.text[start : start + 4] for start in range(0, len(call.text), 4)]
    return [first, *({**place, "function": {"arguments": part}} for part in parts)]


def _whole_call(answer: Answer, number: int, call: Call) -> dict[str, Any]:
    arguments = call.arguments if answer.object_arguments else call.text
    found = {
        "index": 0 if answer.calls_by_index_0 else number,
        "id": f"call_{number}" if call.id is None else call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }
    return {name: value for name, value in found.items() if name not in answer.omitted}


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
