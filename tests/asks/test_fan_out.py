"""Asks whose SQL adds up rows that a join repeats: one try to write it anew, and then it is only proposed."""

from __future__ import annotations

from typing import Any

import pytest

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


async def test_an_inflated_sum_is_written_anew_once_and_the_better_statement_is_the_answer() -> None:
    async with ChatServer({"sql_generation": sql(INFLATED), "sql_correction": sql(RIGHT)}) as server:
        result = await asked(server)
    assert result["data"]["rows"] == [[235.5]]
    assert "EXISTS" in result["response"][0]["sql"]
    assert "warnings" not in result
    assert (server.calls("sql_correction"), server.calls("sql_diagnosis")) == (1, 0)
    assert result["usage"]["llm_calls"] == server.calls() == 2
    assert "correction" in [entry["stage"] for entry in result["timings"]]


async def test_the_model_sees_its_own_statement_and_what_is_wrong_with_it() -> None:
    async with ChatServer({"sql_generation": sql(INFLATED), "sql_correction": sql(RIGHT)}) as server:
        await asked(server)
    request = next(request for request in server.requests if request.stage == "sql_correction")
    assert INFLATED in request.user
    assert "adds the same row of customers (c) more than once: the join with orders (o)" in request.user
    assert "Where a join repeats rows that are added up" in request.user


@pytest.mark.deep
@pytest.mark.parametrize(
    "reply",
    [
        *sql(INFLATED, "SELECT shoe_size FROM customers", "DELETE FROM customers"),
        Answer(text="I think it is right."),
        Answer(status=500, error={"message": "no"}),
        Answer(drop="before"),
    ],
    ids=["insists", "unknown column", "refused", "prose", "server error", "connection lost"],
)
async def test_whatever_the_second_try_gives_the_first_statement_is_proposed(reply: Answer) -> None:
    async with ChatServer({"sql_generation": sql(INFLATED), "sql_correction": [reply]}) as server:
        result = await asked(server)
    assert proposed(result)
    if reply.status == 200 and not reply.drop:
        assert server.calls("sql_correction") == 1


async def test_the_deadline_in_the_second_try_ends_with_the_first_statement() -> None:
    script = {"sql_generation": sql(INFLATED), "sql_correction": [Answer(hang=True)]}
    async with ChatServer(script) as server:
        result = await asked(server, settings={"ask_deadline": 1.5})
        assert await server.ended(await server.arrived("sql_correction")) == "abandoned"
    assert proposed(result)


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


async def test_the_second_try_is_one_of_the_corrections() -> None:
    script = {"sql_generation": sql("SELECT shoe_size FROM customers"), "sql_correction": sql(INFLATED, RIGHT)}
    async with ChatServer(script) as server:
        result = await asked(server, settings={"max_sql_correction_retries": 1})
        assert proposed(result)
        assert server.calls("sql_correction") == 1
    async with ChatServer(script) as server:
        result = await asked(server)
        assert result["data"]["rows"] == [[235.5]]
        first, second = [request.user for request in server.requests if request.stage == "sql_correction"]
        assert "<earlier_attempts>" not in first
        assert "SELECT shoe_size FROM customers" in second


@pytest.mark.parametrize(
    ("query", "statement", "note"),
    [
        (QUESTION, f"SELECT AVG(c.total_spent) {JOINED}", "AVG(c.total_spent) gives one row of customers (c) more"),
        ("How many keen buyers are there, roughly?", f"SELECT COUNT(c.name) {JOINED}", "write COUNT(DISTINCT c.id)"),
    ],
    ids=["average", "count"],
)
async def test_an_average_or_a_count_is_noted_and_stays(query: str, statement: str, note: str) -> None:
    async with ChatServer({"sql_generation": sql(statement)}) as server:
        result = await asked(server, query)
    assert note in result["warnings"][0]
    assert server.calls("sql_correction") == 0


async def test_a_sum_that_no_join_repeats_is_neither_tried_again_nor_warned_of() -> None:
    async with ChatServer({"sql_generation": sql(f"SELECT SUM(o.amount), COUNT(*) {JOINED}")}) as server:
        result = await asked(server)
    assert result["data"]["rows"] == [[235.5, 4]]
    assert "warnings" not in result
    assert server.calls("sql_correction") == 0


async def test_a_saved_answer_is_given_as_it_is_with_the_warning() -> None:
    model = tiny_shop.manifest()
    model["views"].append({"name": "spent", "statement": INFLATED, "properties": {"question": QUESTION}})
    async with shared_scripted_service(mdl=model) as (service, server):
        result = await service.answer(QUESTION, execute=True)
    assert result["data"]["rows"] == [[385.5]]
    assert [says_so(one) for one in result["warnings"]] == [True]
    assert (result["sql_source"], result["verdict"]) == ("view", "checked")
    assert server.calls() == 0
