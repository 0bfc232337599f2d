"""What was repaired stands on the answer: asked over HTTP, with a scripted language model, on a real database."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.openai_server import Answer
from tests.support.service import scripted_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"


async def test_a_repaired_statement_is_answered_without_another_model_call_and_says_so(tmp_path: Path) -> None:
    wrong = "SELECT TOP 1 nmae FROM custmers ORDER BY total_spent DESC"
    async with scripted_service(tmp_path, {"sql_generation": [Answer(json={"sql": wrong})]}) as (service, server):
        result = await service.answer(QUESTION, execute=True)
        assert server.calls("sql_correction") == 0
    assert result["status"] == "finished"
    assert result["response"][0]["sql"] == "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
    assert result["data"]["rows"] == [["Ada Lovelace"]]
    assert result["repairs"] == [
        "`TOP 1` read as `LIMIT 1`",
        "`custmers` read as `customers`",
        "`nmae` read as `name`",
    ]


async def test_an_answer_as_it_came_has_no_repairs(tmp_path: Path) -> None:
    right = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
    async with scripted_service(tmp_path, {"sql_generation": [Answer(json={"sql": right})]}) as (service, _):
        result = await service.answer(QUESTION)
    assert "repairs" not in result
