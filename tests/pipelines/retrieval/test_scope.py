"""Whether a question is about the data, through retrieval's door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from askwell.knowledge.questions import normalise_question
from askwell.knowledge.record import Record
from askwell.knowledge.saved import Instruction, SqlPair
from askwell.mdl.semantic_model import ColumnRef
from askwell.pipelines.retrieval.context import Scope
from askwell.pipelines.retrieval.prepared import PreparedModel
from askwell.pipelines.retrieval.value_words import words_of_question
from askwell.providers.embedder.base import Embedder, NoEmbedder
from askwell.question.about_data import asks_an_assistant, is_in_another_language, without_names
from askwell.question.same_wording import question_facts, question_wording
from tests.pipelines.retrieval.test_retrieval import FakeEngine, Project, retrieval
from tests.support.counting_embedder import CountingEmbedder
from tests.support.models import semantic_model
from tests.support.records import save_instructions, save_pairs
from tests.support.tables import case_rows, case_table

SHOP = semantic_model(
    {"orders": ["id", "customer_id", "amount"], "customers": ["id", "name", "city"], "lines": ["id", "order_id"]},
    [("orders.customer_id", "customers.id")],
    orders={"description": "Baskets that somebody has checked out."},
)
VALUES = {ColumnRef("customers", "city"): ("Lisbon", "Fjord of Trolls")}
# Taken for the embedder whose cosines are measured; texts that share words are near.
MEASURED = "all-MiniLM-L6-v2"


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[Record]:
    opened = await Record.open("sqlite", tmp_path)
    yield opened
    await opened.close()


async def judged(record: Record, question: str, embedder: Embedder | None = None) -> Scope:
    project = Project("p", PreparedModel(SHOP, VALUES), FakeEngine())
    return (await retrieval(record, embedder or NoEmbedder()).run(project, question)).scope


@pytest.mark.parametrize("question", case_table(__file__, "words_let_a_question_in"))
async def test_words_let_a_question_in(record: Record, question: str) -> None:
    assert (await judged(record, question)).in_scope


@pytest.mark.parametrize("question", case_table(__file__, "what_no_word_leads_to_anything_is_stopped"))
async def test_what_no_word_leads_to_anything_is_stopped(record: Record, question: str) -> None:
    scope = await judged(record, question)
    assert not scope.in_scope
    assert scope.nearest == ()


@pytest.mark.parametrize(
    ("subject", "in_scope"), [("volunteers", True), ("deliveries", True), ("glaciers", False), ("desserts", False)]
)
async def test_names_that_are_cut_short_lead_to_their_words(record: Record, subject: str, in_scope: bool) -> None:
    damaged = semantic_model({"vols": ["id", "delDt", "de"]})
    question = f"Which {subject} melted in ancient Sicily?"
    found = await retrieval(record, NoEmbedder()).run(Project("p", PreparedModel(damaged, {}), FakeEngine()), question)
    assert found.scope.in_scope is in_scope


async def test_a_vector_that_is_near_lets_a_question_in_and_one_that_is_not_does_not(record: Record) -> None:
    far = await judged(record, "Volcanic eruptions?", CountingEmbedder(MEASURED))
    assert not far.in_scope
    assert set(far.nearest) == set(SHOP.tables)
    # The same words, and no figure that says what this embedder's cosines mean.
    assert (await judged(record, "Volcanic eruptions?", CountingEmbedder())).in_scope
    # "somebody", "that" and "out" say nothing by themselves; together they are near the description.
    near = await judged(record, "That somebody has out", CountingEmbedder(MEASURED))
    assert near.in_scope
    assert near.nearest[0] == "orders"


@pytest.mark.parametrize(
    ("question", "in_scope"),
    case_rows(__file__, "how_business_goes_is_asked_far_from_every_name", "question", "in_scope"),
)
async def test_how_business_goes_is_asked_far_from_every_name(record: Record, question: str, in_scope: bool) -> None:
    embedder = CountingEmbedder(MEASURED, dimension=4_096)
    assert (await judged(record, question, embedder)).in_scope == in_scope


async def test_names_do_not_lead_the_embedder_astray(record: Record) -> None:
    embedder = CountingEmbedder(MEASURED, dimension=4_096)
    names = "Ana Bela Caro Dora Elena Fatima Gila Hanna Ines Jana Karla Lena Mona Nora Olga Petra Rosa Sina Tina Vera"
    question = f"That {names} has out"
    assert (await judged(record, question, embedder)).in_scope
    assert embedder.texts[-1] == "That has out"


async def test_a_saved_question_that_is_near_lets_a_question_in(record: Record) -> None:
    question = "Which volcanoes erupted in ancient Sicily?"
    assert not (await judged(record, question)).in_scope
    await save_pairs(record, "p", [SqlPair("1", question, "SELECT 1")])
    assert (await judged(record, question)).in_scope


async def test_an_instruction_for_such_questions_does_too_and_one_for_all_does_not(record: Record) -> None:
    question = "Which volcanoes erupted in ancient Sicily?"
    await save_instructions(record, "p", [Instruction("a", "Be precise.", is_default=True)])
    assert not (await judged(record, question)).in_scope
    await save_instructions(record, "p", [Instruction("b", "Sicily is a depot.", (question,))])
    assert (await judged(record, question)).in_scope


@pytest.mark.parametrize(
    ("question", "plain"),
    case_rows(__file__, "names_and_numbers_are_taken_out", "question", "plain"),
)
def test_names_and_numbers_are_taken_out(question: str, plain: str) -> None:
    assert without_names(question) == plain


@pytest.mark.parametrize("question", case_table(__file__, "other_languages_are_recognised"))
def test_other_languages_are_recognised(question: str) -> None:
    assert is_in_another_language(question)


@pytest.mark.parametrize("question", case_table(__file__, "english_is_not_taken_for_another_language"))
def test_english_is_not_taken_for_another_language(question: str) -> None:
    assert not is_in_another_language(question)


# -- What is read of a question takes time in proportion to its length, whatever it is made of: where a pattern looked
# through the whole rest of the text from every place in it, these would take minutes.


READERS = [
    words_of_question,
    question_facts,
    question_wording,
    asks_an_assistant,
    is_in_another_language,
    without_names,
    normalise_question,
]


@pytest.mark.deep
@pytest.mark.parametrize("unit", ["“", "„", "«", "‘", "'", '"', "“ a", "'a' ", "1.", "1-", "10,", "a-", " ", "?"])
@pytest.mark.parametrize("read", READERS)
def test_of_a_text_without_end_everything_is_read_once(read: Callable[[str], object], unit: str) -> None:
    assert read(f"x {unit * 200_000} x") is not None
