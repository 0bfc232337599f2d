"""Whatever the parser makes of random questions over random models passes every check and runs: not only the readings
that are sure enough to be answers, but each first one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from askwell.mdl.semantic_model import SampledValues, SemanticModel
from askwell.semantic_parsing.model.catalog import Catalog
from askwell.semantic_parsing.parser import SemanticParser
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from askwell.semantic_parsing.trust import weights
from askwell_evaluation.questions import read_questions
from tests.semantic_parsing.faults import Asked, Fault, ReaderOf, faults
from tests.support.random_questions import phrases_in

from .test_golden_questions import BY_FORM

_BUSINESS = read_questions(Path(__file__).parent / "business_questions" / "questions.jsonl")
REAL = (*(question for questions in BY_FORM.values() for question in questions), *(row.question for row in _BUSINESS))


class AnyReading:
    """The parser without the gate and without a threshold."""

    def __init__(self, model: SemanticModel, values: SampledValues, dialect: str) -> None:
        self._parser = SemanticParser(Catalog.of(model, values), dialect, weights())

    def translate(self, question: str) -> Translation | Abstention:
        """The first reading."""
        found = self._parser.candidates(question, bare=False)
        if not found:
            return Abstention("no_reading", "There is no reading.")
        return Translation(found[0].sql, 0.5, (), found[0].tables, found[0].ordered)


@cache
def _known() -> tuple[str, ...]:
    return (*phrases_in("askwell.question"), *phrases_in("askwell.semantic_parsing.model"))


async def _ask(reader: ReaderOf, seeds: range, questions: int) -> Asked:
    asked, found = Asked(), list[Fault]()
    for seed in seeds:
        found += [fault async for fault in faults(reader, seed, questions, _known(), REAL, asked)]
    assert found == []
    return asked


@pytest.mark.parametrize(("reader", "least"), [(AnyReading, 50), (QuestionReader, 4)])
async def test_random_questions(reader: ReaderOf, least: int) -> None:
    asked = await _ask(reader, range(8), 12)
    assert asked.questions == 96
    assert asked.answers > least


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1_000, 1_125, 25))
async def test_thousands_of_random_questions(first: int) -> None:
    asked = await _ask(AnyReading, range(first, first + 25), 40)
    assert asked.questions == 1_000
    assert asked.answers > 300
