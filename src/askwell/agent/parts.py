"""Parts of messages, as threads keep them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from askwell.agent.checked_text import Known
from askwell.agent.remember import Remember
from askwell.agent.request import ToolAnswer
from askwell.knowledge.threads import NO_RUN, Message, Part
from askwell.pipelines.conversation.build import Call, Said
from askwell.prompts.loader import harmless
from askwell.tools.base import Output, ToolFailure

_LONGEST_ARGUMENTS = 20_000


def text_part(text: str) -> Part:
    return {"type": "text", "text": text}


def call_part(call: Call) -> Part:
    return {"type": "tool_call", "id": call.id, "tool": call.tool, "arguments": dict(call.arguments)}


def arguments_text(call: Call) -> str:
    """Arguments as JSON text."""
    return json.dumps(dict(call.arguments), ensure_ascii=False)[:_LONGEST_ARGUMENTS]


def error_text(failure: ToolFailure) -> str:
    """What a model reads of a call that failed."""
    return json.dumps({"error": failure.to_json()}, ensure_ascii=False)


def result_part(call: Call, content: str, *, before: bool = False) -> Part:
    """What a call gave the model to read; `before` it was asked, where the agent is set up so."""
    part = {"type": "tool_result", "id": call.id, "tool": call.tool, "content": content}
    return part | ({"before": True} if before else {})


def shown_parts(call: Call, output: Output) -> list[Part]:
    """What people see of a result: its SQL, its rows, its chart."""
    content = output.result.to_json()
    parts: list[Part] = []
    if isinstance(content.get("sql"), str):
        facts = ("sql", "planned_sql", "assumptions", "warnings", "verdict", "sureness", "sql_source", "ask_id")
        parts.append({"type": "sql", "call_id": call.id, **{name: content[name] for name in facts if name in content}})
    if output.rows is not None:
        parts.append({"type": "data", "call_id": call.id, **output.rows})
    if output.chart is not None:
        drawn = {"chart_type": content.get("chart_type", ""), "chart_schema": dict(output.chart)}
        parts.append({"type": "chart", "call_id": call.id, **drawn})
    return parts


def citation_parts(citations: Sequence[Mapping[str, Any]]) -> list[Part]:
    return [{"type": "citation", **one} for one in citations]


def spoken(messages: Sequence[Message], most: int, characters: int) -> list[Said]:
    """The last words of people and of the agent, as earlier turns of a conversation with a model, each cut."""
    said = [
        Said(message.role, harmless(text[:characters]))
        for message in messages
        if message.role != "tool" and (text := message.text.strip())
    ]
    return said[-most:] if most else []


def turns_of(messages: Sequence[Message], waiting: Collection[str] = ()) -> list[Said]:
    """What a run has said and done by now, as its model has to read it again. Calls that nothing answered, as where it
    was cut off, are left out, but for those that are `waiting` for an answer, by their ids."""
    answered = {
        part["id"]: part
        for message in messages
        for part in message.parts
        if part["type"] == "tool_result" and not part.get("before")
    }
    said: list[Said] = []
    for message in messages:
        if message.role != "assistant":
            continue
        made = [part for part in message.parts if part["type"] == "tool_call"]
        calls = tuple(
            Call(part["id"], part["tool"], part["arguments"])
            for part in made
            if part["id"] in answered or part["id"] in waiting
        )
        if calls or (message.text and not made):
            said.append(Said("assistant", message.text, calls))
        said += [Said("tool", answered[call.id]["content"], answers=call) for call in calls if call.id in answered]
    return said


def calls_of(messages: Sequence[Message]) -> list[Call]:
    """All calls of tools that were made."""
    return [
        Call(part["id"], part["tool"], part["arguments"])
        for message in messages
        for part in message.parts
        if part["type"] == "tool_call"
    ]


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """Those that no tool of ours has answered."""
    answered = {part["id"] for one in messages if one.role == "tool" for part in one.parts if "tool" in part}
    return [call for call in calls_of(messages) if call.id not in answered]


def answered_by_client(messages: Sequence[Message], answers: Sequence[ToolAnswer]) -> list[Said]:
    """The calls of the client's own tools that it has answered now, and what each gave."""
    given = {one.tool_call_id: one.content for one in answers}
    said: list[Said] = []
    for message in messages:
        calls = tuple(
            Call(part["id"], part["tool"], part["arguments"])
            for part in message.parts
            if part["type"] == "tool_call" and part["id"] in given
        )
        if calls:
            said += [Said("assistant", "", calls), *(Said("tool", given[call.id], answers=call) for call in calls)]
    return said


def add_known(known: Known, messages: Sequence[Message]) -> None:
    """Make known what people said, or say that an agent said before, and what tools gave."""
    arguments = {call.id: call.arguments for call in calls_of(messages)}
    for message in messages:
        for part in message.parts:
            if part["type"] == "text" and (message.role == "user" or message.run_id == NO_RUN):
                known.add(part["text"])
            elif part["type"] == "tool_result":
                add_found(known, part.get("tool", ""), content_of(part["content"]), arguments.get(part["id"], {}))


def add_found(known: Known, tool: str, output: Any, arguments: Mapping[str, Any]) -> None:
    """Add the output of a tool to what is known; not that of `remember`, which only repeats its arguments."""
    if isinstance(output, Mapping):
        if tool != Remember.name:
            known.add_result(output, arguments)
    else:
        known.add(output)


def content_of(content: str) -> Any:
    """What a tool gave, as JSON where it is that."""
    try:
        return json.loads(content)
    except ValueError:
        return content
