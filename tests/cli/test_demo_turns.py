"""Turns of the demo's conversation: what counts as wrong, and how they are printed."""

from __future__ import annotations

import json
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from askwell.cli.demo.turns import Turn
from askwell.errors import EngineUnavailable
from askwell.sample.demo import ScriptedTurn, reference_rows
from askwell.sample.scripted_model import HeldBack

TODAY = date(2026, 3, 31)
CITED = {
    "n": 1,
    "document_id": "rules",
    "title": "Rules",
    "locator": "p. 2",
    "quote": "Be\nkind.",
    "start": 0,
    "end": 3,
}
SUCCESS = {"type": "RUN_FINISHED", "outcome": {"type": "success"}}


def scripted(**expected: Any) -> ScriptedTurn:
    calls = [{"name": "orders", "tool": "ask_data"}, {"name": "drop", "tool": "run_sql"}]
    return ScriptedTurn.model_validate(
        {"form": "any", "message": "How many?", "replies": [{"calls": calls}, {"text": "…"}], "expected": expected}
    )


def custom(name: str, value: Any) -> dict[str, Any]:
    return {"type": "CUSTOM", "name": f"askwell.{name}", "value": value}


def call(call_id: str, tool: str, arguments: dict[str, Any], result: dict[str, Any]) -> list[dict[str, Any]]:
    text = json.dumps(arguments)
    return [
        {"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": tool},
        {"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": text},
        {"type": "TOOL_CALL_END", "toolCallId": call_id},
        {"type": "TOOL_CALL_RESULT", "toolCallId": call_id, "content": json.dumps(result)},
    ]


DATA = {"columns": [{"name": "n", "type": "BIGINT"}], "rows": [[1234]], "row_count": 1, "truncated": False}
REFUSAL = {"error": {"code": "SQL_REFUSED", "message": "Only queries."}}
EVENTS: list[dict[str, Any]] = [
    {"type": "STATE_SNAPSHOT", "snapshot": {"variables": {"store": "Graz", "tone": ""}}},
    {"type": "STEP_STARTED", "stepName": "reformulate"},
    *call("a", "ask_data", {"question": "How many orders?"}, {"sql": "SELECT 1"}),
    custom("sql", {"toolCallId": "a", "sql": "SELECT\n  1", "assumptions": ["All are meant."]}),
    custom("data", {"toolCallId": "a", **DATA}),
    *call("b", "run_sql", {"sql": "DROP TABLE orders"}, REFUSAL),
    {"type": "TEXT_MESSAGE_START"},
    {"type": "TEXT_MESSAGE_CONTENT", "delta": "There are 1,234. "},
    {"type": "TEXT_MESSAGE_CONTENT", "delta": "Be kind [1]."},
    {"type": "TEXT_MESSAGE_END"},
    custom("citations", [CITED]),
    custom("suggestions", ["Which?"]),
    SUCCESS,
]
RIGHT: dict[str, Any] = {
    "rows": {"orders": "SELECT count(*) FROM range(1234)"},
    "figures": [{"reference": "SELECT 1234"}],
    "refused": {"drop": "SQL_REFUSED"},
    "cites": ["rules"],
    "remembers": {"store": "Graz"},
    "suggestions": 1,
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    duckdb.connect(str(tmp_path / "shop.duckdb")).close()
    return tmp_path / "shop.duckdb"


def turn_of(*events: dict[str, Any], held_back: tuple[HeldBack, ...] = ()) -> Turn:
    turn = Turn("Ada", {})
    for event in events:
        turn.hear(event)
    turn.show_rest(held_back)
    return turn


def wrong_with(turn: ScriptedTurn, events: list[dict[str, Any]], held_back: list[HeldBack], shop: Path) -> list[str]:
    return turn_of(*events).mistakes(turn, held_back, partial(reference_rows, shop, today=TODAY))


def test_a_turn_that_came_to_what_it_should(shop: Path) -> None:
    assert wrong_with(scripted(**RIGHT), EVENTS, [], shop) == []


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"rows": {"orders": "SELECT 1235"}}, "the rows of orders are not the right ones"),
        ({"rows": {"drop": "SELECT 1"}}, "the rows of drop are not the right ones"),
        ({"figures": [{"reference": "SELECT 7"}]}, "the answer lacks 7"),
        ({"figures": [{"reference": "SELECT 234"}]}, "the answer lacks 234"),
        ({"figures": [{"reference": "SELECT 1234", "form": "money"}]}, "the answer lacks 1,234.00"),
        ({"refused": {}}, "refused: {'drop': 'SQL_REFUSED'} instead of {}"),
        ({"refused": {"drop": "SQL_FAILED"}}, "refused: {'drop': 'SQL_REFUSED'} instead of {'drop': 'SQL_FAILED'}"),
        ({"cites": ["rules", "letter"]}, "not cited: ['letter'] instead of []"),
        ({"remembers": {"store": "Lyon"}}, "remembered: {'store': 'Graz'} instead of {'store': 'Lyon'}"),
        ({"chart": True}, "chart: False instead of True"),
        ({"suggestions": 3}, "suggestions: 1 instead of 3"),
        ({"asks_back": True}, "ends: ['success'] instead of ['interrupt', 'success']"),
        ({"holds_back": "99"}, "objected to: False instead of True"),
        ({"holds_back": "1,234"}, "wrong figure told: True instead of False"),
    ],
)
def test_what_is_not_as_the_script_has_it_is_told(shop: Path, changed: dict[str, Any], complaint: str) -> None:
    assert complaint in "; ".join(wrong_with(scripted(**RIGHT | changed), EVENTS, [], shop))


