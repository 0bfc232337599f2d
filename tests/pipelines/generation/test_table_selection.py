"""What is made of a model's word on tables, however it is written."""

from __future__ import annotations

import json

import pytest

from askwell.mdl.semantic_model import Table
from askwell.pipelines.generation.question import TableVerdict
from askwell.pipelines.generation.table_selection import (
    JudgedTable,
    RequirementsReply,
    query_requirements,
    table_refinement,
    table_relevance,
)
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.tables import case_rows

ADDRESSES = c.RICH_MODEL.tables["addresses"]


async def _verdict(text: str, table: Table = ADDRESSES) -> TableVerdict | None:
    judgement = await table_relevance.build(RecordingModel(text)).run(c.PLAIN_QUESTION, c.PLAIN, table=table, ddl="")
    assert judgement.usage.llm_calls >= 1
    return judgement.verdict


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
async def test_only_shown_tables_stay_and_else_nothing_is_refined(text: str, tables: tuple[str, ...]) -> None:
    judged = [JudgedTable(name, name) for name in ("orders", "addresses")]
    refined = await table_refinement.build(RecordingModel(text)).run(
        c.PLAIN_QUESTION, c.PLAIN, judged=judged, tokens=100
    )
    assert refined.tables == tables


async def _required(text: str, tables: tuple[str, ...] = ("orders", "addresses")) -> RequirementsReply:
    analysis = query_requirements.build(RecordingModel(text))
    return await analysis.run(c.PLAIN_QUESTION, c.PLAIN, tables=tables, model=c.RICH_MODEL)


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
    found = (await _required(json.dumps(said))).requirements
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
    found = (await _required(text, tables)).requirements
    assert found is not None
    assert found.joins_needed is needed


@pytest.mark.parametrize("text", ["", "Count them.", "[]", '{"joins_needed": tr'])
async def test_requirements_that_cannot_be_read_are_none(text: str) -> None:
    assert (await _required(text)).requirements is None
