"""Conversations with asks that match a saved question with parameters: what is taken from the question, what is asked
for, what is taken for an answer, and that no value is ever more than a value."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.asks.test_clarification import correct, serving, settled
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client
from tests.support.tables import case_rows, case_table

FROM, TO = {"name": "from", "type": "DATE"}, {"name": "to", "type": "DATE", "description": "the last day"}
PAIRS: list[dict[str, Any]] = case_table(__file__, "pairs")
RANGE = "intake between {from} and {to}"
BUYERS = "How many buyers are there in a country?"
BIG = "big deals over {minimum}"


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


YEAR = [[350.0]]
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


async def test_a_value_of_another_column_is_none_of_a_saved_question() -> None:
    house_word = PAIRS[1] | {"id": "zorbs", "question": "How many zorbs are there in a country?"}
    async with ready() as service:
        assert (await save(service, house_word))["status"] == "finished"
        result = await service.answer("How many buyers are there in Ann?")
        assert result["sql_source"] == "rules"
        result = await service.answer("How many zorbs are there in Ann?")
        assert result["clarification"]["kind"] == "fields", result
        assert "“Ann” is not among the known values of “country”" in result["error"]["message"]
        ask, asked = await asked_for(service, "How many zorbs are there in Ann?")
        assert "“Ann” is not among the known values of “country”" in asked["question"]
        assert await correct(service, ask, {"text": "Norway"}) == 202
        result = await settled(service, ask)
        assert result["data"]["rows"] == [[0]]
        assert any("“Norway” is not among the known values" in warning for warning in result["warnings"])


async def test_both_days_count_where_somebody_says_from_one_to_the_other() -> None:
    until = {"id": "taken", "question": "orders taken in {from} to {to}", "parameters": [FROM, TO]}
    sql = "SELECT COUNT(*) AS n FROM sales_orders WHERE order_date >= :from AND order_date < :to"
    async with ready() as service:
        assert (await save(service, until | {"sql": sql}))["status"] == "finished"
        days = [
            row[0] for row in (await service.answer("order date of the sales orders", execute=True))["data"]["rows"]
        ]
        first, last = min(days)[:10], max(days)[:10]
        for question in (f"orders taken between {first} and {last}", f"orders taken from {first} until {last}"):
            result = await service.answer(question, execute=True)
            assert result["data"]["rows"] == [[len(days)]], (question, result["response"])


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


async def test_a_field_says_what_it_is() -> None:
    async with ready() as service:
        _, asked = await asked_for(service, RANGE)
        _, top = await asked_for(service, "top deals since {since}")
    assert asked["fields"] == [FROM | {"required": True}, TO | {"required": True}]
    assert (asked["options"], asked["allow_text"], asked["attempt"], asked["max_attempts"]) == ([], True, 1, 3)
    assert [(one["required"], one["default"]) for one in top["fields"]] == [(True, "2025-02-01"), (False, 1)]


async def test_values_come_in_several_turns() -> None:
    async with ready() as service:
        ask, first = await asked_for(service, RANGE)
        assert await correct(service, ask, {"text": "2025-01-01"}) == 202
        second = (await settled(service, ask))["clarification"]
        assert (names(second), second["attempt"]) == (["to"], 1)
        assert second["id"] != first["id"]
        assert await correct(service, ask, {"text": "well"}) == 202
        third = (await settled(service, ask))["clarification"]
        assert (names(third), third["attempt"]) == (["to"], 2)
        assert await correct(service, ask, values(to="2025-01-31")) == 202
        assert (await settled(service, ask))["data"]["rows"] == [[100.0]]


async def test_what_may_be_left_out_is_asked_for_once_and_skipped() -> None:
    skips: list[dict[str, Any]] = [{"type": "skip"}, {"text": "skip"}, {"text": "Doesn’t matter."}]
    async with ready() as service:
        for skip in skips:
            ask, asked = await asked_for(service, BIG)
            assert names(asked) == ["minimum", "country"]
            assert await correct(service, ask, {"text": "at least 100"}) == 202
            again = (await settled(service, ask))["clarification"]
            assert [(one["name"], one["required"]) for one in again["fields"]] == [("country", False)]
            assert await correct(service, ask, skip) == 202
            assert (await settled(service, ask))["data"]["rows"] == [[2]]
        ask, asked = await asked_for(service, "big deals over 100")
        assert names(asked) == ["country"]
        assert await correct(service, ask, {"text": "Italy"}) == 202
        assert (await settled(service, ask))["data"]["rows"] == [[1]]


async def test_what_is_needed_cannot_be_skipped() -> None:
    async with ready() as service:
        ask, asked = await asked_for(service, BIG)
        assert await correct(service, ask, {"type": "skip"}) == 422
        assert (await service.result(ask))["clarification"] == asked
        ask, _ = await asked_for(service, "top deals since {since}")
        assert await correct(service, ask, {"type": "skip"}) == 202  # it has a default
        assert (await settled(service, ask))["data"]["rows"] == [[2]]


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


async def test_a_number_and_a_truth_are_no_text() -> None:
    async with ready() as service:
        ask, asked = await asked_for(service, BIG)
        for wrong in ("many", True, [1], 1e999, "1; DROP TABLE x"):
            answer = {"type": "fields", "values": {"minimum": "1e999" if wrong == 1e999 else wrong}}
            assert await correct(service, ask, answer) == 422, wrong
        assert (await service.result(ask))["clarification"] == asked
        ask, _ = await asked_for(service, "deals of the buyer Ann by state …")
        assert await correct(service, ask, values(shipped="perhaps")) == 422


async def test_a_contradiction_is_asked_about() -> None:
    async with ready() as service:
        ask, asked = await asked_for(service, "intake between 2025-03-01 and 2025-01-01")
        assert names(asked) == ["from", "to"]
        assert "comes after" in asked["question"]
        assert await correct(service, ask, {"text": "from March 2025 to January 2025"}) == 202
        again = (await settled(service, ask))["clarification"]
        assert (names(again), again["attempt"]) == (["from", "to"], 2)
        assert "comes after" in again["question"]
        assert await correct(service, ask, {"text": "January to March 2025"}) == 202
        assert (await settled(service, ask))["data"]["rows"] == YEAR


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


async def test_whoever_cannot_be_asked_never_waits() -> None:
    async with ready() as service:
        result = await service.answer(RANGE, execute=True)
        assert (result["status"], result["nl2sql_code"]) == ("failed", "3005")
        assert names(result["clarification"]) == ["from", "to"]
        assert not {"id", "expires_at", "allow_text"} & result["clarification"].keys()
        result = await service.answer("top deals since {since}", execute=True)
        assert result["data"]["rows"] == [[2]]
        assert [name for name in ("since", "most") if any(f"“{name}”" in said for said in result["warnings"])] == [
            "since",
            "most",
        ]
        result = await service.answer("big deals over 100", execute=True)
        assert result["data"]["rows"] == [[2]]


async def test_another_question_is_not_taken_for_the_saved_one() -> None:
    async with ready() as service:
        for question in (
            "How many buyers are there in Italy that bought nothing?",
            "How many buyers are there in Italy by year",
            "How many buyers are there not in Italy",
            "intake between January and February 2025 per country",
        ):
            result = await service.answer(question)
            assert result.get("sql_source") != "history", question
        result = await service.answer("how many customers are there?", interactive=True, execute=True)
        assert (result["sql_source"], "verified" in result) == ("rules", False)


async def test_what_rules_answer_is_not_asked_about() -> None:
    pair = {
        "id": "state",
        "question": "How many {status} sales orders are there?",
        "sql": "SELECT COUNT(*) AS n FROM sales_orders WHERE status = :status",
        "parameters": [{"name": "status"}],
    }
    async with ready() as service:
        assert (await save(service, pair))["status"] == "finished"
        result = await service.answer("how many sales orders are there?", interactive=True, execute=True)
        assert (result["sql_source"], result["data"]["rows"]) == ("rules", [[3]])
        result = await service.answer("how many open sales orders are there?", interactive=True, execute=True)
        assert (result["sql_source"], result["data"]["rows"]) == ("history", [[3]])


async def test_fields_are_no_answer_to_another_kind_of_question() -> None:
    async with ready() as service:
        ask = await service.ask("how many orders are open?", interactive=True)
        assert (await settled(service, ask))["clarification"]["kind"] == "table_selection"
        assert await correct(service, ask, values(country="Italy")) == 422


async def test_a_saved_question_that_was_taken_back_is_not_used() -> None:
    async with ready() as service:
        ask, _ = await asked_for(service, BUYERS)
        assert (await service.call("DELETE", "/v1/sql-pairs", json={"sql_pair_ids": ["buyers"]}))[0] == 202
        assert await correct(service, ask, {"text": "Italy"}) == 409
        result = await service.answer("How many buyers are there in Italy?", execute=True)
        assert result.get("sql_source") != "history"


async def test_a_default_has_the_type_of_its_parameter() -> None:
    async with serving() as service:
        wrong = PAIRS[3] | {"parameters": [{"name": "since", "type": "DATE", "default": "soon"}]}
        event = await save(service, wrong)
    assert event["status"] == "failed"
    assert "since has to be a day" in event["error"]["message"]


async def test_the_result_says_which_saved_question_answered() -> None:
    async with ready() as service:
        plain = {"id": "plain", "question": "all buyers", "sql": "SELECT COUNT(*) AS n FROM customers"}
        assert (await save(service, plain))["status"] == "finished"
        for question, pair in (("How many buyers are there in Italy?", "buyers"), ("All buyers?", "plain")):
            result = await service.answer(question)
            assert (result["verified"], result["sql_pair_id"]) == (True, pair)
            assert result["response"][0]["type"] == "llm"  # what older clients know


async def test_a_language_model_reads_what_patterns_do_not() -> None:
    replies = [
        Answer(json={"fields": {"from": "2025-01-01", "to": None}, "question": "Bis wann?"}),
        Answer(json={"fields": {"to": "soon", "other": 1}, "question": ""}),
        Answer(json={"fields": {"to": "2025-02-28"}, "question": ""}),
    ]
    async with ChatServer({"field_extraction": replies}) as server:
        async with ready(server.api_base) as service:
            ask, _ = await asked_for(service, RANGE)
            assert await correct(service, ask, {"text": "ab Neujahr"}) == 202
            asked = (await settled(service, ask))["clarification"]
            assert (names(asked), asked["attempt"], asked["question"]) == (["to"], 1, "Bis wann?")
            assert await correct(service, ask, {"text": "bald"}) == 202
            asked = (await settled(service, ask))["clarification"]
            assert (names(asked), asked["attempt"]) == (["to"], 2)
            assert await correct(service, ask, {"text": "Ende des folgenden Monats"}) == 202
            result = await settled(service, ask)
    assert result["data"]["rows"] == [[300.0]]
    assert server.calls("field_extraction") == 3
    assert "ab Neujahr" in (await server.arrived("field_extraction")).user


@pytest.mark.deep
async def test_a_language_model_that_is_away_is_no_end() -> None:
    async with ChatServer({"field_extraction": [Answer(status=500)]}) as server:
        async with ready(server.api_base) as service:
            ask, _ = await asked_for(service, RANGE)
            assert await correct(service, ask, {"text": "ab Neujahr"}) == 202
            asked = (await settled(service, ask))["clarification"]
            assert asked["attempt"] == 2
            assert await correct(service, ask, {"text": "2025"}) == 202
            assert (await settled(service, ask))["data"]["rows"] == YEAR
