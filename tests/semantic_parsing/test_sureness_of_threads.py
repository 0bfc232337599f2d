"""Follow-ups of one thread: no surer than the question that they add to, with its assumptions, and of the date that was
taken or chosen there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import RulesMode, Translation, Turn
from askwell.sql.bindings import FREE, Bindings
from tests.support.tables import case_rows, case_table

from .answers import database_of, reader_of

# Who pays late pays in another year; what is not paid yet has no year.
ROWS = case_table(__file__, "database")
PAID = Bindings(columns=(ColumnRef("visits", "paid_on"),))


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    with closing(database_of(ROWS)) as opened:
        yield opened


@pytest.fixture(scope="module")
def reader(database: sqlite3.Connection) -> QuestionReader:
    return reader_of(database)


def thread(reader: QuestionReader, *questions: str, **meant: Bindings) -> list[Translation]:
    """The answers to questions that follow each other; `meant` by the place of a question: `at_0`."""
    found: list[Translation] = []
    before: list[Turn] = []
    for place, question in enumerate(questions):
        answer = reader.translate(question, before=before, bound=meant.get(f"at_{place}", FREE))
        assert isinstance(answer, Translation), (question, answer)
        assert answer.answers_in(RulesMode.BALANCED), (question, answer)
        assert answer.follows == bool(before), question
        found.append(answer)
        before.append(Turn(question, answer.sql))
    return found


@pytest.mark.parametrize(
    "questions",
    [
        ("total fees per clinic", "only dogs", "and per year?", "top 3"),
        ("total fee per year", "top 2"),
        ("total fee per year", "only 2024", "per clinic"),
    ],
)
def test_a_follow_up_is_no_surer_than_what_it_adds_to(questions: tuple[str, ...], reader: QuestionReader) -> None:
    said = [answer.probability for answer in thread(reader, *questions)]
    assert said == sorted(said, reverse=True)


def test_what_is_no_answer_in_a_mode_gets_none_by_a_follow_up(reader: QuestionReader) -> None:
    first, then = thread(reader, "visits by month", "top 2")
    assert not first.answers_in(RulesMode.STRICT)
    assert not then.answers_in(RulesMode.STRICT)


def test_the_date_that_was_taken_is_said_with_each_follow_up(reader: QuestionReader) -> None:
    first, then = thread(reader, "total fee per year", "top 2")
    assert first.notes == then.notes == ("Time was taken to mean Visit date.",)
    assert [one.assumed for one in (*first.alternatives, *then.alternatives)] == ["Visit date", "Visit date"]


def test_assumptions_hold_as_long_as_the_statement_reads_what_they_are_about(reader: QuestionReader) -> None:
    _, dogs, species, cats = thread(reader, "total fees per clinic", "only dogs", "and per year?", "only cats")
    told = "“dogs” was looked for as “Dog” in species."
    assert told in dogs.notes
    assert told in species.notes
    assert told not in cats.notes


@pytest.mark.parametrize("then", [("only 2024",), ("per clinic", "per year"), ("top 2",)])
def test_a_date_that_was_chosen_stays(then: tuple[str, ...], reader: QuestionReader) -> None:
    """Also over a question that has no time."""
    *_, last = thread(reader, "total fee per year", *then, at_0=PAID)
    assert "visits.paid_on" in last.sql
    assert "visit_date" not in last.sql


def test_a_date_stays_with_the_tables_that_have_it(reader: QuestionReader) -> None:
    before = [Turn("total fee per year", thread(reader, "total fee per year")[0].sql)]
    found = reader.translate("how many pets were born in 2012?", before=before)
    assert isinstance(found, Translation)
    assert "born_on" in found.sql


def test_another_date_can_be_chosen_in_a_follow_up(reader: QuestionReader) -> None:
    """What an earlier question took for its time is taken back."""
    _, last = thread(reader, "total fee per year", "top 2", at_1=PAID)
    assert "visits.paid_on" in last.sql
    assert "visit_date" not in last.sql


def test_no_year_is_none_of_the_top_years(reader: QuestionReader, database: sqlite3.Connection) -> None:
    """Most fees are not paid yet."""
    *_, last = thread(reader, "total fee per year", "top 2", at_0=PAID)
    assert database.execute(last.sql).fetchall() == [("2024", 60.0), ("2023", 10.0)]


@pytest.mark.parametrize(
    ("questions", "grouped"),
    case_rows(__file__, "and_per_adds_a_group", "questions", "grouped"),
)
def test_and_per_adds_a_group(
    questions: tuple[str, ...], grouped: tuple[str, ...], reader: QuestionReader, database: sqlite3.Connection
) -> None:
    """ "per" alone, "instead", and another period take the place of the groups before."""
    *_, last = thread(reader, *questions)
    shown = [column[0] for column in database.execute(last.sql).description]
    assert tuple(shown) == (*grouped, "total_fee")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("top 2 buyers by spend", "“spend” was taken to mean total in bills."),
        ("revenue per city", "“revenue” was taken to mean total in bills."),
        ("total of bills per city", None),
    ],
)
def test_what_money_was_taken_to_mean_is_said(question: str, told: str | None) -> None:
    """Where the amount is called nothing like it."""
    database = database_of(
        """
        CREATE TABLE buyers (buyer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
        INSERT INTO buyers VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', 'Bern');
        CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyers (buyer_id), total REAL);
        INSERT INTO bills VALUES (1, 1, 7.5), (2, 2, 5.0);
        """
    )
    found = reader_of(database).translate(question)
    assert isinstance(found, Translation)
    assert [note for note in found.notes if "taken to mean" in note] == ([told] if told else [])
