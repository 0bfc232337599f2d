"""Asks whose SQL adds up rows that a join repeats: one try to write it anew, and then it is only proposed."""

from __future__ import annotations

from tests.fakes.openai_server import Answer
from tests.support.shared import shared_scripted_service

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
