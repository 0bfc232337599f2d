"""Asks whose SQL adds up rows that a join repeats: one try to write it anew, and then it is only proposed."""

from __future__ import annotations

from typing import Any

from tests.fakes.openai_server import Answer, ChatServer
from tests.support import tiny_shop
from tests.support.shared import shared_scripted_service, shared_service

QUESTION = "How much did our keenest buyers of paid things spend, roughly?"
JOINED = "FROM customers AS c JOIN orders AS o ON o.customer_id = c.id"
# Ada Lovelace has two orders, so that what she spent is added twice.
INFLATED = f"SELECT SUM(c.total_spent) AS spent {JOINED}"
RIGHT = (
    "SELECT SUM(c.total_spent) AS spent FROM customers AS c "
    "WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.id)"
)


def sql(*statements: str) -> list[Answer]:
    return [Answer(json={"sql": statement}) for statement in statements]


async def asked(
    server: ChatServer, query: str = QUESTION, settings: dict[str, Any] | None = None, **body: Any
) -> dict[str, Any]:
    async with shared_service(api_base=server.api_base, **(settings or {})) as service:
        return await service.answer(query, execute=True, **body)


def proposed(result: dict[str, Any]) -> bool:
    """Whether the inflated one is no answer and is given with the reason."""
    assert (result["status"], result["error"]["code"]) == ("failed", "NO_RELEVANT_SQL"), result
    found = next(one for one in result["findings"] if one["severity"] == "wrong")
    return found["code"] == "fan_out" and says_so(found["message"]) and bool(result["invalid_sql"] == INFLATED)


def says_so(message: str) -> bool:
    said = "SUM(c.total_spent) adds the same row of customers (c) more than once: the join with orders (o) on "
    return message.startswith(f"{said}o.customer_id = c.id")


async def test_a_stop_in_the_second_try_stops_the_ask() -> None:
    script = {"sql_generation": sql(INFLATED), "sql_correction": [Answer(hang=True, json={"sql": RIGHT})]}
    async with shared_scripted_service(script) as (service, server):
        ask = await service.ask(QUESTION, execute=True)
        request = await server.arrived("sql_correction")
        waiting = await service.result(ask)
        assert (waiting["status"], waiting["invalid_sql"]) == ("correcting", INFLATED)
        await service.stop(ask)
        assert await server.ended(request) == "abandoned"
        assert (await service.result(ask))["status"] == "stopped"


async def test_a_saved_answer_is_given_as_it_is_with_the_warning() -> None:
    model = tiny_shop.manifest()
    model["views"].append({"name": "spent", "statement": INFLATED, "properties": {"question": QUESTION}})
    async with shared_scripted_service(mdl=model) as (service, server):
        result = await service.answer(QUESTION, execute=True)
    assert result["data"]["rows"] == [[385.5]]
    assert [says_so(one) for one in result["warnings"]] == [True]
    assert (result["sql_source"], result["verdict"]) == ("view", "checked")
    assert server.calls() == 0