def test_what_nobody_expects_is_told_too(shop: Path) -> None:
    warned = [custom("warning", {"message": "Cut."}), {"type": "RUN_ERROR", "code": "OTHERS", "message": "No."}]

    assert wrong_with(scripted(), warned, [HeldBack("How many?", "99", "Not 99.")], shop) == [
        "ends: ['error'] instead of ['success']",
        "words: False instead of True",
        "warnings: ['Cut.'] instead of []",
        "calls: [] instead of ['ask_data', 'run_sql']",
        "objected to: True instead of False",
    ]


def test_a_database_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable):
        wrong_with(scripted(**RIGHT), EVENTS, [], tmp_path / "none.duckdb")


def test_a_turn_is_printed_as_it_happens(capsys: pytest.CaptureFixture[str]) -> None:
    turn_of(*EVENTS)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "   ✎ remembers store = Graz",
        "   ↻ the message is rewritten so that it stands alone",
        "   ask_data: How many orders?",
        "   SQL SELECT 1",
        "   assumed: All are meant.",
        "",
        "     n",
        " ──────",
        "  1234",
        "",
        "1 row",
        "   run_sql: DROP TABLE orders",
        "   ✗ run_sql refused, SQL_REFUSED: Only queries.",
        "   Ada: There are 1,234. Be kind [1].",
        "[1] Rules, p. 2: “Be kind.”",
        "   You might ask next: Which?",
    ]


def test_choices_are_numbered_and_what_is_held_back_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    options = [{"const": "1", "title": "purchases"}, {"const": "2", "title": "sales"}, {"type": "string"}]
    interrupt = {"message": "Which?", "responseSchema": {"anyOf": options}}
    ends = {"type": "RUN_FINISHED", "outcome": {"type": "interrupt", "interrupts": [interrupt]}}
    turn = turn_of(ends)
    assert [turn.choose(one, "sales") for one in turn.interrupts] == ["2"]
    turn.show_rest([HeldBack("How many?", "There are 99.", "Your answer had figures: 99. Nothing was shown.")])
    assert capsys.readouterr().out.splitlines() == [
        "   Asked back: Which?",
        "     1. purchases",
        "     2. sales  ← chosen",
        "   The model wrote: “There are 99.”",
        "   Held back; the service told the model: “Your answer had figures: 99.”",
    ]


def test_control_characters_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    words = {"type": "TEXT_MESSAGE_CONTENT", "delta": "Red \x1b[31m."}
    turn_of({"type": "TEXT_MESSAGE_START"}, words, *call("a", "run_sql", {"sql": "\x1b[2J"}, {}))
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "   Ada: Red \\x1b[31m." in printed
