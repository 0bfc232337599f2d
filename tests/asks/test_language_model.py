"""Whole asks with a language model: a scripted OpenAI-compatible server, over real HTTP on both sides."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.service import prepared_service, running_service, scripted_service, write_config
from tests.support.shared import shared_scripted_service, shared_service

# A question that rules cannot place, so that it reaches the model.
QUESTION = "Who among our customers is the keenest spender, roughly?"
RIGHT = "SELECT name FROM customers ORDER BY total_spent DESC LIMIT 1"


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


def intent(kind: str, question: str = QUESTION) -> list[Answer]:
    return [Answer(json={"rephrased_question": question, "reasoning": "because", "intent": kind})]


async def asked(server: ChatServer, query: str = QUESTION, **body: Any) -> dict[str, Any]:
    async with shared_service(api_base=server.api_base) as service:
        return await service.answer(query, **body)


async def test_a_correction_sees_the_tables_that_have_the_column(tmp_path: Path) -> None:
    wrong, right = "SELECT country FROM orders", "SELECT amount FROM orders"
    script = {"sql_generation": [Answer(json={"sql": wrong})], "sql_correction": [Answer(json={"sql": right})]}
    settings = {"rules_mode": "off", "context_token_budget": 200}
    async with ChatServer(script) as server:
        async with running_service(write_config(tmp_path, api_base=server.api_base, settings=settings)) as service:
            mdl = tiny_shop.manifest()
            orders = next(model for model in mdl["models"] if model["name"] == "orders")
            orders["columns"] += [{"name": f"field_{n}", "type": "VARCHAR"} for n in range(60)]
            await service.prepare(mdl)
            answer = await service.answer("Which amount do orders have, roughly?")
    assert answer["status"] == "finished", answer
    prompts = {one.stage: "\n".join(m["content"] for m in one.body["messages"]) for one in server.requests}
    assert "CREATE TABLE customers" not in prompts["sql_generation"]
    assert "CREATE TABLE customers" in prompts["sql_correction"]


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_a_model_server_that_refuses_ends_the_ask_with_a_hint(tmp_path: Path, status: int) -> None:
    refusal = Answer(status=status, error={"message": "no: sk-secret"})
    async with scripted_service(tmp_path, {"*": [refusal]}) as (service, _server):
        result = await service.answer(QUESTION)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
    assert result["error"]["hint"]
    assert "sk-secret" not in str(result)


async def test_a_model_server_that_is_down_ends_the_ask_with_a_hint(tmp_path: Path) -> None:
    async with prepared_service(tmp_path, api_base="http://127.0.0.1:9/v1") as service:
        result = await service.answer(QUESTION)
    assert (result["status"], result["error"]["code"]) == ("failed", "OTHERS")
    assert result["error"]["hint"]


async def test_the_deadline_ends_an_ask_whose_model_never_answers() -> None:
    async with ChatServer({"sql_generation": [Answer(hang=True)]}) as server:
        async with shared_service(api_base=server.api_base, ask_deadline=1.0) as service:
            result = await service.answer(QUESTION)
            assert await server.ended(await server.arrived("sql_generation")) == "abandoned"
    assert (result["status"], result["nl2sql_code"]) == ("failed", "3002")
    assert result["error"]["hint"]


async def test_concurrent_asks_do_not_mix() -> None:
    script = {
        "sql_generation": [
            Answer(json={"sql": "SELECT 'first' AS x FROM customers LIMIT 1"}, when="number one", delay=0.05),
            Answer(json={"sql": "SELECT 'second' AS x FROM customers LIMIT 1"}, when="number two"),
        ]
    }
    async with shared_scripted_service(script) as (service, _server):
        asks = [await service.ask(f"Which keen customers make number {n}?", execute=True) for n in ("one", "two") * 5]
        ends = [await service.end(ask) for ask in asks]
    assert [end["data"]["rows"] for end in ends] == [[["first"]], [["second"]]] * 5


async def test_a_twin_of_the_table_used_is_a_warning_until_the_question_names_the_table() -> None:
    model = tiny_shop.manifest()
    twin = copy.deepcopy(next(one for one in model["models"] if one["name"] == "orders"))
    twin["name"] = "orders_archive"
    twin["columns"] = [c for c in twin["columns"] if "relationship" not in c and not c.get("isCalculated")]
    twin["columns"].append({"name": "customer_country", "type": "VARCHAR", "expression": "status"})
    view = {key: part for key, part in twin.items() if key != "primaryKey"} | {"name": "open_orders"}
    model["models"] += [twin, view]
    answers = {
        "many came in": "SELECT count(*) FROM orders",
        "orders are there": "SELECT count(*) FROM orders",
        "in the archive": "SELECT count(*) FROM orders_archive",
    }
    script = {
        "intent_classification": intent("TEXT_TO_SQL", ""),
        "sql_generation": [Answer(json={"sql": statement}, when=words) for words, statement in answers.items()],
    }
    async with ChatServer(script) as server:
        async with shared_service(mdl=model, api_base=server.api_base, rules_mode="off", scope_gate=False) as service:
            doubtful = await service.answer("How many orders are there, roughly?")
            named = await service.answer("How many orders are in the archive, roughly?")
            unnamed = await service.answer("Roughly how many came in?")
    (warning,) = doubtful["warnings"]
    assert "orders. The same columns are in orders_archive." in warning
    assert "warnings" not in named
    # A question that names the table itself is not about a view of it.
    (warning,) = unnamed["warnings"]
    assert "orders. The same columns are in orders_archive, open_orders." in warning


async def test_half_a_character_in_a_model_s_text_breaks_neither_polls_nor_the_record() -> None:
    script = {"sql_generation": [Answer(json={"plan": "1. **Rank** \ud83d", "sql": RIGHT})]}
    async with ChatServer(script) as server:
        result = await asked(server, execute=True)
    assert result["status"] == "finished"
    assert result["sql_generation_reasoning"].startswith("1. **Rank**")


async def test_a_saved_question_whose_sql_is_stale_stays_one_for_sql(tmp_path: Path) -> None:
    """Its wording is that of a question about the data; people said that SQL answers it."""
    question, model = "What columns does customers have?", tiny_shop.manifest()
    pair = {"id": "1", "question": question, "sql": "SELECT name, total_spent FROM customers"}
    for one in model["models"]:
        one["columns"] = [column for column in one["columns"] if column["name"] != "total_spent"]
    right = [Answer(json={"sql": "SELECT name FROM customers"})]
    async with scripted_service(tmp_path, {"sql_generation": right}, settings={"rules_mode": "off"}) as (service, _):
        assert (await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": [pair]}))[0] == 202
        assert (await service.answer(question))["sql_source"] == "history"
        model["views"] = []
        assert (await service.prepare(model, "m2"))["status"] == "finished"
        result = await service.answer(question)
    assert (result["status"], result["type"], result["sql_source"]) == ("finished", "TEXT_TO_SQL", "llm")
    assert any("no longer works" in one for one in result["warnings"])
