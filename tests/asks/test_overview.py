"""What somebody who begins is told without a language model: what there is, and questions that are answered."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.service import Client, running_service, write_config


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    async with running_service(write_config(tmp_path_factory.mktemp("overview"))) as http:
        await http.prepare()
        yield http


@pytest.mark.asyncio(loop_scope="module")
class TestOverview:
    @pytest.mark.parametrize(
        "question",
        ["What can I ask?", "hello", "Which tables are there?", "what data do you have in this database?", "help!"],
    )
    async def test_who_begins_is_told_the_tables(self, shop: Client, question: str) -> None:
        ask = await shop.ask(question)
        assert (await shop.end(ask))["status"] == "finished"
        words = await shop.text(ask)
        assert "customers (name, country, created_at, " in words
        assert "orders (order_date, status, amount, " in words
        assert "secret" not in words

    async def test_its_examples_are_answered(self, shop: Client) -> None:
        ask = await shop.ask("What can I ask?")
        await shop.end(ask)
        examples = re.findall("“(.*?)”", await shop.text(ask))
        assert len(examples) == 3
        for question in examples:
            assert (await shop.answer(question, execute=True))["status"] == "finished", question

    @pytest.mark.parametrize("question", ["Show the tables of zorps", "Which tables do zorps sit at?", "hello kitty"])
    async def test_a_question_that_only_begins_so_has_a_reason_of_its_own(self, shop: Client, question: str) -> None:
        result = await shop.answer(question)
        assert result.get("type") != "GENERAL"

    async def test_a_word_that_is_unknown_is_named(self, shop: Client) -> None:
        error = (await shop.answer("How many zorps are there per customer?"))["error"]
        assert error["message"] == "Askwell doesn't know “zorps”."
        assert error["hint"].endswith(", or say what “zorps” means.")
        *examples, _ = re.findall("“([^”]+)”", error["hint"])
        assert examples
        for example in examples:
            assert (await shop.answer(example, execute=True))["status"] == "finished", example

    async def test_what_nothing_is_called_by_gets_all_tables_and_not_some_of_them(self, shop: Client) -> None:
        error = (await shop.answer("Which volcanoes erupted in ancient Sicily?"))["error"]
        assert error["code"] == "NO_RELEVANT_DATA"
        assert error["hint"].startswith("The data is about customers, orders and paid orders.")

    async def test_a_total_of_no_rows_is_said_to_be_one(self, shop: Client) -> None:
        nothing = await shop.answer("What is the total amount of orders from 1999?", execute=True)
        something = await shop.answer("What is the total amount of orders from 2024?", execute=True)
        assert nothing["data"]["rows"] == [[None]]
        assert any("no rows fit the conditions" in warning for warning in nothing["warnings"])
        assert not something.get("warnings")
