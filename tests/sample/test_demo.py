"""The demo's conversation is whole: its words are a script, and its figures none."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from askwell.agent.definition import AgentDefinition
from askwell.sample.demo import ScriptedTurn, demo_script, reference_rows
from askwell.sample.shop import generate_shop

TURNS = demo_script().turns
TOOLS = ("ask_data", "run_sql", "find_values", "search_passages", "make_chart", "remember")


def test_ten_turns_that_are_told_apart() -> None:
    assert len(TURNS) == len({turn.form for turn in TURNS}) == len({turn.question for turn in TURNS}) == 10
    assert {call.tool for turn in TURNS for reply in turn.replies for call in reply.calls} == set(TOOLS)
    AgentDefinition.model_validate(demo_script().agent)


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.form)
def test_no_figure_is_written_in_an_answer(turn: ScriptedTurn) -> None:
    words = [re.sub(r"\{[^}]*\}", "", reply.text) for reply in turn.replies]

    assert re.findall(r"\d[\d,.]*\d|\d", " ".join(words)) == (
        [turn.expected.holds_back] if turn.expected.holds_back else []
    )
    # It ends with words; calls come before them.
    assert turn.replies[-1].text
    assert not turn.replies[-1].calls


@pytest.mark.parametrize("turn", TURNS, ids=lambda turn: turn.form)
def test_templates_name_calls_that_were_made_before(turn: ScriptedTurn) -> None:
    made: set[str] = set()
    for reply in turn.replies:
        assert set(re.findall(r"\{([a-z_]+)\.", str(reply.model_dump()))) <= made
        names = [call.name for call in reply.calls]
        assert not made & set(names)
        made |= set(names)
    assert turn.expected.rows.keys() | turn.expected.refused.keys() <= made


@pytest.mark.deep
@pytest.mark.parametrize("day", [date(2024, 2, 29), date(2026, 1, 1), date(2026, 3, 31)])
def test_every_statement_of_the_demo_has_rows(tmp_path: Path, day: date) -> None:
    shop = tmp_path / "shop.duckdb"
    generate_shop(shop, day)
    for turn in TURNS:
        for statement in turn.expected.statements:
            rows = reference_rows(shop, statement, day)
            assert rows, turn.form
            assert all(row[-1] not in (0, None) for row in rows), turn.form
