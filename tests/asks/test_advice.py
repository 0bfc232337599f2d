"""What is said to whoever asked where rules have no answer: which words, and which table is near."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from askwell.asks.advice import advice
from askwell.evaluation.drafted import DraftedModel
from askwell.mdl.semantic_model import SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention
from tests.access.house import ALPHA, house, prepared
from tests.semantic_parsing.answers import database_of, reader_of

ROWS = """
CREATE TABLE clinics (clinic_id INTEGER PRIMARY KEY, clinic_name TEXT NOT NULL, city TEXT, opened_on DATE);
INSERT INTO clinics VALUES (1, 'Happy Paws', 'Bristol', '2015-03-01');
CREATE TABLE pets (pet_id INTEGER PRIMARY KEY, pet_name TEXT, species TEXT, born_on DATE);
INSERT INTO pets VALUES (1, 'Rocky', 'Cat', '2011-01-31');
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pets (pet_id),
  clinic_id INTEGER REFERENCES clinics (clinic_id), visit_date DATE, reason TEXT, fee REAL);
INSERT INTO visits VALUES (1, 1, 1, '2023-07-24', 'dental', 10.0);
"""


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[QuestionReader, SemanticModel]]:
    with closing(database_of(ROWS)) as database:
        yield reader_of(database), DraftedModel(database, None).model


def refused(question: str, asked: tuple[QuestionReader, SemanticModel]) -> tuple[Abstention, str]:
    """Why the question has no answer, and what to do."""
    reader, model = asked
    found = reader.translate(question)
    assert isinstance(found, Abstention), found
    return found, advice(found, question, model)


@pytest.mark.parametrize("question", ["income per species", "takings per city", "who brings in the most money?"])
def test_money_is_where_amounts_are(question: str, asked: tuple[QuestionReader, SemanticModel]) -> None:
    """And not with the clinics or pets that the rest of the question names."""
    _, told = refused(question, asked)
    assert "Nearest: visits (visit_date, reason, fee)." in told


def test_a_table_that_the_question_names_is_near(asked: tuple[QuestionReader, SemanticModel]) -> None:
    assert "Nearest: pets (pet_name, " in refused("purple pets", asked)[1]


def test_no_table_is_near_to_words_that_nothing_is_like(asked: tuple[QuestionReader, SemanticModel]) -> None:
    assert "Nearest" not in refused("which volcanoes erupted in Sicily?", asked)[1]


@pytest.mark.parametrize(
    "question", ["total fees per clinic per species per year per month", "visits per clinic per reason per species"]
)
def test_more_parts_than_can_be_read_are_said_to_be_that(
    question: str, asked: tuple[QuestionReader, SemanticModel]
) -> None:
    """ "per", "per" is nothing that could be said in other words, and each part is clear by itself."""
    found, _ = refused(question, asked)
    assert found.reason == "unclear_words"
    assert "more parts than can be read at once" in found.message


async def test_who_may_only_ask_is_told_what_they_can_do_themselves(tmp_path: Path) -> None:
    """And whoever may curate all of it: teaching, and what is to be configured."""
    hints = {}
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        for role in ("ask", "curate"):
            somebody = await home.somebody(role, role)
            ask = await somebody.ask("How many zorps are there per customer?")
            hints[role] = (await somebody.end(f"/v1/asks/{ask}/result"))["error"]["hint"]
    assert hints["ask"].startswith("Say it in the words of your tables and columns. Nearest: customers")
    assert "teach" not in hints["ask"]
    assert "config" not in hints["ask"]
    assert hints["curate"].startswith(hints["ask"])
    assert "teach what “zorps” means" in hints["curate"]
    assert "llm: in config.yaml" in hints["curate"]
