"""`nl2sql_code` and `type` of a result: who sets them, and when."""

from __future__ import annotations

import asyncio
import copy
from pathlib import Path

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.service import prepared_service, running_service, write_config
from tests.support.shared import shared_scripted_service, shared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"
FOREVER = "SELECT count(*) FROM orders a" + "".join(f" CROSS JOIN orders b{n}" for n in range(20))


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def test_an_answer_in_sql_has_code_0() -> None:
    async with shared_service() as service:
        result = await service.answer("How many customers are there?")
    assert (result["nl2sql_code"], result["type"]) == ("0", "TEXT_TO_SQL")


async def test_a_statement_of_the_model_that_takes_too_long_has_code_3002(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": sql(FOREVER), "sql_correction": sql(FOREVER)}) as server:
        limits = {"engine_timeout": 0.5, "max_sql_correction_retries": 1}
        async with prepared_service(tmp_path, api_base=server.api_base, settings=limits) as service:
            result = await service.answer(QUESTION, execute=True)
    assert (result["status"], result["nl2sql_code"], result["type"]) == ("failed", "3002", "TEXT_TO_SQL")


@pytest.mark.deep
async def test_a_language_model_that_is_late_has_code_3002(tmp_path: Path) -> None:
    async with ChatServer({"sql_generation": [Answer(hang=True)]}) as server:
        llm = {"provider": "openai", "model": "test", "api_base": server.api_base, "timeout": 1}
        async with prepared_service(tmp_path, llm={"default": llm}) as service:
            result = await service.answer(QUESTION)
    assert (result["status"], result["nl2sql_code"], result["type"]) == ("failed", "3002", "TEXT_TO_SQL")
    assert "did not answer within" in result["error"]["message"]


async def test_no_relevant_table_and_no_model_have_code_3003(tmp_path: Path) -> None:
    async with running_service(write_config(tmp_path)) as service:
        unprepared = await service.answer("How many customers are there?")
        await service.prepare()
        elsewhere = await service.answer("Which volcanoes erupted in ancient Sicily?")
    assert (unprepared["error"]["code"], unprepared["nl2sql_code"]) == ("OTHERS", "3003")
    assert (elsewhere["error"]["code"], elsewhere["nl2sql_code"]) == ("NO_RELEVANT_DATA", "3003")
    assert "type" not in unprepared
    assert "type" not in elsewhere


async def test_a_question_of_two_meanings_has_code_3005_where_no_language_model_is_there(tmp_path: Path) -> None:
    model = copy.deepcopy(tiny_shop.manifest())
    orders = next(one for one in model["models"] if one["name"] == "orders")
    orders["columns"].append({"name": "paid_amount", "type": "DOUBLE", "expression": "amount"})
    orders["columns"].append({"name": "billed_amount", "type": "DOUBLE", "expression": "amount"})
    orders["columns"] = [column for column in orders["columns"] if column["name"] != "amount"]
    model["models"][0]["columns"] = [c for c in model["models"][0]["columns"] if not c.get("isCalculated")]
    model["views"] = []
    async with prepared_service(tmp_path, mdl=model) as service:
        result = await service.answer("What is the total amount of orders?")
    assert (result["status"], result["error"]["code"], result["nl2sql_code"]) == ("failed", "NO_RELEVANT_SQL", "3005")
    assert "could mean" in result["error"]["message"]


async def test_the_type_is_told_from_the_plan_on() -> None:
    script = {
        "sql_generation": [
            Answer(json={"plan": "1. **Rank** customers.", "sql": "SELECT shoe_size FROM customers"}, chunk_delay=0.02)
        ],
        "sql_correction": [Answer(json={"sql": RIGHT}, delay=0.1)],
    }
    async with shared_scripted_service(script) as (service, _server):
        ask = await service.ask(QUESTION)
        types: dict[str, set[str | None]] = {}
        while "finished" not in types:
            result = await service.result(ask)
            types.setdefault(result["status"], set()).add(result.get("type"))
            await asyncio.sleep(0.005)
    assert {types[status].pop() for status in ("planning", "correcting", "finished")} == {"TEXT_TO_SQL"}
    assert types.get("understanding", {None}) == types.get("searching", {None}) == {None}


async def test_the_type_stays_on_an_ask_that_fails_after_it() -> None:
    wrong = "SELECT shoe_size FROM customers"
    async with shared_scripted_service({"sql_generation": sql(wrong), "sql_correction": sql(*[wrong] * 3)}) as (
        service,
        _server,
    ):
        result = await service.answer(QUESTION)
    assert (result["status"], result["type"]) == ("failed", "TEXT_TO_SQL")
