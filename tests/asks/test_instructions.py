"""Saved instructions and keyword rules: what an ask makes of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from askwell.asks.project_knowledge import instructions_that_matter
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.pipelines.retrieval.context import InstructionText
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.sample.shop import shop_manifest
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_service

RELATED = "Orders that are open do not count."
UNRELATED = "Countries are written in English."
QUESTION = "How many orders are there?"
# Of 205 pairs of a question and a default instruction that is not for it, those where rules step aside all the same:
# they share a word such as "orders". At first there were 21, and 2 of the 35 that are for the question were missed.
MOST_NEEDLESS = 17


def test_every_instruction_that_a_question_needs_matters_and_few_others() -> None:
    """40 questions and 6 instructions, as people wrote them down before any was tried."""
    written = json.loads((Path(__file__).parent / "instructions.questions.json").read_text())
    manifest = read_manifest(json.dumps(shop_manifest()), data_source="DUCKDB").manifest
    assert manifest is not None
    model = authorised_view(manifest, "hash")
    rules, prepared = QuestionReader(model, {}, "duckdb"), PreparedModel(model, {})
    texts = written["instructions"]
    missed, needless = [], []
    for one in written["questions"]:
        reading = rules.translate(one["question"])
        sql = reading.sql if isinstance(reading, Translation) else ""
        for name, text in texts.items():
            told = instructions_that_matter([InstructionText(name, text, True)], one["question"], sql, prepared)
            if not told and name in one["needs"]:
                missed.append((name, one["question"]))
            elif told and name not in one["needs"]:
                needless.append((name, one["question"]))
    assert missed == []
    assert len(needless) <= MOST_NEEDLESS, needless


def default(text: str) -> dict[str, Any]:
    return {"id": text[:10], "instruction": text, "questions": [], "is_default": True}


async def asked(service: Client, *instructions: dict[str, Any], **body: Any) -> dict[str, Any]:
    await service.prepare()
    status, saved = await service.call("POST", "/v1/instructions", json={"instructions": list(instructions)})
    assert status == 202, saved
    while (await service.call("GET", f"/v1/instructions/{saved['event_id']}"))[1]["status"] == "indexing":
        await asyncio.sleep(0.01)
    return await service.answer(QUESTION, **body)


async def test_with_a_model_rules_answer_beside_an_unrelated_instruction() -> None:
    async with ChatServer() as server:
        async with shared_service(api_base=server.api_base) as service:
            result = await asked(service, default(UNRELATED), default("Answer politely."))
    assert result["sql_source"] == "rules"
    assert "warnings" not in result
    assert server.calls() == 0


async def test_with_a_model_rules_leave_a_question_to_it_that_an_instruction_is_about() -> None:
    sql = Answer(json={"sql": "SELECT count(*) FROM orders WHERE status <> 'open'"})
    async with ChatServer({"sql_generation": [sql]}) as server:
        async with shared_service(api_base=server.api_base) as service:
            result = await asked(service, default(RELATED), execute=True)
    assert result["sql_source"] == "llm"
    assert result["data"]["rows"] == [[3]]
    assert any(RELATED in request.user for request in server.requests)


async def test_with_a_model_an_instruction_for_such_questions_is_followed_whatever_it_says() -> None:
    sql = Answer(json={"sql": "SELECT count(*) FROM orders"})
    async with ChatServer({"sql_generation": [sql]}) as server:
        async with shared_service(api_base=server.api_base) as service:
            result = await asked(service, default(UNRELATED) | {"is_default": False, "questions": [QUESTION]})
    assert result["sql_source"] == "llm"


async def test_without_a_model_the_answer_says_which_instruction_was_not_followed() -> None:
    async with shared_service() as service:
        result = await asked(service, default(RELATED), default(UNRELATED))
        own = await service.answer("How many customers are there?", custom_instruction="Leave test customers out.")
    assert result["sql_source"] == own["sql_source"] == "rules"
    (warning,) = result["warnings"]
    assert "not followed" in warning
    assert RELATED in warning
    assert any("Leave test customers out." in warning for warning in own["warnings"])


def test_without_a_model_nobody_is_warned_of_an_instruction_for_other_questions() -> None:
    manifest = read_manifest(json.dumps(shop_manifest()), data_source="DUCKDB").manifest
    assert manifest is not None
    prepared = PreparedModel(authorised_view(manifest, "hash"), {})
    rule = InstructionText("revenue", "Revenue is net of refunds.", False, ("revenue per month", "what did we earn?"))

    def warned(question: str, sql: str) -> bool:
        return bool(instructions_that_matter([rule], question, sql, prepared, has_model=False))

    assert not warned("cheapest product", "SELECT name FROM products ORDER BY price LIMIT 1")
    assert not warned("list all customers", "SELECT * FROM customers")
    assert warned("revenue per country", "SELECT country FROM customers")
    assert instructions_that_matter([rule], "cheapest product", "SELECT name FROM products", prepared)


async def test_one_about_rows_that_names_nothing_of_the_model_matters_to_every_answer() -> None:
    async with shared_service() as service:
        result = await asked(service, default("Never show more than ten rows."))
    assert "ten rows" in result["warnings"][0]


# -- Keyword rules over HTTP, from saving one to the ask that heeds it.


QUESTION_OF_KEYWORDS = "What weather did sailors meet off Cape Horn?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    config = write_config(tmp_path_factory.mktemp("keywords"), settings={"table_retrieval_size": 1})
    async with running_service(config) as http:
        await http.prepare()
        yield http


@pytest.mark.asyncio(loop_scope="module")
class TestKeywords:
    async def test_a_rule_says_which_table_is_meant(self, shop: Client) -> None:
        unknown = await shop.answer(QUESTION_OF_KEYWORDS)
        assert unknown["error"]["code"] == "NO_RELEVANT_DATA"
        rule = {"id": "v", "pattern": "weather", "tables": ["customers"]}
        assert await shop.call("POST", "/v1/keywords", json={"keywords": [rule]}) == (
            200,
            {"keywords": [rule], "warnings": []},
        )
        known = await shop.answer(QUESTION_OF_KEYWORDS)
        # No language model is there to write the SQL; but it is about something now.
        assert known["error"]["code"] == "NO_RELEVANT_SQL"
        assert known["retrieved_tables"][0] == "customers"
        await shop.call("DELETE", "/v1/keywords", json={"keyword_ids": ["v"]})
        assert (await shop.answer(QUESTION_OF_KEYWORDS))["error"]["code"] == "NO_RELEVANT_DATA"

    async def test_a_taught_word_says_so_too(self, shop: Client) -> None:
        taught = {"kind": "table_mapping", "body": {"said": "weather", "table": "customers"}}
        _, kept = await shop.call("POST", "/v1/lessons", json={"lessons": [taught]})
        assert (await shop.answer(QUESTION_OF_KEYWORDS))["error"]["code"] == "NO_RELEVANT_SQL"
        await shop.call("POST", f"/v1/lessons/{kept['lessons'][0]['id']}/revert")
        assert (await shop.answer(QUESTION_OF_KEYWORDS))["error"]["code"] == "NO_RELEVANT_DATA"

    async def test_a_table_that_is_not_there_is_told_with_the_nearest(self, shop: Client) -> None:
        rule = {"id": "c", "pattern": "clients", "tables": ["Customer", "orders"]}
        _, answer = await shop.call("POST", "/v1/keywords", json={"keywords": [rule]})
        assert answer["warnings"] == ["The model has no table Customer; nearest: customers."]
        await shop.call("DELETE", "/v1/keywords", json={"keyword_ids": ["c"]})

    async def test_rules_are_their_projects_own(self, shop: Client) -> None:
        rule = {"id": "v", "pattern": "weather", "tables": ["customers"]}
        status, answer = await shop.call("POST", "/v1/keywords", json={"keywords": [rule], "project_id": "other"})
        assert (status, len(answer["warnings"])) == (200, 1)
        assert (await shop.call("GET", "/v1/keywords"))[1]["keywords"] == []
        assert (await shop.answer(QUESTION_OF_KEYWORDS))["error"]["code"] == "NO_RELEVANT_DATA"
