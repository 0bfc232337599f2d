"""What is made of a model's word on joins, however it is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askwell.mdl.join_candidates import read_joins
from askwell.mdl.join_graph import JoinSource
from askwell.pipelines.generation.table_selection import InferredJoins, join_inference
from askwell.pipelines.retrieval.joins import JoinChoice, OpenJoin
from tests.fakes.recording_model import RecordingModel
from tests.prompts import contexts as c
from tests.support.models import semantic_model
from tests.support.tables import case_table

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


async def _inferred(text: str) -> InferredJoins:
    inference = join_inference.build(RecordingModel(text))
    return await inference.run(c.PLAIN_QUESTION, c.PLAIN, pairs=PAIRS, model=MODEL)


def _said(found: InferredJoins) -> list[tuple[str, float]]:
    return [(choice.condition, choice.confidence) for choice in found.choices]


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
    (edge,) = found.choices[0].edges
    assert (edge.source, edge.confidence, edge.reason) == (JoinSource.MODEL, 0.9, "They buy.")
    assert found.usage.llm_calls == 1


async def test_a_way_over_other_tables_is_one_choice() -> None:
    assert _said(await _inferred(json.dumps({"joins": [BUYER | {"condition": OVER_LINES}]}))) == [(OVER_LINES, 0.9)]


async def test_a_candidate_whose_names_need_quotes_can_be_copied() -> None:
    model = semantic_model({"order items": ["id", "sold to"], "customers": ["id"]})
    condition = "order items.sold to = customers.id"
    told = JoinChoice(read_joins(model, '"order items"."sold to" = customers.id'), 0.4)
    assert told.condition == condition
    inference = join_inference.build(RecordingModel(json.dumps({"joins": [BUYER | {"condition": condition}]})))
    pairs = (OpenJoin("order items", "customers", (told,)),)
    assert _said(await inference.run(c.PLAIN_QUESTION, c.PLAIN, pairs=pairs, model=model)) == [(condition, 0.9)]


@pytest.mark.parametrize("changed", case_table(__file__, "what_was_not_asked_or_cannot_be_is_left_out"))
async def test_what_was_not_asked_or_cannot_be_is_left_out(changed: dict[str, Any]) -> None:
    assert _said(await _inferred(json.dumps({"joins": [BUYER | changed]}))) == []


@pytest.mark.parametrize(
    "text", ["", "Both.", "[]", "{}", '{"joins": "orders"}', '{"joins": null}', '{"joins": [{"con']
)
async def test_a_reply_that_cannot_be_read_gives_none(text: str) -> None:
    assert _said(await _inferred(text)) == []
