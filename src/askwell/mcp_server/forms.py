"""What a question is asked back with, as a form that clients show, and what came back as answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import ClientCapabilities, ElicitRequestFormParams, ElicitResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from askwell.asks.clarification import ClarificationField
from askwell.tools.asking import Answer, AskedBack

_CHOICE, _WORDS = "choice", "answer"
# The last version whose forms name the titles of an enum in a list of their own.
_LISTED_TITLES = "2025-06-18"
_MOST_CHARACTERS = 1_000


def shows_forms(capabilities: ClientCapabilities | None) -> bool:
    """Whether a client can ask its user by a form. One that names no way at all means this one."""
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def form_of(asked: AskedBack, protocol_version: str, problem: str = "") -> ElicitRequestFormParams:
    """The form for what is asked back; `problem` is what was wrong with the last answer."""
    if asked.fields:
        properties = {field.name: _property(field) for field in asked.fields}
        required = [field.name for field in asked.fields if field.has_to_be_said]
    elif asked.options:
        properties = {_CHOICE: _choice(asked, protocol_version)}
        required = [_CHOICE]
    else:
        properties = {_WORDS: {"type": "string", "maxLength": _MOST_CHARACTERS, "title": "Answer"}}
        required = [_WORDS]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    return ElicitRequestFormParams(message=f"{problem}\n\n{asked.question}".strip(), requested_schema=schema)


def answer_of(asked: AskedBack, said: ElicitResult) -> Answer | None:
    """What the user answered; None where the form was declined, dismissed or says nothing. Fields that are all left
    empty are an answer: no values."""
    content: Mapping[str, Any] = said.content or {}
    if said.action != "accept":
        return None
    if asked.fields:
        names = {field.name for field in asked.fields}
        return {name: value for name, value in content.items() if name in names and value not in (None, "")}
    answer = content.get(_CHOICE if asked.options else _WORDS)
    return answer[:_MOST_CHARACTERS] if isinstance(answer, str) and answer.strip() else None


def _choice(asked: AskedBack, protocol_version: str) -> dict[str, Any]:
    titles = {one.id: f"{one.label} — {one.detail}" if one.detail else one.label for one in asked.options}
    choice: dict[str, Any] = {"type": "string", "title": "Meaning"}
    if protocol_version in HANDSHAKE_PROTOCOL_VERSIONS and protocol_version <= _LISTED_TITLES:
        return {**choice, "enum": list(titles), "enumNames": list(titles.values())}
    return {**choice, "oneOf": [{"const": name, "title": title} for name, title in titles.items()]}


def _property(field: ClarificationField) -> dict[str, Any]:
    found: dict[str, Any] = {"type": field.json_type, "title": field.name}
    if field.type.lower() == "date":
        found["format"] = "date"
    if field.description:
        found["description"] = field.description
    if isinstance(field.default, str | int | float):
        found["default"] = field.default
    return found
