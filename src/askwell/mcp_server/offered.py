"""The tools as clients list them, and results as they read them."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from askwell.tools.base import Result, ToolFailure
from askwell.tools.base import Tool as ProjectTool

# Each call of these leaves an entry in the record; the others change nothing at all.
_RECORDED = frozenset({"ask_data", "make_chart"})


def offered(tool: ProjectTool[Any]) -> Tool:
    """A tool with the JSON Schemas of its arguments and of its result."""
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=_plain(tool.arguments.model_json_schema()),
        # As what is read, not what is written: fields that are not known are absent.
        output_schema=_plain(tool.result.model_json_schema(mode="validation")),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=tool.name not in _RECORDED,
            open_world_hint=False,
        ),
    )


def finished(result: Result) -> CallToolResult:
    """A result, for programs and, as the same JSON, for language models."""
    told = result.told()
    return CallToolResult(content=[TextContent(text=_as_text(told))], structured_content=told)


def failed(failure: ToolFailure) -> CallToolResult:
    """Why there is no result. It is told as text alone: some clients hold whatever is structured to the schema of the
    result."""
    return CallToolResult(content=[TextContent(text=_as_text({"error": failure.told()}))], is_error=True)


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(schema: Any) -> Any:
    """Without the titles that Pydantic makes of names, and without null: what is not known is absent. A language model
    reads every word, and some clients know few of JSON Schema's."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _plain(value) for key, value in schema.items() if key != "title" or not isinstance(value, str)}
    match found.get("anyOf"):
        case [{**one}, {"type": "null"}]:
            rest = {key: value for key, value in found.items() if key != "anyOf" and (key, value) != ("default", None)}
            return one | rest
    return found
