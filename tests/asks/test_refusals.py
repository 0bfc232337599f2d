"""Questions that rules refuse for what they are, each with words that say why."""

from __future__ import annotations

from tests.asks.test_clarification import serving, settled

# What is asked, and how the reason is told.
CHANGES = ("delete all customers", "Drop the table customers!", "please remove the customers from Italy")
BEGINNINGS = ("and per country?", "what about Italy?", "total of those", "what are those?")
LOST = [{"question": "what is the meaning of it?", "sql": "SELECT FROM ("}]


async def test_an_order_to_change_data_is_refused() -> None:
    """Nobody is asked what "delete" means, and nothing is changed."""
    async with serving() as service:
        for question in CHANGES:
            ask = await service.ask(question, interactive=True, execute=True)
            result = await settled(service, ask)
            assert result["status"] == "failed", (question, result)
            assert result["error"]["message"].startswith("Askwell only reads data."), question
        assert (await service.answer("how many customers are there?", execute=True))["data"]["rows"] == [[3]]


async def test_a_follow_up_with_nothing_before_it_is_refused() -> None:
    """It has to be asked as a whole question."""
    async with serving() as service:
        for question in BEGINNINGS:
            result = await service.answer(question, execute=True)
            assert result["status"] == "failed", (question, result)
            assert "nothing was asked before it" in result["error"]["message"], question


async def test_a_follow_up_to_what_cannot_be_read_again_is_refused() -> None:
    """It is not answered as if it had been asked alone, which a whole question is."""
    async with serving() as service:
        lost = await service.answer("and only Italy?", execute=True, histories=LOST)
        whole = await service.answer("how many customers are in Italy?", execute=True, histories=LOST)
    assert lost["status"] == "failed"
    assert "which could not be read again" in lost["error"]["message"]
    assert whole["data"]["rows"] == [[2]]


async def test_rows_that_were_counted_are_listed_and_sorted_over_histories() -> None:
    """Each turn adds to the statement of the one before."""
    async with serving() as service:
        turns: list[dict[str, str]] = []
        for question, rows in (
            ("how many customers are in Italy?", [[2]]),
            ("list them", [["Bob"], ["Cid"]]),
            ("sorted by name, descending", [["Cid"], ["Bob"]]),
            ("what about Germany?", [["Ann"]]),
        ):
            result = await service.answer(question, execute=True, histories=turns)
            assert result["status"] == "finished", result
            assert result["data"]["rows"] == rows, question
            turns.append({"question": question, "sql": result["response"][0]["sql"]})


async def test_the_name_of_a_table_is_not_taken_apart() -> None:
    """ "sales orders" are no sum of what other orders sold; Ulm is where a supplier is."""
    async with serving() as service:
        result = await service.answer("how many sales orders are for Ulm", execute=True)
    assert result["status"] == "failed", result


async def test_a_whole_question_is_no_follow_up() -> None:
    """Whatever was asked before, clients are told whether it was taken into account."""
    before = [{"question": "how many customers are in Italy?", "sql": "SELECT COUNT(*) FROM customers"}]
    async with serving() as service:
        whole = await service.answer("how many suppliers are there?", execute=True, histories=before)
        added = await service.answer("and in Germany?", execute=True, histories=before)
    assert (whole["is_followup"], added["is_followup"]) == (False, True)
