"""What cannot be placed is named, and nothing is answered by leaving it out."""

from __future__ import annotations

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.models import semantic_model
from tests.support.tables import case_rows

from .bookshop import translator


@pytest.mark.parametrize(
    ("question", "reason", "words"),
    case_rows(__file__, "the_words_that_were_not_understood_are_named", "question", "reason", "words"),
)
def test_the_words_that_were_not_understood_are_named(question: str, reason: str, words: tuple[str, ...]) -> None:
    outcome = translator().translate(question)
    assert isinstance(outcome, Abstention)
    assert (outcome.reason, outcome.words) == (reason, tuple(words))
    assert all(word in outcome.message for word in words)


@pytest.mark.parametrize(
    ("question", "words"),
    [("average title and average title", ("average",)), ("average days between titles", ("titles",))],
)
def test_each_word_is_named_once_and_none_that_only_ties_others(question: str, words: tuple[str, ...]) -> None:
    outcome = translator().translate(question)
    assert isinstance(outcome, Abstention)
    assert outcome.words == words


@pytest.mark.parametrize("question", ["delete all readers", "Drop the table books", "please update the prices"])
def test_an_order_to_change_data_is_no_question(question: str) -> None:
    """Nothing of it is taken for a word that somebody could explain."""
    outcome = translator().translate(question)
    assert isinstance(outcome, Abstention)
    assert (outcome.reason, outcome.words) == ("read_only", ())
    assert translator().asking_back(question, outcome) == outcome


def test_a_table_may_be_called_as_what_changes_data() -> None:
    """The names of the model count before what a word means elsewhere."""
    model = semantic_model({"updates": ("id", "title")})
    outcome = QuestionReader(model, {}, "duckdb").translate("update titles")
    assert isinstance(outcome, Translation)
    assert outcome.sql == "SELECT updates.title FROM updates"


@pytest.mark.parametrize(
    "question", ["and per nationality?", "what about Paris?", "how many of those?", "who are they?"]
)
def test_what_adds_to_nothing_says_so(question: str) -> None:
    """Where nothing was asked before, a pronoun stands for nothing."""
    outcome = translator().translate(question)
    assert isinstance(outcome, Abstention)
    assert outcome.reason == "nothing_before"


def test_a_pronoun_for_rows_that_the_question_names_adds_to_nothing() -> None:
    """ "them" may stand for what stands before it in the sentence."""
    outcome = translator().translate("and the books?")
    assert not isinstance(outcome, Abstention) or outcome.reason != "nothing_before"


def test_the_most_of_many_rows_is_their_total() -> None:
    outcome = translator().translate("which genre has the most pages")
    assert isinstance(outcome, Translation)
    assert "SUM(books.pages)" in outcome.sql


def test_what_was_understood_so_far_is_told() -> None:
    outcome = translator().translate("purple books")
    assert isinstance(outcome, Abstention)
    assert outcome.tables == ("books",)


@pytest.mark.parametrize(
    "question",
    ["", "   ", "???", "word " * 500, "x" * 5_000_000],
    ids=["nothing", "blanks", "marks", "many words", "megabytes"],
)
def test_no_question_and_far_too_much_of_one(question: str) -> None:
    assert isinstance(translator().translate(question), Abstention)


def test_either_role_is_joined_by_its_own_key() -> None:
    rules = translator()
    shipping = rules.translate("orders with a shipping address in Paris")
    billing = rules.translate("orders with a billing address in Paris")
    assert not isinstance(shipping, Abstention)
    assert not isinstance(billing, Abstention)
    assert "shipping_address_id" in shipping.sql
    assert "billing_address_id" not in shipping.sql
    assert "billing_address_id" in billing.sql
