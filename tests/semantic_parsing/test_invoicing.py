"""Figures, persons and orders of a business, and what is added to a question about it: what is summed and what is
compared one by one, who is meant by a word for people, what comes first, and what a follow-up leaves as it was."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation, Turn
from askwell.sql.bindings import FREE, Bindings
from askwell_evaluation.databases import DraftedModel
from tests.support.tables import case_table

from .answers import database_of, reader_of


class Invoicing:
    """The business, to ask without a language model."""

    def __init__(self) -> None:
        self.database: sqlite3.Connection = database_of(case_table(__file__, "database"))
        self.reader: QuestionReader = reader_of(self.database)
        self._drafted = DraftedModel(self.database, None)

    def asked(self, *questions: str, bound: Bindings = FREE) -> Translation | Abstention:
        """The last question as it is read, where the others were answered before it."""
        before: list[Turn] = []
        for question in questions[:-1]:
            answer = self.asked(*(turn.question for turn in before), question)
            assert isinstance(answer, Translation), (question, answer)
            before.append(Turn(question, answer.sql))
        return self.reader.translate(questions[-1], before=before, bound=bound)

    def rows(self, answer: Translation | Abstention) -> list[tuple[Any, ...]]:
        """The rows of an answer that is sure enough."""
        assert isinstance(answer, Translation), answer
        assert answer.answers_in(RulesMode.BALANCED), answer
        return self.database.execute(self._drafted.on_file(answer.sql)).fetchall()


@pytest.fixture(scope="module")
def business() -> Invoicing:
    return Invoicing()


@pytest.mark.parametrize("row", case_table(__file__, "asked"), ids=lambda row: " … ".join(row["asked"]))
def test_a_business_is_asked(row: dict[str, Any], business: Invoicing) -> None:
    answer = business.asked(*row["asked"])
    if "refused" in row:
        assert isinstance(answer, Abstention), answer
        assert row["refused"] in (True, answer.reason)
        assert sorted(choice.label for choice in answer.choices) == sorted(row.get("choices", []))
        return
    found = business.rows(answer)
    if "of" in row:
        found = [tuple(one[place] for place in row["of"]) for one in found]
    wanted = [tuple(one) for one in row.get("rows", row.get("shown"))]
    assert (sorted(found, key=str) if row.get("sorted") else found) == wanted
    assert isinstance(answer, Translation)
    assert row.get("without", "\0") not in answer.sql


def test_either_choice_of_a_count_or_an_amount_is_answered(business: Invoicing) -> None:
    """The rows are counted by the one, and added up by the other."""
    question = "how many sales in 2022?"
    found = business.asked(question)
    assert isinstance(found, Abstention)
    rows, amount = (business.rows(business.asked(question, bound=choice.bindings)) for choice in found.choices)
    assert (rows, amount) == ([(2,)], [(50.0,)])
