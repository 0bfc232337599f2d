"""The scope gate over HTTP: what it stops, what it says then, and what passes it."""

from __future__ import annotations

import pytest

from askwell.asks.about.wording import asks_about_the_service

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
