"""What people saved, as retrieval finds it: keyword rules, and instructions within their room."""

from __future__ import annotations

import pytest

from askwell.knowledge.keywords import Keyword
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction
from tests.pipelines.retrieval.test_retrieval import project, record, retrieval
from tests.support.models import semantic_model
from tests.support.records import save_instructions

__all__ = ["record"]

NAMES = ["orders", "payments", "refunds", "stores", "suppliers", "regions", "agents", "rma_2"]
BIG = semantic_model({name: [f"{name}_{n}" for n in range(40)] for name in NAMES}, content_hash="big")


async def test_the_tables_of_a_keyword_rule_are_among_the_chosen_ones(record: Record) -> None:
    await record.saved.save_keywords(
        "p", [Keyword("1", "complaints?", ("RMA_2", "gone")), Keyword("2", "x", ("agents",))]
    )
    door = retrieval(record, table_retrieval_size=2, context_token_budget=600)
    found = await door.run(project(model=BIG), "Complaint refunds of suppliers in regions")
    assert found.tables[0].name == "rma_2"
    assert "rma_2" in found.schema.tables
    assert found.scope.in_scope
    other = await door.run(project("q", model=BIG), "Complaint refunds of suppliers in regions")
    assert "rma_2" not in other.schema.tables


async def test_instructions_stay_within_their_room_and_default_ones_have_their_own(record: Record) -> None:
    question = "How many orders?"
    rules = [
        Instruction("always", "a" * 500, is_default=True),
        Instruction("long", "b" * 500, (question,)),
        Instruction("short", "Orders are paid ones.", (question,)),
        Instruction("by its own words", "how many orders"),
    ]
    await save_instructions(record, "p", rules)
    found = await retrieval(record, context_token_budget=400).run(project(), question)
    assert {one.id for one in found.instructions} == {"always", "short", "by its own words"}


async def test_default_instructions_stay_within_half_of_the_room(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    rules = [
        Instruction("first", "a" * 300, is_default=True),
        Instruction("too long", "b" * 2_000, is_default=True),
        Instruction("last", "c" * 200, is_default=True),
    ]
    for rule in rules:
        await save_instructions(record, "p", [rule])
    found = await retrieval(record, context_token_budget=400).run(project(), "How many orders?")
    assert [one.id for one in found.instructions] == ["first", "last"]
    warning = next(line for line in caplog.records if "default instructions are left out" in line.getMessage())
    assert "bbb" not in str(warning.__dict__)
    caplog.clear()
    await retrieval(record, context_token_budget=4_000).run(project(), "How many orders?")
    assert "default instructions" not in caplog.text
