"""An answer about a period offers the same question about others."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp, parse_one

from tests.asks.test_clarification import serving
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.tables import case_table

# Questions of which the period can be another one: what it is called, another one, and what is asked then.
SAID = case_table(__file__, "said")
# … and those of which it cannot: there is none, there are two, it is no condition on rows, or it is no time.
UNSAID = case_table(__file__, "unsaid")


@pytest.mark.parametrize("cases", [SAID[::3], pytest.param(SAID, marks=pytest.mark.deep)], ids=["some", "all"])
async def test_other_periods_are_asked_for_in_words(cases: list[Any]) -> None:
    """Each option leads to what its question leads to, over the same tables, and shows the same."""
    labels: set[str] = set()
    async with serving() as service:
        for question, assumed, label, asked in cases:
            result = await service.answer(question)
            period = _period(result)
            assert period is not None, question
            assert (period["assumed"], "assumption" in period) == (assumed, False)
            assert {one["label"]: one["question"] for one in period["options"]}[label] == asked
            assert len(period["options"]) <= 6
            for option in period["options"]:
                other = await service.answer(option["question"], meant=option["meant"])
                alone = await service.answer(option["question"])
                assert _sql(other) == _sql(alone) != _sql(result), option
                assert _shown(other) == _shown(result), option
                labels.add(option["label"])
    assert "all time" in labels


async def test_nothing_is_offered_where_no_single_period_is_said() -> None:
    async with serving() as service:
        for question in UNSAID:
            assert _period(await service.answer(question)) is None, question


async def test_what_was_meant_stays_with_another_period() -> None:
    """All time has no date that could be meant."""
    meant = {"columns": ["sales_orders.ship_date"]}
    async with serving() as service:
        result = await service.answer("how many sales orders in 2025", meant=meant)
        period = _period(result)
        assert period is not None
        assert [option["meant"] for option in period["options"]] == [meant] * len(period["options"])
        assert "all time" not in {option["label"] for option in period["options"]}
        other = await service.answer(period["options"][0]["question"], meant=meant)
    assert "ship_date >= '2024-01-01'" in _sql(other)


async def test_follow_ups_have_other_periods_over_the_same_histories() -> None:
    async with serving() as service:
        first = await service.answer("sales orders of Ann in 2025")
        histories = [{"question": "sales orders of Ann in 2025", "sql": _sql(first)}]
        second = await service.answer("and in 2026?", histories=histories)
        period = _period(second)
        assert period is not None
        assert "all time" not in {option["label"] for option in period["options"]}
        [back] = [option for option in period["options"] if option["label"] == "2025"]
        third = await service.answer(back["question"], meant=back["meant"], histories=histories)
        without = await service.answer("and of Bob?", histories=histories)
    assert back["question"] == "and in 2025?"
    assert (third["is_followup"], _sql(third)) == (True, _sql(first))
    assert _period(without) is None


async def test_a_question_that_was_rewritten_has_no_other_periods() -> None:
    """Another question over the same histories would be rewritten anew, nobody knows to what."""
    whole = "How many sales orders in 2025?"
    intent = {"rephrased_question": whole, "reasoning": "because", "intent": "TEXT_TO_SQL"}
    balanced = {"rules_mode": "balanced"}
    replies = {"question_reformulation": [Answer(text=whole)], "intent_classification": [Answer(json=intent)]}
    histories = [{"question": "how many sales orders in 2024?", "sql": "SELECT COUNT(*) FROM sales_orders"}]
    async with ChatServer(replies) as server, serving(server.api_base, **balanced) as service:
        result = await service.answer("and the year after?", histories=histories)
        alone = await service.answer(whole)
    assert (result["sql_source"], result["rephrased_question"]) == ("rules", whole)
    assert (_period(result), _period(alone) is None) == (None, False)


def _period(result: dict[str, Any]) -> dict[str, Any] | None:
    """What is offered for the period of an answer."""
    assert result["status"] == "finished", result
    alternatives = result.get("alternatives", [])
    assert len(alternatives) <= 4
    return next((one for one in alternatives if one["about"] == "period"), None)


def _sql(result: dict[str, Any]) -> str:
    sql: str = result["response"][0]["sql"]
    return sql


def _shown(result: dict[str, Any]) -> tuple[list[str], list[str]]:
    tree = parse_one(_sql(result), dialect="sqlite")
    return [one.sql() for one in tree.find_all(exp.Table)], [one.sql() for one in tree.selects]
