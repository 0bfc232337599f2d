"""What a person is asked in the middle of a run, as AG-UI has it."""

from __future__ import annotations

from typing import Any

from askwell.agent.request import Pending
from askwell.tools.asking import AskedBack


def interrupt_of(pending: Pending) -> dict[str, Any]:
    """An interrupt with the form of its answer."""
    asked = pending.asked
    found: dict[str, Any] = {
        "id": pending.interrupt_id,
        "reason": "clarification",
        "message": asked["question"],
        "toolCallId": pending.call_id,
        "responseSchema": _form(AskedBack.model_validate(asked)),
        "metadata": {"clarification": dict(asked)},
    }
    return found | ({"expiresAt": asked["expires_at"]} if asked.get("expires_at") else {})


def _form(asked: AskedBack) -> dict[str, Any]:
    """A JSON Schema: values by name, or one of the options, or other words."""
    if asked.fields:
        properties = {
            one.name: {"type": one.json_type, "description": one.description or one.name} for one in asked.fields
        }
        required = [one.name for one in asked.fields if one.has_to_be_said]
        return {"type": "object", "properties": properties, "required": required}
    words = {"type": "string", "title": "other words"}
    choices = [{"const": one.id, "title": one.label} for one in asked.options]
    return {"anyOf": [*choices, words]} if choices else words
