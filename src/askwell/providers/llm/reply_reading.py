"""A reply as servers write it, streamed or whole: its text, the thoughts in it, and its tool calls."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askwell.providers.llm.base import UNREADABLE_ARGUMENTS, CalledTool
from askwell.providers.llm.thinking import Piece, Thoughts, is_thought_name, without_asides
from askwell.providers.model_server import Answer, BrokenOff, ServerRefused

# Why a model stopped, by OpenAI's protocol and by the vendors whose words gateways pass on.
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter", "content_filtered", "guardrail_intervened", "safety", "sensitive"})
_BROKEN = frozenset({"abort", "cancelled", "error", "insufficient_system_resource"})
# A stream that arrives all at once is read without waiting; others get their turn after so many pieces.
_PIECES_AT_A_TIME = 50


@dataclass(frozen=True, slots=True)
class Reply:
    """The first choice of a chat completion, an empty one where there is none. `text` is without thoughts; `usage`,
    `model` and `finish_reason` are as the server tells them. `streamed` where it did stream, `is_refusal` where the
    model refused, `thought` where it thought aloud."""

    text: str
    calls: tuple[CalledTool, ...]
    finish_reason: object
    usage: Mapping[str, Any]
    model: object
    streamed: bool
    is_refusal: bool
    thought: bool

    @property
    def is_cut(self) -> bool:
        """Whether the model was stopped at its length limit."""
        return _is_one_of(self.finish_reason, _CUT)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter of the server's stopped the question or its answer."""
        return _is_one_of(self.finish_reason, _FILTERED)

    @property
    def has_words(self) -> bool:
        """Whether there is any text."""
        return bool(self.text.strip())


def _is_one_of(reason: object, known: frozenset[str]) -> bool:
    return isinstance(reason, str) and reason.lower() in known


async def read_reply(answer: Answer, on_piece: Callable[[Piece], None] | None, thoughts: Thoughts) -> Reply:
    """The reply, with its pieces passed on while they come. Raises `CallFailed`, and `ValueError` for what is no chat
    completion."""
    calls = ToolCallAssembler()
    usage: object = None
    model: object = None
    finish_reason: object = None
    spoke = refused = thought = False
    read = 0
    async for event in _events(answer):
        spoke = spoke or "choices" in event
        usage = event.get("usage") or usage
        model = model or event.get("model")
        for choice in (event.get("choices") or [])[:1]:
            if error := choice.get("error"):
                raise _refusal(error, answer)
            finish_reason = choice.get("finish_reason") or finish_reason
            # `message` is there when the server does not stream and sends its whole reply as one.
            said = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
            refused = refused or bool(said.get("refusal")) or finish_reason == "refusal"
            calls.add(said)
            words, aside = texts_of(said)
            thought = thought or bool(aside)
            _pass_on(on_piece, [Piece(aside, is_thought=True), *thoughts.add(words)])
        read += 1
        if read % _PIECES_AT_A_TIME == 0:
            await asyncio.sleep(0)
    if _is_one_of(finish_reason, _BROKEN):
        raise BrokenOff("The server gave up.", answered=True)
    if not spoke:
        raise ValueError("no chat completion")  # a sign-in page, say
    _pass_on(on_piece, thoughts.finish())
    whole = whole_characters(thoughts.reply)
    text = without_asides(whole)
    return Reply(
        text=text,
        calls=tuple(calls.calls(is_cut=_is_one_of(finish_reason, _CUT))),
        finish_reason=finish_reason,
        usage=usage if isinstance(usage, Mapping) else {},
        model=model,
        streamed=on_piece is not None and not answer.is_json,
        is_refusal=refused,
        thought=thought or thoughts.found or text != whole,
    )


def _pass_on(on_piece: Callable[[Piece], None] | None, pieces: Sequence[Piece]) -> None:
    for piece in pieces:
        if on_piece is not None and piece.text:
            on_piece(piece)


async def _events(answer: Answer) -> AsyncIterator[dict[str, Any]]:
    """The JSON of each event, or of a whole reply. Raises `CallFailed` for an error in it: some servers, OpenRouter
    among them, report a failure inside a 200."""
    if answer.is_json:
        yield _event(await answer.text(), answer)
        return
    async for text in answer.events():
        yield _event(text, answer)


def _event(text: str, answer: Answer) -> dict[str, Any]:
    event = json.loads(text)
    if not isinstance(event, dict):
        raise ValueError("a reply is not an object")
    # Some say it without a field of its own.
    is_bare = "choices" not in event and (isinstance(event.get("message"), str) or "detail" in event)
    error = event.get("error") or (event if is_bare else None)
    if not error or (answer.is_json and event.get("choices")):
        return event
    raise _refusal(error, answer)


def _refusal(error: object, answer: Answer) -> ServerRefused:
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if re.fullmatch("[45]\\d\\d", code) else 500
    return ServerRefused(status, error, answer.headers, in_reply=True)


