"""The pipelines behind recommendations: what they ask for, and what they make of replies in any form."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from askwell.mdl.semantic_model import Column
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.generation.recommending import DescriptionBrief, QuestionBrief
from tests.fakes.model_at import pipelines_at
from tests.fakes.openai_server import Answer
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.models import semantic_model
from tests.support.tables import case_rows

Ask = Callable[[GenerationPipelines], Awaitable[Any]]

BRIEF = QuestionBrief(("Descriptive", "Data quality"), 5)


def questions(p: GenerationPipelines) -> Awaitable[Any]:
    return p.recommendation.run(BRIEF, model=c.RICH_MODEL, tables=("orders",))


def suggestions(p: GenerationPipelines) -> Awaitable[Any]:
    return p.suggestion.run(c.PLAIN_QUESTION, sql="SELECT 1", model=c.RICH_MODEL, tables=("orders",))


def relationships(p: GenerationPipelines) -> Awaitable[Any]:
    return p.relationships.run(c.RICH_MODEL)


def descriptions(p: GenerationPipelines) -> Awaitable[Any]:
    return p.description.run(DescriptionBrief("CREATE TABLE t (id INT)", ("id", "Name"), {}))


async def _asked(text: str | Answer, stage: str, ask: Ask) -> Any:
    async with pipelines_at({stage: [text]}) as (pipelines, server):
        given = await ask(pipelines)
        request = server.requests[0]
        assert request.stage == stage
        assert request.body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
        assert given.usage.llm_calls == server.calls()
        return given


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"questions": [{"question": " How  many? ", "category": "Descriptive"}]}', [("How many?", "Descriptive")]),
        ('```json\n{"Questions": [{"question": "A?", "category": "DATA QUALITY"}]}\n```', [("A?", "Data quality")]),
        ('Here: [{"question": "A?", "category": "Descriptive"}]', [("A?", "Descriptive")]),
        ('{"questions": [{"question": "A?", "category": "Gossip"}, "B?", {"question": 7}, null]}', []),
        ('{"questions": [{"question": "' + "A" * 400 + '", "category": "Descriptive"}]}', []),
        ('{"questions": {"Descriptive": "A?"}}', []),
        ("No.", []),
        ("", []),
    ],
)
async def test_questions_have_one_of_the_categories_asked_for(text: str, found: Sequence[tuple[str, str]]) -> None:
    written = await _asked(text, "question_recommendation", questions)
    assert written.questions == tuple(found)


@pytest.mark.parametrize(("text", "found"), case_rows(__file__, "suggestions_are_read_from_any_list", "text", "found"))
async def test_suggestions_are_read_from_any_list(text: str, found: tuple[str, ...]) -> None:
    assert (await _asked(text, "question_suggestion", suggestions)).questions == found


async def test_relationships_are_taken_whole_or_not_at_all() -> None:
    whole = {"from_table": "orders", "from_column": "a", "to_table": "addresses", "to_column": "id", "reason": "r"}
    entries = [whole, whole, {**whole, "to_column": None}, "orders.a = addresses.id", {**whole, "reason": 1}]
    written = await _asked(Answer(json={"relationships": entries}), "relationship_recommendation", relationships)
    assert [(one.from_column, one.to_column, one.reason) for one in written.relationships] == [
        ("a", "id", "r"),
        ("a", "id", ""),
    ]
    cut = Answer(json={"relationships": [whole]}, finish_reason="length")
    assert (await _asked(cut, "relationship_recommendation", relationships)).relationships == ()


@pytest.mark.parametrize(
    ("text", "description", "columns"),
    case_rows(__file__, "only_columns_that_were_asked_for_are_described", "text", "description", "columns"),
)
async def test_only_columns_that_were_asked_for_are_described(
    text: str, description: str, columns: dict[str, str]
) -> None:
    written = await _asked(text, "semantics_description", descriptions)
    assert (written.description, written.columns) == (description, columns)
    assert written.usable == bool(description or columns)


async def test_a_model_of_any_size_is_cut_to_what_the_language_model_reads() -> None:
    wide = semantic_model({f"t{n}": [Column(f"column_{m}", "VARCHAR") for m in range(200)] for n in range(300)})
    llm = RecordingModel("{}")
    p = GenerationPipelines(lambda _: llm)
    await p.recommendation.run(BRIEF, model=wide, tables=list(wide.tables))
    await p.relationships.run(wide)
    await p.suggestion.run(c.PLAIN_QUESTION, sql="SELECT 1", model=wide, tables=list(wide.tables))
    for call in llm.calls:
        assert 1_000 < len(call.user) < llm.context_window * 2
        assert "column_59" in call.user
        assert "CREATE TABLE t0" in call.user
