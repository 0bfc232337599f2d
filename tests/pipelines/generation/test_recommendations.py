"""The pipelines behind recommendations: what they ask for, and what they make of replies in any form."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinSource
from askwell.mdl.semantic_model import Column, SemanticModel, Table
from askwell.pipelines.generation.build import GenerationPipelines
from askwell.pipelines.generation.question import QueryRequirements, TableVerdict
from askwell.pipelines.generation.reading import join_choices
from askwell.pipelines.generation.recommending import DescriptionBrief, QuestionBrief
from askwell.pipelines.generation.table_selection import (
    JudgedTable,
    join_inference,
    query_requirements,
    table_refinement,
    table_relevance,
)
from askwell.pipelines.retrieval.joins import JoinChoice, OpenJoin
from tests.fakes.model_at import pipelines_at
from tests.fakes.openai_server import Answer
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.models import semantic_model
from tests.support.tables import case_rows, case_table

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
    assert written.value == tuple(found)


@pytest.mark.parametrize(("text", "found"), case_rows(__file__, "suggestions_are_read_from_any_list", "text", "found"))
async def test_suggestions_are_read_from_any_list(text: str, found: list[str]) -> None:
    assert (await _asked(text, "question_suggestion", suggestions)).value == tuple(found)


async def test_relationships_are_taken_whole_or_not_at_all() -> None:
    whole = {"from_table": "orders", "from_column": "a", "to_table": "addresses", "to_column": "id", "reason": "r"}
    entries = [whole, whole, {**whole, "to_column": None}, "orders.a = addresses.id", {**whole, "reason": 1}]
    written = await _asked(Answer(json={"relationships": entries}), "relationship_recommendation", relationships)
    assert [(one.from_column, one.to_column, one.reason) for one in written.value] == [
        ("a", "id", "r"),
        ("a", "id", ""),
    ]
    cut = Answer(json={"relationships": [whole]}, finish_reason="length")
    assert (await _asked(cut, "relationship_recommendation", relationships)).value == ()


@pytest.mark.parametrize(
    ("text", "description", "columns"),
    case_rows(__file__, "only_columns_that_were_asked_for_are_described", "text", "description", "columns"),
)
async def test_only_columns_that_were_asked_for_are_described(
    text: str, description: str, columns: dict[str, str]
) -> None:
    written = await _asked(text, "semantics_description", descriptions)
    assert (written.value.description, written.value.columns) == (description, columns)
    assert written.value.usable == bool(description or columns)


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


# -- What is made of a model's word on joins, however it is written.


MODEL = semantic_model(
    {
        "orders": ["id", "customer_id", "payer_id"],
        "customers": ["id", "name"],
        "lines": ["order_id", "product_id"],
        "products": ["id"],
    }
)
OVER_LINES = "orders.id = lines.order_id AND lines.product_id = products.id"
PAIRS = (
    OpenJoin("orders", "customers"),
    OpenJoin("orders", "products", (JoinChoice(read_joins(MODEL, OVER_LINES), 0.5),)),
)
BUYER = {"condition": "orders.customer_id = customers.id", "confidence": 0.9, "reason": "They  buy."}


async def _inferred(
    text: str, pairs: Sequence[OpenJoin] = PAIRS, model: SemanticModel = MODEL, calls: Sequence[int] = (1,)
) -> tuple[JoinChoice, ...]:
    inference = join_inference.build(RecordingModel(text))
    found = await inference.run(c.PLAIN_QUESTION, c.PLAIN, pairs=pairs, model=model)
    assert found.usage.llm_calls in calls
    return join_choices(found.value, pairs, model)


def _said(found: Sequence[JoinChoice]) -> list[tuple[str, float]]:
    return [(choice.condition, choice.confidence) for choice in found]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"joins": [BUYER]}),
        "Here:\n```json\n" + json.dumps({"joins": [BUYER]}) + "\n```",
        json.dumps([BUYER]),
        json.dumps(BUYER),
        json.dumps({"Joins": [BUYER, BUYER | {"confidence": 0.1}]}),
        json.dumps({"joins": [BUYER | {"confidence": "0.9"}, "orders", 7, None]}),
    ],
)
async def test_a_join_is_read_from_many_forms(text: str) -> None:
    found = await _inferred(text)
    assert _said(found) == [("orders.customer_id = customers.id", 0.9)]
    (edge,) = found[0].edges
    assert (edge.source, edge.confidence, edge.reason) == (JoinSource.MODEL, 0.9, "They buy.")


async def test_a_way_over_other_tables_is_one_choice() -> None:
    assert _said(await _inferred(json.dumps({"joins": [BUYER | {"condition": OVER_LINES}]}))) == [(OVER_LINES, 0.9)]


async def test_a_candidate_whose_names_need_quotes_can_be_copied() -> None:
    model = semantic_model({"order items": ["id", "sold to"], "customers": ["id"]})
    condition = "order items.sold to = customers.id"
    told = JoinChoice(read_joins(model, '"order items"."sold to" = customers.id'), 0.4)
    assert told.condition == condition
    text = json.dumps({"joins": [BUYER | {"condition": condition}]})
    pairs = (OpenJoin("order items", "customers", (told,)),)
    assert _said(await _inferred(text, pairs, model)) == [(condition, 0.9)]


@pytest.mark.parametrize("changed", case_table(__file__, "what_was_not_asked_or_cannot_be_is_left_out"))
async def test_what_was_not_asked_or_cannot_be_is_left_out(changed: dict[str, Any]) -> None:
    assert _said(await _inferred(json.dumps({"joins": [BUYER | changed]}))) == []


@pytest.mark.parametrize(
    "text", ["", "Both.", "[]", "{}", '{"joins": "orders"}', '{"joins": null}', '{"joins": [{"con']
)
async def test_a_reply_that_cannot_be_read_gives_none(text: str) -> None:
    assert _said(await _inferred(text, calls=(1, 3))) == []


# -- What is made of a model's word on tables, however it is written.


ADDRESSES = c.RICH_MODEL.tables["addresses"]


async def _verdict(text: str, table: Table = ADDRESSES) -> TableVerdict | None:
    judgement = await table_relevance.build(RecordingModel(text)).run(c.PLAIN_QUESTION, c.PLAIN, table=table, ddl="")
    assert judgement.usage.llm_calls >= 1
    return judgement.value


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            '{"is_relevant": true, "confidence": 0.9, "relevant_columns": ["CITY", "addresses.id"], '
            '"reasoning": "It  is."}',
            TableVerdict(True, 0.9, ("city", "id"), "It is."),
        ),
        ('Sure:\n```json\n{"is_relevant": false, "confidence": 0.8}\n```', TableVerdict(False, 0.8)),
        ('{"Is_Relevant": "yes", "confidence": "0.5", "relevant_columns": "city"}', TableVerdict(True, 0.5, ("city",))),
        ("is_relevant: true\nconfidence: 0.7", TableVerdict(True, 0.7)),
        ('{"is_relevant": 0, "confidence": 7, "relevant_columns": null, "reasoning": 3}', TableVerdict(False, 0.0)),
        (
            '{"is_relevant": true, "relevant_columns": ["volcano", 7, "city", "city"]}',
            TableVerdict(True, 0.0, ("city",)),
        ),
        ('{"is_relevant": "perhaps", "confidence": 0.9}', None),
        ('{"is_relevant": null}', None),
        ('{"is_relevant": tr', None),
        ('{"confidence": 1}', None),
        ("The table is relevant.", None),
        ("", None),
    ],
)
async def test_a_verdict_is_read_tolerantly(text: str, verdict: TableVerdict | None) -> None:
    assert await _verdict(text) == verdict


@pytest.mark.parametrize(
    ("text", "tables"),
    case_rows(__file__, "only_shown_tables_stay_and_else_nothing_is_refined", "text", "tables"),
)
async def test_only_shown_tables_stay_and_else_nothing_is_refined(text: str, tables: list[str]) -> None:
    judged = [JudgedTable(name, name) for name in ("orders", "addresses")]
    refined = await table_refinement.build(RecordingModel(text)).run(
        c.PLAIN_QUESTION, c.PLAIN, judged=judged, tokens=100
    )
    assert refined.value == tuple(tables)


async def _required(text: str, tables: tuple[str, ...] = ("orders", "addresses")) -> QueryRequirements | None:
    analysis = query_requirements.build(RecordingModel(text))
    found = await analysis.run(c.PLAIN_QUESTION, c.PLAIN, tables=tables, model=c.RICH_MODEL)
    return found.value[0]


async def test_requirements_are_lines_and_joins_are_proven() -> None:
    said = {
        "joins_needed": True,
        "joins": [
            {"condition": "orders.billing_address_id = addresses.id", "why": "it is billed"},
            "orders.shipping_address_id = addresses.id",
            "orders.volcano = addresses.id",
            "orders.id = addresses.id OR 1 = 1",
        ],
        "filters": [{"column": "addresses.city", "operator": "=", "value": "Berlin"}, 7, None, "", "x" * 1_000],
        "aggregations": "count of orders",
        "ordering": [f"by {number}" for number in range(100)],
        "parameters": ["city =\n Berlin", "city = Berlin"],
        "reasoning": "because",
    }
    found = await _required(json.dumps(said))
    assert found is not None
    assert found.tables == ("orders", "addresses")
    assert found.joins_needed
    assert found.joins == ("orders.billing_address_id = addresses.id", "orders.shipping_address_id = addresses.id")
    assert found.filters == ("addresses.city = Berlin",)
    assert found.aggregations == ("count of orders",)
    assert len(found.ordering) == 20
    assert found.parameters == ("city = Berlin",)
    assert found.reasoning == "because"


@pytest.mark.parametrize(
    ("text", "tables", "needed"),
    case_rows(__file__, "whether_more_than_one_table_is_read", "text", "tables", "needed"),
)
async def test_whether_more_than_one_table_is_read(text: str, tables: tuple[str, ...], *, needed: bool) -> None:
    found = await _required(text, tables)
    assert found is not None
    assert found.joins_needed is needed


@pytest.mark.parametrize("text", ["", "Count them.", "[]", '{"joins_needed": tr'])
async def test_requirements_that_cannot_be_read_are_none(text: str) -> None:
    assert await _required(text) is None
