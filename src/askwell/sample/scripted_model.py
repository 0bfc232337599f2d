"""A stand-in for a language model: it speaks OpenAI's chat protocol on loopback and says what a script says.

Protocol: https://platform.openai.com/docs/api-reference/chat, of which it knows chat completions, whole and streamed,
with calls of tools, and the list of models. It keeps nothing between requests: which turn is meant, and how far it is,
stands in the messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web

from askwell.sample.answer_template import NoSuchValue, filled
from askwell.sample.demo import DemoScript, ScriptedReply, ScriptedTurn

NAME = "scripted"
_MOST_BYTES = 16 * 1024 * 1024
# How prompts say what they are for, and what is asked.
_TASK = re.compile(r"^Task: (\w+)$", re.MULTILINE)
_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)
_FRAGMENT = 16
_LOST = "This message is not in the script."

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A text that the service did not take, in the turn with that message, and what it said about it."""

    message: str
    written: str
    objection: str


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    calls: Sequence[Mapping[str, Any]] = ()

    @property
    def ending(self) -> str:
        return "tool_calls" if self.calls else "stop"


class ScriptedModel:
    """The stand-in as a server, open as an async context manager. `held_back` grows with what the service refuses."""

    def __init__(self, script: DemoScript) -> None:
        self._script = script
        self._by_message = {turn.message: turn for turn in script.turns}
        self._by_question = {turn.question: turn for turn in script.turns}
        self._runner: web.AppRunner | None = None
        self._port = 0
        self.held_back: list[HeldBack] = []

    @property
    def api_base(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=_MOST_BYTES)
        app.add_routes([web.get("/v1/models", _models), web.post("/v1/chat/completions", self._answer)])
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        try:
            reply = self._reply(asked["messages"])
        except NoSuchValue as error:
            reply = _Reply(f"The script does not fit: {error}")
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not asked.get("stream"):
            return web.json_response({**_head("chat.completion"), "choices": [_whole(reply)], "usage": usage})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        ends = [{"index": 0, "delta": {}, "finish_reason": reply.ending}]
        for choices in (*([{"index": 0, "delta": delta}] for delta in _deltas(reply)), ends):
            await response.write(_event({**_head("chat.completion.chunk"), "choices": choices}))
        if (asked.get("stream_options") or {}).get("include_usage"):
            await response.write(_event({**_head("chat.completion.chunk"), "choices": [], "usage": usage}))
        await response.write(b"data: [DONE]\n\n")
        return response

    # -- what is said -----------------------------------------------------------------------------------------------

    def _reply(self, messages: Sequence[Message]) -> _Reply:
        task = _TASK.search(_text(messages[0]))
        stage = task[1] if task else ""
        question = _question_in(_text(messages[-1]))
        match stage:
            case "conversation":
                return self._turn(messages)
            case "question_reformulation":
                turn = self._by_message.get(question)
                return _json({"question": turn.question if turn else question})
            case "conversation_suggestion":
                turn = self._by_question.get(question)
                return _json({"questions": list(turn.suggestions) if turn else []})
        return _json(self._script.replies.get(stage, {}))

    def _turn(self, messages: Sequence[Message]) -> _Reply:
        """The reply for how far a turn is: behind its question stand the stand-in's own replies and their results."""
        at = max(i for i, one in enumerate(messages) if one["role"] == "user" and _question_in(_text(one)))
        turn = self._by_question.get(_question_in(_text(messages[at])))
        if turn is None:
            return _Reply(_LOST)
        since = messages[at + 1 :]
        said = sum(1 for one in since if one["role"] == "assistant")
        if since and since[-1]["role"] == "user":
            written = "".join(map(_text, since[-2:-1]))
            self.held_back.append(HeldBack(turn.message, written, _text(since[-1])))
        scripted = turn.replies[min(said, len(turn.replies) - 1)]
        return _filled(scripted, _given(turn, since))


def _filled(scripted: ScriptedReply, values: Mapping[str, Any]) -> _Reply:
    calls = [
        {
            "id": f"call_{call.name}",
            "type": "function",
            "function": {
                "name": call.tool,
                "arguments": json.dumps(filled(call.arguments, values), ensure_ascii=False),
            },
        }
        for call in scripted.calls
    ]
    return _Reply(filled(scripted.text, values), calls)


def _given(turn: ScriptedTurn, since: Sequence[Message]) -> dict[str, Any]:
    """What tools gave in this turn, by the names of their calls; the results come in the order of the calls."""
    names = [call.name for reply in turn.replies for call in reply.calls]
    made = [call["id"] for one in since for call in one.get("tool_calls") or ()]
    results = {one["tool_call_id"]: one for one in since if one["role"] == "tool"}
    return {
        name: _read(_text(results[call_id])) for name, call_id in zip(names, made, strict=False) if call_id in results
    }


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(message: Message) -> str:
    """The words of a message, whose content is text or parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)


def _question_in(text: str) -> str:
    found = _QUESTION.findall(text)
    return found[-1] if found else ""


def _json(value: Any) -> _Reply:
    return _Reply(json.dumps(value, ensure_ascii=False))


# -- the protocol ---------------------------------------------------------------------------------------------------


async def _models(_: web.Request) -> web.Response:
    return web.json_response({"object": "list", "data": [{"id": NAME, "object": "model"}]})


def _head(kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": NAME}


def _whole(reply: _Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = list(reply.calls)
    return {"index": 0, "message": message, "finish_reason": reply.ending}


def _deltas(reply: _Reply) -> Iterator[dict[str, Any]]:
    """A text word by word; of each call its id and name first, then its arguments in fragments."""
    for word in re.findall(r"\s*\S+\s*$|\s*\S+", reply.text):
        yield {"role": "assistant", "content": word}
    for index, call in enumerate(reply.calls):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]}
        text = function["arguments"]
        for start in range(0, len(text), _FRAGMENT):
            yield {"tool_calls": [{"index": index, "function": {"arguments": text[start : start + _FRAGMENT]}}]}


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: %b\n\n" % json.dumps(value, ensure_ascii=False).encode()
