"""Answers and turns of the demo: shown as they come, and compared with what the database itself gives."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

import typer

from askwell.cli.answer import console_for_output, show_rows
from askwell.cli.chat import Answer
from askwell.cli.messages import shown
from askwell.sample.answer_template import formatted
from askwell.sample.demo import DemoQuestion, ScriptedTurn
from askwell.sample.scripted_model import HeldBack
from askwell.sql.same_result import same_result

Event = Mapping[str, Any]
Rows = Sequence[tuple[Any, ...]]
ROWS_SHOWN = 5
# Types whose values the service sends as text, because JSON's numbers would round them.
_NUMBERS_AS_TEXT = ("DECIMAL", "HUGEINT", "UHUGEINT", "BIGINT")


class Turn(Answer):
    """One turn of the conversation, of which a person sees more than in `askwell chat`. `calls` are those of tools by
    their ids: `tool`, `arguments` as JSON, `error` ({} where there is none), and `data`."""

    def __init__(self, agent: str, remembered: dict[str, str]) -> None:
        """`remembered` is brought up to date with what the agent remembers."""
        super().__init__(as_json=False)
        self._agent, self._remembered = agent, remembered
        self.message = ""
        self.ends: list[str] = []
        self.calls: dict[str, dict[str, Any]] = {}
        self.customs: dict[str, list[Any]] = {}

    def hear(self, event: Event) -> None:
        """See `Answer.hear`."""
        super().hear(event)
        match event:
            case {"type": "TEXT_MESSAGE_START"}:
                self._print(f"   {self._agent}: ")
            case {"type": "TEXT_MESSAGE_CONTENT", "delta": words}:
                self.message += words
            case {"type": "STEP_STARTED", "stepName": "reformulate"}:
                self._beside("↻ the message is rewritten so that it stands alone")
            case {"type": "STATE_SNAPSHOT", "snapshot": {"variables": known}}:
                for name in [name for name, value in known.items() if value and value != self._remembered.get(name)]:
                    self._beside(f"✎ remembers {name} = {known[name]}")
                self._remembered.update(known)
            case {"type": "CUSTOM", "name": name, "value": value}:
                self._keep(name.removeprefix("askwell."), value)
            case {"type": "RUN_ERROR" | "RUN_FINISHED"}:
                self.ends.append(event.get("outcome", {}).get("type", "error"))
            case {"toolCallId": call_id}:
                self._call(self.calls.setdefault(call_id, {"tool": "", "arguments": "", "error": {}}), event)

    def _call(self, call: dict[str, Any], event: Event) -> None:
        match event["type"]:
            case "TOOL_CALL_START":
                call["tool"] = event["toolCallName"]
            case "TOOL_CALL_ARGS":
                call["arguments"] += event["delta"]
            case "TOOL_CALL_RESULT":
                with contextlib.suppress(ValueError, AttributeError):  # not every tool gives an object of JSON
                    call["error"] = json.loads(event["content"]).get("error", {})
                if error := call["error"]:
                    self._beside(f"✗ {call['tool']} refused, {error['code']}: {error['message']}")

    def _keep(self, name: str, value: Any) -> None:
        self.customs.setdefault(name, []).append(value)
        if name == "sql":
            self._beside(f"SQL {' '.join(value['sql'].split())}")
            if assumptions := value.get("assumptions"):
                self._beside(f"assumed: {' '.join(assumptions)}")
        if name == "data":
            self.calls[value["toolCallId"]]["data"] = value
            show_rows(console_for_output(), value, ROWS_SHOWN)

    def _beside(self, text: str) -> None:
        self.break_line()
        typer.secho(f"   {shown(text, lines=False)}", dim=True)

    def choose(self, interrupt: Event, choice: str) -> str:
        """Print what the person is asked and the ways to answer; the value of the way with the title `choice`."""
        self._beside(f"Asked back: {interrupt['message']}")
        options = [one for one in interrupt["responseSchema"].get("anyOf", ()) if "const" in one]
        for number, option in enumerate(options, 1):
            self._beside(f"  {number}. {option['title']}{'  ← chosen' if option['title'] == choice else ''}")
        return next((one["const"] for one in options if one["title"] == choice), choice)

    def show_rest(self, held_back: Sequence[HeldBack]) -> None:
        """Print what was held back in this turn, and what the person might ask next."""
        for one in held_back:
            self._beside(f"The model wrote: “{one.written}”")
            self._beside(f"Held back; the service told the model: “{one.objection.partition('. ')[0]}.”")
        for question in self.suggestions:
            self._beside(f"You might ask next: {question}")

    def mistakes(self, turn: ScriptedTurn, held_back: Sequence[HeldBack], right: Callable[[str], Rows]) -> list[str]:
        """What is not as the script expects, in words; `right` gives the rows of a statement."""
        expected, scripted = turn.expected, [call for reply in turn.replies for call in reply.calls]
        calls = dict(zip((call.name for call in scripted), self.calls.values(), strict=False))
        cited = {one["document_id"] for citations in self.customs.get("citations", ()) for one in citations}
        figure = expected.holds_back
        wrong = _differences(
            ("ends", self.ends, ["interrupt", "success"] if expected.asks_back else ["success"]),
            ("words", bool(self.message), True),
            ("warnings", [one["message"] for one in self.customs.get("warning", ())], []),
            ("calls", [call["tool"] for call in self.calls.values()], [call.tool for call in scripted]),
            ("refused", {name: one["error"]["code"] for name, one in calls.items() if one["error"]}, expected.refused),
            ("not cited", sorted(set(expected.cites) - cited), []),
            ("remembered", {name: self._remembered.get(name) for name in expected.remembers}, expected.remembers),
            ("chart", "chart" in self.customs, expected.chart),
            ("suggestions", len(self.suggestions), expected.suggestions),
            ("objected to", any(figure in one.objection for one in held_back), bool(figure)),
            ("wrong figure told", bool(figure) and figure in self.message, False),
        )
        for name, statement in expected.rows.items():
            if not _same_rows(right(statement), calls.get(name, {}).get("data"), ordered=False):
                wrong.append(f"the rows of {name} are not the right ones")
        for part in expected.figures:
            for value in chain.from_iterable(right(part.reference)):
                written = value if isinstance(value, str) else formatted(value, part.form)
                # As a whole word or number: 234 does not stand in 1,234.
                if not re.search(rf"(?<![\w.,]){re.escape(written)}(?!\w|[.,]\d)", self.message):
                    wrong.append(f"the answer lacks {written}, which the database gives")
        return wrong


def wrong_answer(question: DemoQuestion, result: Mapping[str, Any], right: Rows) -> list[str]:
    """What of `result` is not as expected, in words; `right` are the right rows."""
    wrong = _differences(
        ("status", result["status"], "failed" if question.refused else "finished"),
        ("code", result.get("error", {}).get("code", ""), question.refused),
        ("source", result.get("sql_source") or "", "" if question.refused else question.source),
    )
    if not wrong and not question.refused and not _same_rows(right, result.get("data"), ordered=question.ordered):
        wrong = [f"the rows are not the {len(right)} right ones"]
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
