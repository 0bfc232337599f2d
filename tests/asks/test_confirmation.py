"""A reading that rules are not sure enough of: it is offered to whoever can be asked, and answers nobody unasked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.asks.test_clarification import asked_back, correct, serving, settled

# Rows of two tables side by side: of what they are shown by, none is said.
UNSURE = "customers, orders"
ROWS = [["Ann"], ["Bob"], ["Cid"]]


async def test_the_only_reading_is_offered_in_words() -> None:
    """One option, with the tables that it reads."""
    async with serving() as service:
        _, asked = await asked_back(service, UNSURE)
    assert (asked["kind"], asked["question"], asked["allow_text"]) == ("choice", "Is this what you mean?", True)
    option, none = asked["options"]
    assert none["label"] == "None of these"
    assert option["tables"] == ["customers", "sales_orders"]
    assert "customer" in option["label"]
    assert "sales order" in option["label"].lower()


@pytest.mark.parametrize(
    "said",
    [
        *({"text": words} for words in ("1", "the first", "Yes!", "yes please", "That’s right.")),
        {"type": "choice", "option_id": "1"},
    ],
    ids=str,
)
async def test_a_reading_that_is_confirmed_answers(said: dict[str, Any]) -> None:
    """The answer is that of the rules, and nothing is left to choose."""
    async with serving() as service:
        ask, _ = await asked_back(service, UNSURE)
        assert await correct(service, ask, said) == 202
        result = await settled(service, ask)
    assert (result["status"], result["sql_source"], result["data"]["rows"]) == ("finished", "rules", ROWS)
    assert "clarification" not in result


@pytest.mark.parametrize("said", ["no", "neither", "not the first", "not 1"])
async def test_a_reading_that_is_denied_does_not_answer(said: str) -> None:
    """ "no" ends it at once; what may mean something else is asked about once more, until nobody is asked any more."""
    async with serving() as service:
        ask, _ = await asked_back(service, UNSURE)
        while (result := await settled(service, ask))["status"] == "awaiting_correction":
            assert "response" not in result, result
            assert await correct(service, ask, {"text": said}) == 202
    assert (result["status"], result["nl2sql_code"], "response" in result) == ("failed", "3005", False)


async def test_whoever_cannot_be_asked_gets_no_unsure_answer() -> None:
    """The reading is told with the failure, with what would have been asked, and not run."""
    async with serving() as service:
        result = await service.answer(UNSURE, execute=True)
    assert (result["status"], "response" in result, "data" in result) == ("failed", False, False)
    assert (result["nl2sql_code"], result["clarification"]["question"]) == ("3005", "Is this what you mean?")
    assert "customer" in result["error"]["message"]
    assert "SELECT" not in result["error"]["message"]


async def test_no_is_an_answer_at_the_first_time() -> None:
    """Nothing is left to be asked where the only reading is not meant."""
    async with serving() as service:
        ask, _ = await asked_back(service, UNSURE)
        assert await correct(service, ask, {"text": "no"}) == 202
        result = await settled(service, ask)
    assert (result["status"], result["error"]["hint"]) == ("failed", "Ask again in other words.")
    assert "clarification" not in result


async def test_what_is_left_to_the_service_is_decided_and_said() -> None:
    """Also of a word that is only near to what is taken. It teaches nothing."""
    async with serving(apply_lessons=True) as service:
        ask, _ = await asked_back(service, "how many consumers are there?")
        assert await correct(service, ask, {"type": "skip", "remember": True}) == 202
        result = await settled(service, ask)
        _, page = await service.call("GET", "/v1/lessons")
    assert (result["data"]["rows"], page["total"]) == ([[3]], 0)
    assert "You left it to Askwell, which took customers." in result["assumptions"]


async def test_what_is_confirmed_teaches_nothing() -> None:
    """A confirmation says nothing of what a word means."""
    async with serving(apply_lessons=True) as service:
        ask, _ = await asked_back(service, UNSURE)
        assert await correct(service, ask, {"text": "1"}) == 202
        assert (await settled(service, ask))["data"]["rows"] == ROWS
        status, page = await service.call("GET", "/v1/lessons")
    assert (status, page) == (200, {"lessons": [], "total": 0})
