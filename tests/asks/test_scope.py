"""The scope gate over HTTP: what it stops, what it says then, and what passes it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from askwell.asks.about.wording import asks_about_the_service
from tests.fakes.openai_server import Answer, ChatServer
from tests.support.service import Client, running_service, write_config
from tests.support.shared import shared_service
from tests.support.tables import case_table

ABOUT_THE_SERVICE = """
what can you do | What can I ask you? | which tables are there | What data is available? | show me the schema | Help!
Describe the database. | who are you? | how do I use this | How can you help me? | what is this? | list all tables
what kind of data do you have | tell me about the data | What's in the database? | how does this work
Give me an overview of the data | How many tables are there? | what metrics can you calculate | explain the data model
Where does the data come from? | Hello, what can you do for me? | Can you tell me what you can do | Show me your tables
Which questions can you answer? | Show me some example questions | Could you please describe the schema?
"""
ONLY_BEGINS_SO = """
What can I use instead of buttermilk? | How do I ask my boss for a raise? | What do you do for fun?
What questions should I ask my landlord? | Can you help my dog? | Explain quantum entanglement.
What data plan is cheapest? | Who are you going to vote for? | What tables does IKEA sell? | Show me your secrets
Describe the Eiffel Tower | How can I use Excel? | What is this rash on my arm? | Help me write a poem
What do you think about the minister? | What can I cook tonight? | How do I start an essay on freedom?
Which fields of wheat are ripe? | What do you know about ghosts? | Which questions will be in the exam?
"""


def _questions(text: str) -> list[str]:
    return [question.strip() for line in text.splitlines() for question in line.split(" | ") if question.strip()]


@pytest.mark.parametrize("question", _questions(ABOUT_THE_SERVICE))
def test_wording_about_the_service_or_the_data_as_a_whole(question: str) -> None:
    assert asks_about_the_service(question)


@pytest.mark.parametrize("question", _questions(ONLY_BEGINS_SO))
def test_wording_that_only_begins_so(question: str) -> None:
    assert not asks_about_the_service(question)


@pytest.mark.parametrize("tail", [" about it", " about this data", " in here", " of all the data", " for this tool"])
def test_wording_that_goes_on_and_on_is_read_in_one_way_only(tail: str) -> None:
    # In two ways each, they would be read for ever.
    assert asks_about_the_service(f"help me{tail * 200}")
    assert not asks_about_the_service(f"help me{tail * 200} poem")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def asked(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Client, ChatServer]]:
    """A service with a language model that takes every question for one about the service."""
    script = {
        "intent_classification": [Answer(json={"intent": "USER_GUIDE", "rephrased_question": "", "reasoning": ""})] * 9,
        "user_guide": [Answer(text="Ask about customers and orders.")] * 9,
    }
    async with ChatServer(script) as server:
        async with running_service(write_config(tmp_path_factory.mktemp("s"), api_base=server.api_base)) as http:
            await http.prepare()
            yield http, server


@pytest.mark.asyncio(loop_scope="module")
class TestScopeGate:
    async def test_what_is_stopped_costs_no_call_and_says_what_there_is(self, asked: tuple[Client, ChatServer]) -> None:
        http, server = asked
        before = server.calls()
        for question in (
            "How do I bake sourdough bread?",
            "Which volcanoes erupted in ancient Sicily?",
            "Who is the first to explain NASA to grandmothers in ancient Sicily?",
        ):
            error = (await http.answer(question))["error"]
            assert error["code"] == "NO_RELEVANT_DATA"
            assert "does not seem to be about the data" in error["message"]
            assert "The data is about customers, orders" in error["hint"]
            assert "“What can I ask?”" in error["hint"]
            assert "settings.scope_gate" in error["hint"]
        assert server.calls() == before

    @pytest.mark.parametrize(
        "question",
        case_table(__file__, "the_model_answers_about_the_service_in_other_languages_and_about_terms"),
    )
    async def test_the_model_answers_about_the_service_in_other_languages_and_about_terms(
        self, asked: tuple[Client, ChatServer], question: str
    ) -> None:
        http, server = asked
        before = server.calls()
        assert (await http.answer(question))["status"] == "finished"
        assert server.calls() > before

    async def test_a_follow_up_is_never_stopped(self, asked: tuple[Client, ChatServer]) -> None:
        http, _ = asked
        history = [{"question": "How many customers are there?", "sql": "SELECT count(*) FROM customers"}]
        result = await http.answer("How do I bake sourdough bread?", histories=history)
        assert "NO_RELEVANT_DATA" not in str(result.get("error"))


async def test_without_a_language_model_business_terms_are_stopped_too() -> None:
    async with shared_service() as http:
        error = (await http.answer("Show me ARR"))["error"]
    assert error["code"] in ("NO_RELEVANT_DATA", "NO_RELEVANT_SQL")


async def test_without_a_language_model_other_languages_are_stopped_too() -> None:
    async with shared_service() as http:
        error = (await http.answer("Welche Vulkane sind damals in Griechenland ausgebrochen?"))["error"]
        assert error["code"] == "NO_RELEVANT_DATA"
        assert "scope_gate" not in error["hint"]
