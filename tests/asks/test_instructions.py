"""Saved instructions and keyword rules: what an ask makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from askwell.asks.project_knowledge import instructions_that_matter
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.pipelines.retrieval.context import InstructionText
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.sample.shop import shop_manifest
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Translation
from tests.support.shared import shared_service

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


async def test_keyword_rules_are_their_projects_own() -> None:
    question = "What weather did sailors meet off Cape Horn?"
    rule = {"id": "v", "pattern": "weather", "tables": ["customers"]}
    async with shared_service(table_retrieval_size=1) as service, shared_service(table_retrieval_size=1) as other:
        assert (await other.call("POST", "/v1/keywords", json={"keywords": [rule]}))[0] == 200
        assert (await service.call("GET", "/v1/keywords"))[1]["keywords"] == []
        assert (await service.answer(question))["error"]["code"] == "NO_RELEVANT_DATA"
