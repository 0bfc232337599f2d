"""What is said to whoever asked where rules have no answer: which words, and a question that works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from askwell.asks.failures import advice
from askwell.mdl.semantic_model import SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention
from askwell_evaluation.databases import DraftedModel
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


def refused(
    question: str, asked: tuple[QuestionReader, SemanticModel], examples: Sequence[str] = ()
) -> tuple[Abstention, str]:
    """Why the question has no answer, and what to do."""
    reader, _ = asked
    found = reader.translate(question)
    assert isinstance(found, Abstention), found
    found = reader.asking_back(question, found)
    return found, advice(found, examples)


@pytest.mark.parametrize(
    ("question", "examples", "hint"),
    [
        ("average toil of visits by species", ["Fees?"], "Try “Fees?”, or say what “toil” means."),
        ("average toil of visits", ["A?", "B?", "C?"], "Try “A?”, “B?” or “C?”, or say what “toil” means."),
        ("which volcanoes erupted in Sicily?", [], "Use another word, or say what “volcanoes erupted” means."),
    ],
)
def test_the_word_is_named_and_a_question_that_works(
    question: str, examples: list[str], hint: str, asked: tuple[QuestionReader, SemanticModel]
) -> None:
    assert refused(question, asked, examples)[1] == hint


async def test_who_may_only_ask_is_told_what_they_can_do_themselves(tmp_path: Path) -> None:
    """And who may curate, that they can say what a word means."""
    hints = {}
    async with house(tmp_path) as home:
        await prepared(home, ALPHA)
        for role in ("ask", "curate"):
            somebody = await home.somebody(role, role)
            ask = await somebody.ask("How many zorps are there per customer?")
            hints[role] = (await somebody.end(f"/v1/asks/{ask}/result"))["error"]["hint"]
    assert "customers" in hints["ask"]
    assert hints["curate"] == f"{hints['ask'].removesuffix('.')}, or say what “zorps” means."
