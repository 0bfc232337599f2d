"""Readings that rules are not sure of, and meanings that a person chooses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlglot import parse_one

from askwell.asks.alternatives import alternatives_in, offered
from askwell.mdl.semantic_model import Cardinality, Relationship
from askwell.sql.binder import bind
from askwell.sql.bindings import FREE
from askwell.sql.bound import BoundSql
from askwell.sql.fanout import Statement
from askwell.sql.joins_in_words import joins_in_words
from askwell.sql.outcome import ValidSql
from tests.asks.test_clarification import (
    COLUMNS,
    DATES,
    serving,
)
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.models import semantic_model
from tests.support.shared import shared_service
from tests.support.tables import case_rows

ROWS = [["Ann"], ["Bob"], ["Cid"]]


# -- What a question means, said with it; and what else it could have meant, offered with its answer.


TO, FROM = "flights.to_airport_id = airports.id", "flights.from_airport_id = airports.id"
# Questions of which something is taken for granted, and what is said of them, if anything.
OPEN: list[tuple[str, dict[str, Any] | None, str]] = case_rows(__file__, "open", "question", "meant", "about")


async def test_what_the_model_does_not_have_is_refused() -> None:
    async with serving() as service:
        for meant, told in case_rows(__file__, "what_the_model_does_not_have_is_refused", "meant", "told"):
            status, body = await service.call("POST", "/v1/asks", json={"query": DATES, "meant": meant})
            assert status == 422, meant
            assert told in str(body)


async def test_hidden_columns_are_not_there() -> None:
    """They can neither be meant nor be found out."""
    async with shared_service() as service:
        hidden: dict[str, Any] = {"query": "customers", "meant": {"columns": ["customers.secret"]}}
        status, body = await service.call("POST", "/v1/asks", json=hidden)
        hidden["meant"]["columns"] = ["customers.secre"]
        _, near = await service.call("POST", "/v1/asks", json=hidden)
    assert (status, "has no column “secret”" in str(body), "nearest: secret" in str(near)) == (422, True, False)


async def test_what_is_meant_is_part_of_the_request() -> None:
    """The same key with another meaning is another request."""
    key = {"Idempotency-Key": "once"}
    async with serving() as service:

        async def asked(meant: dict[str, Any] | None) -> tuple[int, Any]:
            return await service.call("POST", "/v1/asks", json={"query": COLUMNS, "meant": meant}, headers=key)

        gross = {"columns": ["sales_orders.gross_amount"]}
        (first, body), (again, same) = await asked(gross), await asked(gross)
        assert (first, again, same) == (202, 202, body)
        assert (await asked({"columns": ["sales_orders.net_amount"]}))[0] == 422
        assert (await asked(None))[0] == 422


@pytest.mark.parametrize("cases", [OPEN[::2], pytest.param(OPEN, marks=pytest.mark.deep)], ids=["some", "all"])
async def test_every_alternative_leads_to_what_it_says(cases: list[Any]) -> None:
    async with serving() as service:
        for question, meant, about in cases:
            result = await service.answer(question, meant=meant, execute=True)
            [alternative] = _without_periods(result)
            assert alternative["about"] == about, question
            assert alternative.get("assumption", "") in ("", *result.get("assumptions", ()))
            for option in alternative["options"]:
                other = await service.answer(question, meant=option["meant"], execute=True)
                assert other["status"] == "finished", (question, option, other)
                _reads(option["meant"], other["response"][0]["sql"])
                assert other["response"][0]["sql"] != result["response"][0]["sql"]
                assert alternative["assumed"] in {one["label"] for one in _options(other)}, "there is a way back"


async def test_a_sentence_about_time_has_its_alternatives() -> None:
    async with serving() as service:
        result = await service.answer("how many sales orders in 2025")
        plain = await service.answer("how many customers are from Italy?")
        named = await service.answer("sales orders with a ship date in 2025")
    assert _without_periods(result) == [
        {
            "about": "date",
            "assumed": "order_date",
            "assumption": "Time was taken to mean order_date.",
            "options": [
                {"label": "ship_date", "meant": {"columns": ["sales_orders.ship_date"]}},
                {"label": "due_date", "meant": {"columns": ["sales_orders.due_date"]}},
            ],
        }
    ]
    assert "alternatives" not in plain
    assert not _without_periods(named)


async def test_an_answer_says_in_one_sentence_what_it_does() -> None:
    async with serving() as service:
        result = await service.answer("how many sales orders in 2025")
    assert result["reading"].startswith("How many sales orders are there where order date is")


async def test_a_language_model_is_held_to_what_is_meant() -> None:
    """A statement that does not keep to it is no answer; and what it took unasked is offered to be changed."""
    ordered = "SELECT SUM(gross_amount) AS s FROM sales_orders WHERE order_date >= '2025-01-01'"
    wrong, right = Answer(json={"sql": ordered}), Answer(json={"sql": ordered.replace("order_date", "ship_date")})
    question = "turnover since the start of 2025, roughly"
    async with ChatServer({"sql_generation": [wrong], "sql_correction": [right]}) as server:
        async with serving(server.api_base) as service:
            result = await service.answer(question, execute=True)
            assert (result["sql_source"], result["reading"][-1]) == ("llm", "?")
            [alternative] = result["alternatives"]
            assert (alternative["about"], alternative["assumed"]) == ("date", "Order date")
            [ship] = [option for option in alternative["options"] if "Ship" in option["label"]]
            other = await service.answer(question, execute=True, meant=ship["meant"])
            corrected = await server.arrived("sql_correction")
    assert "ship_date" in other["response"][0]["sql"]
    assert "The column “sales_orders.ship_date” was asked for" in corrected.user


@pytest.mark.parametrize(
    ("joined", "question", "labels"),
    case_rows(__file__, "another_role_is_offered_with_the_sentence_of_the_join", "joined", "question", "labels"),
)
def test_another_role_is_offered_with_the_sentence_of_the_join(joined: str, question: str, labels: list[str]) -> None:
    """Over two columns, and where neither the statement nor the question decides."""
    tables = {"airports": ["land", "code"], "flights": ["id", "to_land", "to_code", "from_land", "from_code"]}
    roles = tuple(
        Relationship(
            role, "flights", "airports", Cardinality.MANY_TO_ONE, ((f"{role}_land", "land"), (f"{role}_code", "code"))
        )
        for role in ("to", "from")
    )
    model = replace(semantic_model(tables), relationships=roles)
    sql = f"SELECT COUNT(*) AS n FROM flights AS f {joined}"
    bound = bind(parse_one(sql), model, "sqlite")
    assert isinstance(bound, BoundSql)
    told = joins_in_words(bound, model, Statement.of(bound, model))
    found = offered(alternatives_in(ValidSql(sql, sql, "sqlite"), question, FREE, model), told, model)
    assert [option["label"] for one in found for option in one["options"]] == labels
    assert all((one["about"], one.get("assumption")) == ("join", told[0]) for one in found)


def _without_periods(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What else could be meant; see test_other_periods.py for what else could be asked."""
    return [one for one in result["alternatives"] if one["about"] != "period"]


def _options(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [option for one in result["alternatives"] for option in one["options"]]


def _reads(meant: dict[str, Any], sql: str) -> None:
    for column in meant.get("columns", ()):
        assert column in sql
    for table in meant.get("tables", ()):
        assert table in sql
    for table in meant.get("not_tables", ()):
        assert table not in sql
    for join in meant.get("joins", ()):
        assert join in sql or " = ".join(reversed(join.split(" = "))) in sql
