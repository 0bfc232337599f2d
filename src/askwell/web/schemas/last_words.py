"""The message that a request brings, where a client sends a whole conversation each time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from askwell.agent.request import LONGEST_MESSAGE
from askwell.jobs.request import storable

_WORDS = {"type": "string", "maxLength": LONGEST_MESSAGE, "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}
_PARTS = {
    "type": "array",
    "contains": {"type": "object", "properties": {"text": _WORDS}, "required": ["text"]},
}


def text_of(content: Any) -> str:
    """The words of a message's content, which is text, or parts of which some are."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one["text"]) for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str))


def last_words(messages: Iterable[tuple[str, Any]]) -> tuple[int, str]:
    """Where in a conversation of (role, content) the last message of the user with words stands, and these. Raises
    `ValueError` where there is none, and where it cannot be taken."""
    said = [(place, text_of(content).strip()) for place, (role, content) in enumerate(messages) if role == "user"]
    found = [(place, text) for place, text in said if text]
    if not found:
        raise ValueError("must hold a message of the user, with words")
    place, text = found[-1]
    if len(text) > LONGEST_MESSAGE:
        raise ValueError(f"the last message of the user must have at most {LONGEST_MESSAGE} characters")
    return place, storable(text)


def holds_words_of_user(field: str) -> dict[str, Any]:
    """What a JSON Schema of messages says of that; `field` is where a message has its content."""
    content = {"anyOf": [_WORDS, _PARTS]} if field == "content" else _PARTS
    properties = {"role": {"const": "user"}, field: content}
    return {"contains": {"type": "object", "properties": properties, "required": ["role", field]}}
