"""What a person is asked in the middle of a run, as AG-UI has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askwell.agent.request import Pending

_JSON_TYPES = {"BOOLEAN": "boolean", "INTEGER": "integer", "BIGINT": "integer", "DOUBLE": "number", "DECIMAL": "number"}


def interrupt_of(pending: Pending) -> dict[str, Any]:
    """An interrupt with the form of its answer."""
    asked = pending.asked
    found: dict[str, Any] = {
        "id": pending.interrupt_id,
        "reason": "clarification",
        "message": asked["question"],
        "toolCallId": pending.call_id,
        "responseSchema": _form(asked),
        "metadata": {"clarification": dict(asked)},
    }
    return found | ({"expiresAt": asked["expires_at"]} if asked.get("expires_at") else {})


def _form(asked: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema: values by name, or one of the options, or other words."""
    if fields := asked.get("fields"):
        properties = {
            one["name"]: {
                "type": _JSON_TYPES.get(str(one["type"]).upper(), "string"),
                "description": one.get("description") or one["name"],
            }
            for one in fields
        }
        required = [one["name"] for one in fields if one["required"]]
        return {"type": "object", "properties": properties, "required": required}
    words = {"type": "string", "title": "other words"}
    choices = [{"const": one["id"], "title": one["label"]} for one in asked["options"]]
    return {"anyOf": [*choices, words]} if choices else words
