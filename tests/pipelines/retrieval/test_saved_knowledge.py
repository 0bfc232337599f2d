"""What people saved, as retrieval finds it: keyword rules, and instructions within their room."""

from __future__ import annotations

from askwell.knowledge.keywords import Keyword
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction
from tests.pipelines.retrieval.test_retrieval import project, record, retrieval
from tests.support.models import semantic_model

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


async def test_instructions_stay_within_their_room_and_default_ones_are_always_in(record: Record) -> None:
    question = "How many orders?"
    rules = [
        Instruction("always", "a" * 2_000, is_default=True),
        Instruction("long", "b" * 500, (question,)),
        Instruction("short", "Orders are paid ones.", (question,)),
        Instruction("by its own words", "how many orders"),
    ]
    await record.saved.save_instructions("p", rules, "e1")
    found = await retrieval(record, context_token_budget=400).run(project(), question)
    assert {one.id for one in found.instructions} == {"always", "short", "by its own words"}
