"""One turn of the demo's conversation, as its events tell it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Event = Mapping[str, Any]


@dataclass(slots=True)
class ToldCall:
    """A call of a tool: its arguments as JSON text, what it gave the model, and what people saw of it (`askwell.…`
    events by their last word)."""

    tool: str
    arguments: str = ""
    content: str = ""
    shown: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def error(self) -> Mapping[str, Any]:
        """`{code, message, hint}`; empty where it did not fail."""
        try:
            read = json.loads(self.content)
        except ValueError:
            return {}
        found: Mapping[str, Any] = read.get("error", {}) if isinstance(read, dict) else {}
        return found


@dataclass(slots=True)
class ToldTurn:
    """What came of a message by now. `ends` are the outcomes of its segments (`success`, `interrupt`, `cancelled`,
    `error`), `interrupts` what was asked back last; `milliseconds` from the message to the end."""

    calls: dict[str, ToldCall] = field(default_factory=dict)
    message: str = ""
    citations: list[Mapping[str, Any]] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)
    variables: Mapping[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    interrupts: list[Mapping[str, Any]] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)
    error: str = ""
    milliseconds: float = 0.0

    def take(self, event: Event) -> None:
        """One more event."""
        match event["type"]:
            case "TOOL_CALL_START":
                self.calls[event["toolCallId"]] = ToldCall(event["toolCallName"])
            case "TOOL_CALL_ARGS":
                self.calls[event["toolCallId"]].arguments += event["delta"]
            case "TOOL_CALL_RESULT":
                self.calls[event["toolCallId"]].content = event["content"]
            case "TEXT_MESSAGE_CONTENT":
                self.message += event["delta"]
            case "STATE_SNAPSHOT":
                self.variables = event["snapshot"]["variables"]
            case "CUSTOM":
                self._custom(event["name"].removeprefix("askwell."), event["value"])
            case "RUN_FINISHED":
                self.ends.append(event["outcome"]["type"])
                self.interrupts = event["outcome"].get("interrupts", [])
            case "RUN_ERROR":
                self.ends.append("error")
                self.error = f"{event['code']}: {event['message']}"

    def _custom(self, name: str, value: Any) -> None:
        match name:
            case "sql" | "data" | "chart":
                self.calls[value["toolCallId"]].shown[name] = value
            case "citations":
                self.citations += value
            case "suggestions":
                self.suggestions = value
            case "warning":
                self.warnings.append(value["message"])
