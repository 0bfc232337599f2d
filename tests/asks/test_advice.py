"""What is said to whoever asked where rules have no answer: which words, and a question that works."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from askwell.asks.failures import advice
from askwell.mdl.semantic_model import SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention
from askwell_evaluation.databases import DraftedModel
from tests.access.house import ALPHA, house, prepared
from tests.semantic_parsing.answers import database_of, reader_of
from tests.support.service import Client, running_service, write_config
from tests.support.tables import case_rows, case_table

ROWS: str = case_table(__file__, "database")
SAID = case_rows(__file__, "said", "question", "message", "tried", "teaches", lists=True)


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
        ("average toil of clinics by city", ["Fees?"], "Try “Fees?”, or say what “toil” means."),
        ("average toil of clinics", ["A?", "B?", "C?"], "Try “A?”, “B?” or “C?”, or say what “toil” means."),
        ("which volcanoes erupted in Sicily?", [], "Use another word, or say what “volcanoes erupted” means."),
    ],
)
def test_the_word_is_named_and_a_question_that_works(
    question: str, examples: list[str], hint: str, asked: tuple[QuestionReader, SemanticModel]
) -> None:
    assert refused(question, asked, examples)[1] == hint


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def practice(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    folder = tmp_path_factory.mktemp("practice")
    with closing(sqlite3.connect(folder / "practice.db")) as database:
        database.executescript(ROWS)
        model = DraftedModel(database, None).manifest.model_dump(mode="json", by_alias=True, exclude_none=True)
    sources = {"default": {"engine": "sqlite", "path": str(folder / "practice.db"), "shared": True}}
    async with running_service(write_config(folder, data_sources=sources)) as http:
        assert (await http.prepare(model))["status"] == "finished"
        yield http


@pytest.mark.asyncio(loop_scope="module")
class TestRefusals:
    @pytest.mark.parametrize(("question", "message", "tried", "teaches"), SAID)
    async def test_what_is_missing_is_named_and_what_is_offered_is_answered(
        self, practice: Client, question: str, message: str, tried: list[str], teaches: str | None
    ) -> None:
        error = (await practice.answer(question, execute=True))["error"]
        hint, _, taught = error["hint"].partition(", or say what ")
        assert error["message"] == message
        assert re.findall("“([^”]+)”", hint) == tried
        assert taught == (f"“{teaches}” means." if teaches else "")
        for offered in tried:
            assert (await practice.answer(offered, execute=True))["status"] == "finished", offered


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
