"""What an answer of a service says about how its tables were joined."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.openai_server import Answer
from tests.support import tiny_shop
from tests.support.shared import shared_scripted_service, shared_service

DECLARED = "orders and customers were joined where orders.customer_id = customers.id, as declared."
INFERRED = "The database does not say that orders.customer_id = customers.id; this was inferred (by its name)."


def told_of_joins(result: dict[str, Any]) -> list[str]:
    assert result["status"] == "finished", result
    return [line for line in result.get("assumptions", ()) if "join" in line or "inferred" in line]


def inferring() -> dict[str, Any]:
    mdl = tiny_shop.manifest()
    mdl["relationships"][0]["properties"] = {"inferred": True, "reason": "by its name"}
    return mdl


async def test_rules_say_by_which_columns_and_whether_that_is_declared() -> None:
    question = "How many orders are there per customer name?"
    async with shared_service() as service:
        assert told_of_joins(await service.answer(question)) == [DECLARED]
        assert told_of_joins(await service.answer("How many orders are there?")) == []

        assert (await service.prepare(inferring(), "m2"))["status"] == "finished"
        assert told_of_joins(await service.answer(question)) == [INFERRED]


@pytest.mark.parametrize(
    "join",
    [
        "FROM orders AS o JOIN customers AS c ON c.id = o.customer_id",
        "FROM orders JOIN customers AS c ON customer_id = c.id",
        "FROM orders, customers WHERE customers.id = orders.customer_id",
        "FROM orders JOIN customers AS c ON customer_id = c.id WHERE NOT EXISTS"
        " (SELECT 1 FROM orders AS c WHERE c.id = orders.customer_id)",
    ],
)
async def test_a_statement_of_a_language_model_is_told_of_alike(join: str) -> None:
    written = Answer(json={"sql": f"SELECT COUNT(*) AS n {join}"})
    question = "How many orders do our keenest customers have, roughly?"
    async with shared_scripted_service({"sql_generation": [written, written]}) as (service, _server):
        assert told_of_joins(await service.answer(question)) == [DECLARED]
        assert (await service.prepare(inferring(), "m2"))["status"] == "finished"
        assert told_of_joins(await service.answer(question)) == [INFERRED]
