"""Whether an answer is the right one. The right rows are asked of the database."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from askwell.agent.events import TERMINAL
from askwell.sample.answer_template import formatted
from askwell.sample.demo import DemoQuestion, ScriptedTurn
from askwell.sample.scripted_model import HeldBack
from askwell.sql.same_result import same_result

Event = Mapping[str, Any]
Rows = Sequence[tuple[Any, ...]]
# Types whose values the service sends as text, because JSON's numbers would round them.
_NUMBERS_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGINT")


def wrong_answer(question: DemoQuestion, result: Mapping[str, Any], right: Rows) -> list[str]:
    """What of `result` is not as expected, in words; empty when all is. `right` are the right rows."""
    wrong = _differences(
        ("status", result["status"], "failed" if question.refused else "finished"),
        ("code", result.get("error", {}).get("code", ""), question.refused),
        ("source", result.get("sql_source") or "", "" if question.refused else question.source),
    )
    if not wrong and not question.refused and not _same_rows(right, result.get("data"), ordered=question.ordered):
        wrong = [f"the rows are not the {len(right)} right ones"]
    return wrong


def wrong_turn(
    turn: ScriptedTurn, events: Sequence[Event], held_back: Sequence[HeldBack], right: Callable[[str], Rows]
) -> list[str]:
    """What of a turn is not as expected, in words; empty when all is. `events` are those of AG-UI; `right` gives the
    rows of a statement."""
    expected, message, made = turn.expected, message_in(events), calls_in(events)
    scripted = [call for reply in turn.replies for call in reply.calls]
    calls = dict(zip((call.name for call in scripted), made.values(), strict=False))
    cited = {one["document_id"] for citations in customs_in(events, "citations") for one in citations}
    known = [event["snapshot"]["variables"] for event in events if event["type"] == "STATE_SNAPSHOT"][-1:]
    ends = [event.get("outcome", {}).get("type", "error") for event in events if event["type"] in TERMINAL]
    figure, suggested = expected.holds_back, customs_in(events, "suggestions")
    wrong = _differences(
        ("ends", ends, ["interrupt", "success"] if expected.asks_back else ["success"]),
        ("words", bool(message), True),
        ("warnings", [one["message"] for one in customs_in(events, "warning")], []),
        ("calls", [call["tool"] for call in made.values()], [call.tool for call in scripted]),
        ("refused", {name: call["error"]["code"] for name, call in calls.items() if call["error"]}, expected.refused),
        ("not cited", sorted(set(expected.cites) - cited), []),
        ("remembered", {name: one.get(name) for one in known for name in expected.remembers}, expected.remembers),
        ("chart", bool(customs_in(events, "chart")), expected.chart),
        ("suggestions", sum(map(len, suggested)), expected.suggestions),
        ("objected to", any(figure in one.objection for one in held_back), bool(figure)),
        ("wrong figure told", bool(figure) and figure in message, False),
    )
    for name, statement in expected.rows.items():
        if not _same_rows(right(statement), calls.get(name, {}).get("askwell.data"), ordered=False):
            wrong.append(f"the rows of {name} are not the right ones")
    for part in expected.figures:
        for value in (value for row in right(part.reference) for value in row):
            written = value if isinstance(value, str) else formatted(value, part.form)
            # As a whole word or number: 234 does not stand in 1,234.
            if not re.search(rf"(?<![\w.,]){re.escape(written)}(?!\w|[.,]\d)", message):
                wrong.append(f"the answer lacks {written}, which the database gives")
    return wrong


def _differences(*parts: tuple[str, Any, Any]) -> list[str]:
    return [f"{name}: {found!r} instead of {expected!r}" for name, found, expected in parts if found != expected]


def _same_rows(right: Rows, data: Mapping[str, Any] | None, *, ordered: bool) -> bool:
    """Whether the service gave the right rows, as JSON has them."""
    if data is None:
        return False
    exact = [column["type"].upper().startswith(_NUMBERS_AS_TEXT) for column in data["columns"]]
    received = [
        tuple(float(v) if n and isinstance(v, str) else v for v, n in zip(row, exact, strict=True))
        for row in data["rows"]
    ]
    as_json = json.dumps(right, default=lambda value: float(value) if isinstance(value, Decimal) else value.isoformat())
    return same_result([tuple(row) for row in json.loads(as_json)], received, ordered=ordered)


def message_in(events: Sequence[Event]) -> str:
    """The words of the agent."""
    return "".join(event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT")


def customs_in(events: Sequence[Event], name: str) -> list[Any]:
    """The values of the events `askwell.<name>`."""
    return [one["value"] for one in events if one["type"] == "CUSTOM" and one["name"] == f"askwell.{name}"]


def calls_in(events: Sequence[Event]) -> dict[str, dict[str, Any]]:
    """The calls of tools by their ids: `tool`, `arguments` as JSON, `error` ({} where there is none), and what people
    saw of them by the names of its events."""
    calls: dict[str, dict[str, Any]] = {}
    for event in events:
        match event:
            case {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": tool}:
                calls[call_id] = {"tool": tool, "arguments": "", "error": {}}
            case {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta}:
                calls[call_id]["arguments"] += delta
            case {"type": "TOOL_CALL_RESULT", "toolCallId": call_id, "content": content}:
                with contextlib.suppress(ValueError, AttributeError):  # not every tool gives an object of JSON
                    calls[call_id]["error"] = json.loads(content).get("error", {})
            case {"type": "CUSTOM", "name": name, "value": {"toolCallId": call_id}}:
                calls[call_id][name] = event["value"]
    return calls
