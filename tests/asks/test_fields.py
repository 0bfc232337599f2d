"""Conversations with asks that match a saved question with parameters: what is taken from the question, what is asked
for, what is taken for an answer, and that no value is ever more than a value."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from askwell.knowledge.saved import SqlPair
from askwell.services.pair_parameters import with_values
from tests.asks.test_clarification import correct, serving, settled
from tests.support.service import Client
from tests.support.tables import case_rows, case_table

FROM, TO = {"name": "from", "type": "DATE"}, {"name": "to", "type": "DATE", "description": "the last day"}
PAIRS: list[dict[str, Any]] = case_table(__file__, "pairs")
RANGE = "intake between {from} and {to}"
BUYERS = "How many buyers are there in a country?"


async def save(service: Client, *pairs: Mapping[str, Any]) -> dict[str, Any]:
    """What became of saving these."""
    status, answer = await service.call("POST", "/v1/sql-pairs", json={"sql_pairs": list(pairs)})
    assert status == 202, answer
    event: dict[str, Any] = {}
    async with asyncio.timeout(10):
        while event.get("status") in (None, "indexing"):
            _, event = await service.call("GET", f"/v1/sql-pairs/{answer['event_id']}")
    return event


@asynccontextmanager
async def ready(api_base: str | None = None) -> AsyncIterator[Client]:
    async with serving(api_base) as service:
        assert (await save(service, *PAIRS))["status"] == "finished"
        yield service


async def asked_for(service: Client, question: str) -> tuple[str, dict[str, Any]]:
    ask = await service.ask(question, interactive=True, execute=True)
    result = await settled(service, ask)
    assert result["status"] == "awaiting_correction", result
    assert result["clarification"]["kind"] == "fields"
    return ask, result["clarification"]


def names(clarification: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in clarification["fields"]]


def values(**given: Any) -> dict[str, Any]:
    return {"type": "fields", "values": {name.rstrip("_"): value for name, value in given.items()}}


# Questions that say all values, and what they find.
SAID: list[tuple[str, list[list[Any]]]] = case_rows(__file__, "said", "question", "rows", lists=True)


async def test_values_are_taken_from_the_question() -> None:
    async with ready() as service:
        for question, rows in SAID:
            result = await service.answer(question, execute=True)
            assert result["status"] == "finished", (question, result)
            assert result["data"]["rows"] == rows, question
            assert (result["sql_source"], result["verified"]) == ("history", True)
            assert ":" not in result["response"][0]["sql"]


# What is not there is asked for: the question, the fields, an answer, and what it finds.
ANSWERS: list[tuple[str, list[str], dict[str, Any], list[list[Any]]]] = case_rows(
    __file__, "answers", "question", "missing", "answer", "rows", lists=True
)


async def test_missing_values_are_asked_for() -> None:
    async with ready() as service:
        for question, missing, answer, rows in ANSWERS:
            ask, asked = await asked_for(service, question)
            assert names(asked) == missing, question
            assert await correct(service, ask, answer) == 202, answer
            result = await settled(service, ask)
            assert result["status"] == "finished", (question, answer, result)
            assert result["data"]["rows"] == rows, (question, answer)
            assert result["verified"] is True
            assert "clarification" not in result


async def test_words_that_give_nothing_count_as_attempts() -> None:
    async with ready() as service:
        for nonsense in ("the green one", "", "not last month", "31 February 2025", "; DROP TABLE orders", "🤷" * 200):
            ask, _ = await asked_for(service, RANGE)
            for attempt in (2, 3):
                assert await correct(service, ask, {"text": nonsense}) == 202
                assert (await settled(service, ask))["clarification"]["attempt"] == attempt, nonsense
            assert await correct(service, ask, {"text": nonsense}) == 202
            result = await settled(service, ask)
            assert (result["status"], result["nl2sql_code"]) == ("failed", "3005")
            assert names(result["clarification"]) == ["from", "to"]
            assert "id" not in result["clarification"]


REFUSED: list[tuple[dict[str, Any], str]] = case_rows(__file__, "refused", "wrong", "said")


async def test_wrong_types_names_and_contradictions_are_refused_and_count_as_no_attempt() -> None:
    async with ready() as service:
        ask, asked = await asked_for(service, RANGE)
        for wrong, said in REFUSED:
            status, answer = await service.call("POST", f"/v1/asks/{ask}/corrections", json=wrong)
            assert (status, said in answer["message"]) == (422, True), (wrong, answer)
            assert (await service.result(ask))["clarification"] == asked
        for wrong in (
            {"type": "fields"},
            {"type": "fields", "values": []},
            {"text": "x" * 100_000},
            {"text": "a\x00b"},
        ):
            assert await correct(service, ask, wrong) == 422


INJECTIONS = case_table(__file__, "injections")


async def test_a_value_is_never_more_than_a_value() -> None:
    async with ready() as service:
        for attack in INJECTIONS:
            ask, _ = await asked_for(service, "deals of the buyer … by state yes")
            assert await correct(service, ask, values(name=attack)) == 202
            result = await settled(service, ask)
            assert result["status"] == "finished", (attack, result)
            assert result["data"]["rows"] == [[0]], attack
            result = await service.answer(f"deals of the buyer “{attack}” by state yes", execute=True)
            assert result.get("data", {}).get("rows", [[0]]) == [[0]], attack
        ask, asked = await asked_for(service, BUYERS)
        for attack in ("a\x00b", "a\x1bb", "x" * 100_000, "\ud800"):
            assert await correct(service, ask, values(country=attack)) == 422
            assert (await service.result(ask))["clarification"] == asked
        assert (await service.answer("how many customers are there?", execute=True))["data"]["rows"] == [[3]]


def test_a_list_of_values_leaves_those_beside_it() -> None:
    pair = SqlPair.of(
        {
            "id": "p",
            "question": BUYERS,
            "sql": "SELECT 1 AS one FROM buyers WHERE country IN ('Chad', :countries)",
            "parameters": [{"name": "countries", "type": "ARRAY(VARCHAR)"}],
        }
    )
    assert "IN ('Chad', 'Peru', 'Oman')" in with_values(pair, {"countries": ["Peru", "Oman"]}, "sqlite")
