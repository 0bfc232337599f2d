"""The events of a run as AG-UI 1.0 has them (https://docs.ag-ui.com), as JSON objects ready to be sent and kept.

They are built here rather than by the protocol's own package, which stands in the tests as the judge of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Event = Mapping[str, Any]

PROTOCOL_VERSION = "1.0"
TERMINAL = frozenset({"RUN_FINISHED", "RUN_ERROR"})


def run_started(thread_id: str, run_id: str) -> Event:
    """A segment of a run begins."""
    return {"type": "RUN_STARTED", "threadId": thread_id, "runId": run_id, "protocolVersion": PROTOCOL_VERSION}


def run_succeeded(thread_id: str, run_id: str, pending: Sequence[str], usage: Sequence[Event]) -> Event:
    """The end; `pending` are calls of the client's tools that it is to answer."""
    outcome: dict[str, Any] = {"type": "success"}
    if pending:
        outcome["pendingToolCallIds"] = list(pending)
    return _finished(thread_id, run_id, outcome) | ({"usage": list(usage)} if usage else {})


def run_interrupted(thread_id: str, run_id: str, interrupts: Sequence[Event]) -> Event:
    """The end of a segment: a person has to answer."""
    return _finished(thread_id, run_id, {"type": "interrupt", "interrupts": list(interrupts)})


def run_cancelled(thread_id: str, run_id: str) -> Event:
    """The end of a run that was stopped."""
    return _finished(thread_id, run_id, {"type": "cancelled"})


def _finished(thread_id: str, run_id: str, outcome: Event) -> dict[str, Any]:
    return {"type": "RUN_FINISHED", "threadId": thread_id, "runId": run_id, "outcome": outcome}


def run_failed(error: Mapping[str, str]) -> Event:
    """The end of a run that failed; `error` is `{code, message, hint?}`."""
    message = f"{error['message']} {error.get('hint', '')}".strip()
    return {"type": "RUN_ERROR", "message": message, "code": error["code"]}


def step_started(name: str) -> Event:
    return {"type": "STEP_STARTED", "stepName": name}


def step_finished(name: str) -> Event:
    return {"type": "STEP_FINISHED", "stepName": name}


def text_started(message_id: str) -> Event:
    return {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"}


def text(message_id: str, delta: str) -> Event:
    return {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta}


def text_ended(message_id: str) -> Event:
    return {"type": "TEXT_MESSAGE_END", "messageId": message_id}


def tool_called(call_id: str, name: str, arguments: str, message_id: str) -> list[Event]:
    """A call with its arguments as JSON text."""
    parent = {"parentMessageId": message_id} if message_id else {}
    return [
        {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": name, **parent},
        {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": arguments},
        {"type": "TOOL_CALL_END", "toolCallId": call_id},
    ]


def tool_answered(call_id: str, message_id: str, content: str) -> Event:
    return {
        "type": "TOOL_CALL_RESULT",
        "messageId": message_id,
        "toolCallId": call_id,
        "content": content,
        "role": "tool",
    }


def custom(name: str, value: Any) -> Event:
    """One of ours: `askwell.sql`, `askwell.data`, `askwell.chart`, `askwell.citations`, `askwell.suggestions`,
    `askwell.progress`, `askwell.warning`."""
    return {"type": "CUSTOM", "name": f"askwell.{name}", "value": value}


def shown(call_id: str, found: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Parts of a message that people see of a result (`parts.shown_parts`)."""
    sent: list[Event] = []
    for part in found:
        value = {name: value for name, value in part.items() if name not in ("type", "call_id")}
        sent.append(custom(part["type"], {"toolCallId": call_id, **value}))
    return sent


def state(variables: Mapping[str, str]) -> Event:
    """The variables of the thread."""
    return {"type": "STATE_SNAPSHOT", "snapshot": {"variables": dict(variables)}}


def closing(sent: Iterable[Event]) -> list[Event]:
    """What has to be told before a segment may end: what it has open is closed, the last opened first."""
    opened: dict[tuple[str, str], Event] = {}
    for one in sent:
        match one["type"]:
            case "TEXT_MESSAGE_START":
                opened["text", one["messageId"]] = text_ended(one["messageId"])
            case "TEXT_MESSAGE_END":
                opened.pop(("text", one["messageId"]), None)
            case "TOOL_CALL_START":
                opened["call", one["toolCallId"]] = {"type": "TOOL_CALL_END", "toolCallId": one["toolCallId"]}
            case "TOOL_CALL_END":
                opened.pop(("call", one["toolCallId"]), None)
            case "STEP_STARTED":
                opened["step", one["stepName"]] = step_finished(one["stepName"])
            case "STEP_FINISHED":
                opened.pop(("step", one["stepName"]), None)
    return list(reversed(opened.values()))


def unfinished_text(sent: Iterable[Event]) -> tuple[str, str] | None:
    """The id and the words of the message that is being written; None where none is."""
    message_id, words = "", ""
    for one in sent:
        match one["type"]:
            case "TEXT_MESSAGE_START":
                message_id, words = one["messageId"], ""
            case "TEXT_MESSAGE_CONTENT":
                words += one["delta"]
            case "TEXT_MESSAGE_END":
                message_id = ""
    return (message_id, words) if message_id and words else None
