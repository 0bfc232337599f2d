"""Finding out what a model's server really does, by a few tiny requests: servers promise more than they keep."""

from __future__ import annotations

import json
import re
from typing import Any

from askwell.providers.llm.base import JsonFormat, JsonSchema

# The first line names the task, as in every prompt of ours.
SYSTEM = "Task: capability_probe\nAnswer with one word."
USER = "Is water wet?"
# Said only by a server that keeps to the schema: nothing else of the request names the property.
SCHEMA = JsonSchema(
    "capability_probe",
    {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


def is_wanted_json(text: str, way: JsonFormat) -> bool:
    """Whether a reply is an object that fits `SCHEMA`: alone where the server promised JSON, else with words or a fence
    around it, which is how replies are read anyway."""
    if way is JsonFormat.TEXT and (found := _OBJECT.search(text)):
        text = found[0]
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and isinstance(value.get("answer"), str)
