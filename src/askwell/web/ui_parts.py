"""The events of a run as parts of a UI message stream of the Vercel AI SDK, versions 5 and 6
(https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#ui-message-stream-protocol)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askwell.web.told import question_in_words

Part = Mapping[str, Any]

# The service runs its own tools, and the client's types do not know them.
_TOOL = {"dynamic": True, "providerExecuted": True}
# Of what is ours: what belongs to the message, and what is shown for a moment only.
_DATA = frozenset({"sql", "data", "chart", "citations", "suggestions", "warning"})
_PASSING = frozenset({"progress"})


class UiParts:
    """Makes parts of one event after the other. `message_id` is the id of the message that they make up."""

    def __init__(self, message_id: str) -> None:
        self._message_id = message_id
        self._has_begun = False
        self._calls: dict[str, str] = {}
        self._arguments: dict[str, str] = {}

    def of(self, event: Mapping[str, Any]) -> Iterator[Part]:
        """The parts of an event; the first begins the message, and that of a run's end ends it."""
        if not self._has_begun:
            self._has_begun = True
            yield {"type": "start", "messageId": self._message_id}
        match event["type"]:
            case "RUN_STARTED":
                ids = {"threadId": event["threadId"], "runId": event["runId"]}
                yield {"type": "message-metadata", "messageMetadata": ids}
            case "TEXT_MESSAGE_START":
                yield {"type": "text-start", "id": event["messageId"]}
            case "TEXT_MESSAGE_CONTENT":
                yield {"type": "text-delta", "id": event["messageId"], "delta": event["delta"]}
            case "TEXT_MESSAGE_END":
                yield {"type": "text-end", "id": event["messageId"]}
            case "CUSTOM":
                yield from _data(event["name"].removeprefix("askwell."), event["value"])
            case "RUN_FINISHED":
                yield from self._end(event["outcome"])
            case "RUN_ERROR":
                yield {"type": "error", "errorText": event["message"]}
                yield {"type": "finish"}
            case kind if kind.startswith("TOOL_CALL_"):
                yield from self._tool(kind, event)

    def _tool(self, kind: str, event: Mapping[str, Any]) -> Iterator[Part]:
        call_id = event["toolCallId"]
        about = {"toolCallId": call_id, "toolName": self._calls.get(call_id, ""), **_TOOL}
        match kind:
            case "TOOL_CALL_START":
                self._calls[call_id] = event["toolCallName"]
                yield {"type": "tool-input-start", **about, "toolName": event["toolCallName"]}
            case "TOOL_CALL_ARGS":
                self._arguments[call_id] = self._arguments.get(call_id, "") + event["delta"]
                yield {"type": "tool-input-delta", "toolCallId": call_id, "inputTextDelta": event["delta"]}
            case "TOOL_CALL_END":
                yield {"type": "tool-input-available", **about, "input": _json(self._arguments.pop(call_id, "{}"))}
            case "TOOL_CALL_RESULT":
                yield from self._result(call_id, _json(event["content"]))

    def _result(self, call_id: str, content: Any) -> Iterator[Part]:
        if call_id not in self._calls:
            return  # the call stands in the message before, which asked back
        error = content.get("error") if isinstance(content, dict) else None
        if isinstance(error, dict):
            text = str(error.get("message", ""))
            yield {"type": "tool-output-error", "toolCallId": call_id, "errorText": text, **_TOOL}
        else:
            yield {"type": "tool-output-available", "toolCallId": call_id, "output": content, **_TOOL}

    def _end(self, outcome: Mapping[str, Any]) -> Iterator[Part]:
        if outcome["type"] == "cancelled":
            yield {"type": "abort"}
            return
        interrupts: Sequence[Mapping[str, Any]] = outcome.get("interrupts") or ()
        for one in interrupts[:1]:
            yield {"type": "text-start", "id": one["id"]}
            yield {"type": "text-delta", "id": one["id"], "delta": question_in_words(one)}
            yield {"type": "text-end", "id": one["id"]}
            yield {"type": "data-clarification", "id": one["id"], "data": one}
        yield {"type": "finish"}


def _data(name: str, value: Any) -> Iterator[Part]:
    if name in _PASSING:
        yield {"type": f"data-{name}", "data": value, "transient": True}
    elif name in _DATA:
        yield {"type": f"data-{name}", "data": value}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
