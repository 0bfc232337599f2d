"""The parts of a reply as servers write them: its text, and the tool calls in it."""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from haystack.dataclasses import ToolCall

from askwell.providers.llm.base import UNREADABLE_ARGUMENTS
from askwell.providers.llm.thinking import is_thought_name

# See `LanguageModel.converse`.
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

    def calls(self, *, is_cut: bool) -> list[ToolCall]:
        """The calls, at most 32. `is_cut`: the model was stopped, perhaps within the last one."""
        found: list[ToolCall] = []
        ids: set[str] = set()
        for call in self._calls[:_MOST_CALLS]:
            is_unique = call.id and call.id not in ids
            own_id = call.id if is_unique else f"call_{uuid.uuid4().hex[:24]}"
            ids.add(own_id)
            may_be_empty = not (is_cut and call is self._calls[-1])
            arguments = _arguments(call.text, may_be_empty=may_be_empty)
            found.append(ToolCall(call.name or _NAMELESS, arguments, own_id))
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