# See `LanguageModel.reply`.
_MOST_CALLS = 32
_MOST_ARGUMENT_BYTES = 64 * 2**10
_MOST_UNREADABLE_CHARACTERS = 500
# Where a part of a content has its text.
_TEXT_FIELDS = ("text", "value", "thinking", "content", "summary")
# The name of a call that has none: a server refuses an empty one when the call is sent back to it.
_NAMELESS = "unknown"


def texts_of(said: Mapping[str, Any]) -> tuple[str, str]:
    """The words of a delta or a message, and the thoughts that its server sends apart from them: in another field, or
    as another part of the content."""
    words: list[str] = []
    thoughts = [text for name, value in said.items() if is_thought_name(name) for text in _texts(value)][:1]
    content = said.get("content")
    for part in content if isinstance(content, list) else [content]:
        is_thought = isinstance(part, Mapping) and (
            part.get("thought") is True or is_thought_name(str(part.get("type")))
        )
        (thoughts if is_thought else words).extend(_texts(part))
    return "".join(words), "".join(thoughts)


def _texts(value: object) -> list[str]:
    """The texts in a part, or in a list of parts."""
    if isinstance(value, Mapping):
        return next((texts for name in _TEXT_FIELDS if (texts := _texts(value.get(name)))), [])
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []


def whole_characters(text: str) -> str:
    """JSON escapes and streams can split a character into two surrogates: pairs are joined, halves replaced, since
    text with a half can be neither sent nor stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(slots=True)
class _Call:
    """A call whose arguments are still being written."""

    index: int | None
    id: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list)
    characters: int = 0

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def append(self, part: str) -> None:
        if self.characters <= _MOST_ARGUMENT_BYTES:  # what follows cannot make it readable again
            self.parts.append(part)
            self.characters += len(part)


class ToolCallAssembler:
    """Puts tool calls together from the deltas of a stream, or from a whole message.

    OpenAI numbers the calls, and sends id and name with the first fragment of each. Other servers send no number or no
    id; Gemini numbers all calls 0; arguments may come whole, as an object, or as an empty text where there are none.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []

    def add(self, said: Mapping[str, Any]) -> None:
        """Take what a delta or a message has of calls, `function_call` of the protocol's first version included."""
        fragments = said.get("tool_calls") or []
        if not fragments and said.get("function_call"):
            fragments = [{"index": 0, "function": said["function_call"]}]
        for fragment in fragments:
            function = fragment.get("function") or {}
            self._add(fragment.get("index"), str(fragment.get("id") or ""), function)

    def calls(self, *, is_cut: bool) -> list[CalledTool]:
        """The calls, at most 32. `is_cut`: the model was stopped, perhaps within the last one."""
        found: list[CalledTool] = []
        ids: set[str] = set()
        for call in self._calls[:_MOST_CALLS]:
            is_unique = call.id and call.id not in ids
            own_id = call.id if is_unique else f"call_{uuid.uuid4().hex[:24]}"
            ids.add(own_id)
            may_be_empty = not (is_cut and call is self._calls[-1])
            arguments = _arguments(call.text, may_be_empty=may_be_empty)
            found.append(CalledTool(call.name or _NAMELESS, arguments, own_id))
        return found

    def _add(self, index: int | None, own_id: str, function: Mapping[str, Any]) -> None:
        name = str(function.get("name") or "")
        call = self._continued(index, own_id, name)
        if call is None and len(self._calls) <= _MOST_CALLS:
            call = _Call(index)
            self._calls.append(call)
        call = call or self._calls[-1]  # one too many takes in all further ones, and is left out
        call.id = call.id or own_id
        call.name = call.name or name
        arguments = function.get("arguments")
        if arguments is not None:
            call.append(arguments if isinstance(arguments, str) else json.dumps(arguments))

    def _continued(self, index: int | None, own_id: str, name: str) -> _Call | None:
        """The call that a fragment belongs to; None when it begins another one."""
        if index is not None:
            candidates = [call for call in self._calls if call.index == index]
        elif own_id and (same := [call for call in self._calls if call.id == own_id]):
            candidates = same
        else:
            candidates = [] if name else self._calls
        call = candidates[-1] if candidates else None
        if call is None or not name or not call.name:
            return call
        # Some servers repeat the name in each fragment, others the number in each call.
        is_other = name != call.name or (own_id and call.id and own_id != call.id) or _parsed(call.text) is not None
        return None if is_other else call


def _arguments(text: str, *, may_be_empty: bool) -> dict[str, Any]:
    if may_be_empty and not text.strip():
        return {}
    parsed = _parsed(text) if len(text.encode("utf-8", "surrogatepass")) <= _MOST_ARGUMENT_BYTES else None
    if parsed is None:
        return {UNREADABLE_ARGUMENTS: whole_characters(text)[:_MOST_UNREADABLE_CHARACTERS]}
    return parsed


def _parsed(text: str) -> dict[str, Any] | None:
    """The JSON object; None for anything else, and for NaN and infinite numbers, which cannot be sent back."""
    if not text.rstrip().endswith("}"):
        return None
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict):
            whole = whole_characters(json.dumps(value, ensure_ascii=False, allow_nan=False))
            parsed: dict[str, Any] = json.loads(whole)
            return parsed
    return None
