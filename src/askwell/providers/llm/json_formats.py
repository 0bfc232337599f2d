"""How a JSON reply is asked for, from the strictest way to the plainest: servers differ in what they understand."""

from __future__ import annotations

import json
from typing import Any, assert_never

from askwell.providers.llm.base import JsonFormat, JsonSchema


def response_format(schema: JsonSchema, way: JsonFormat) -> dict[str, Any] | None:
    """The request's `response_format`; None for plain text."""
    match way:
        case JsonFormat.SCHEMA:
            shape = {"name": schema.name, "strict": True, "schema": dict(schema.schema)}
            return {"type": "json_schema", "json_schema": shape}
        case JsonFormat.OBJECT:
            return {"type": "json_object"}
        case JsonFormat.TEXT:
            return None
    assert_never(way)


def told_in_words(user: str, schema: JsonSchema, way: JsonFormat) -> str:
    """The user text, with the schema spelled out at its end where the request itself cannot carry it: what stands
    before it is what other calls begin with too."""
    if way is JsonFormat.SCHEMA:
        return user
    shape = json.dumps(schema.schema, ensure_ascii=False)
    return f"{user}\n\nReply with one JSON object and nothing else. It has to fit this JSON Schema:\n{shape}"
