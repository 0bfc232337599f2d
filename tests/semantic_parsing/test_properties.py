"""What holds for any question: no crash, no word lost, nothing outside the model."""

from __future__ import annotations

import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from askwell.mdl.semantic_model import Column, SemanticModel, Table, TableKind
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.examples import examples

from .bookshop import bookshop, translator
from .test_golden_questions import BY_FORM, TIMES

RULES = translator()
QUESTIONS = [question for questions in BY_FORM.values() for question in questions] + list(TIMES)
_KNOWN = """how many the of readers books orders with without not more than 3 and or both average total most least first
top by for each per sorted in descending order between 2024 last month 'Blue Hour' French price above highest who have
no reviews title starts with genre Paris billing address , ? . is are all different ' " ; -- ( ) %"""
WORDS = sorted(set(re.split(r"\s+", _KNOWN)))


@given(st.text(max_size=200))
def test_any_text_is_answered_or_turned_away(text: str) -> None:
    assert isinstance(RULES.translate(text), Translation | Abstention)


@settings(max_examples=examples(400))
@given(st.lists(st.sampled_from(WORDS), max_size=16))
def test_any_heap_of_known_words_gives_sql_over_the_model_or_nothing(words: list[str]) -> None:
    outcome = RULES.translate(" ".join(words))
    if isinstance(outcome, Translation):
        tree = sqlglot.parse_one(outcome.sql, read="duckdb")
        assert {table.name for table in tree.find_all(exp.Table)} <= set(bookshop().tables)
        assert {table.name for table in tree.find_all(exp.Table)} == set(outcome.tables)
        assert 0.0 <= outcome.probability <= 1.0


NOTHING = ("purple", "not", "'quartz'", "4711", "zorbed", "without", "never", "except")


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.deep), 4], ids=["all", "two for each question"])
def test_a_word_that_means_nothing_here_is_never_left_out(every: int) -> None:
    for number, question in enumerate(QUESTIONS):
        for extra, place in product(NOTHING[number % every :: every], (len(question.rstrip("?")), 0)):
            changed = f"{question[:place]} {extra} {question[place:]}".strip()
            outcome = RULES.translate(changed)
            if isinstance(outcome, Translation):
                before = RULES.translate(question)
                assert isinstance(before, Translation)
                told = {a.kind for a in outcome.assumptions} - {a.kind for a in before.assumptions}
                assert outcome.sql != before.sql or told & {"loose_verb", "closing_verb"}, changed


def test_many_threads_get_the_answers_of_one() -> None:
    alone = [RULES.translate(question) for question in QUESTIONS]
    unused = translator()  # whatever a reader keeps for later is made by the threads
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda question: unused.translate(question), QUESTIONS)) == alone


@pytest.mark.parametrize("name", ["order", "Group By", 'we"ird', "select", "läden", "1st"])
def test_names_are_quoted_where_they_have_to_be(name: str) -> None:
    columns = (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("user", "INTEGER", display_name="Visitors"))
    table = Table(name, TableKind.MODEL, columns, ("id",), display_name="Branches")
    for dialect in ("duckdb", "sqlite", "postgres", "mysql"):
        rules = QuestionReader(SemanticModel("", "", {name: table}), {}, dialect)
        outcome = rules.translate("the names of the branches with more than 3 visitors")
        assert isinstance(outcome, Translation)
        tree = sqlglot.parse_one(outcome.sql, read=dialect)
        assert [found.name for found in tree.find_all(exp.Table)] == [name]
        assert {found.name for found in tree.find_all(exp.Column)} == {"name", "user"}


@pytest.mark.parametrize("name", ["Order", "group", "transaction", "primary", "to", "check"])
def test_sql_over_reserved_names_runs_as_it_is_shown(name: str) -> None:
    columns = (Column("id", "INTEGER"), Column(name, "INTEGER", display_name="Visitors"))
    table = Table(name, TableKind.MODEL, columns, ("id",), display_name="Branches")
    outcome = QuestionReader(SemanticModel("", "", {name: table}), {}, "sqlite").translate(
        "the average visitors of the branches"
    )
    assert isinstance(outcome, Translation)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f'CREATE TABLE "{name}" (id INTEGER PRIMARY KEY, "{name}" INTEGER)')
        database.execute(f'INSERT INTO "{name}" VALUES (1, 4), (2, 8)')
        assert database.execute(outcome.sql).fetchall() == [(6.0,)]


def test_a_large_model_is_built_and_asked() -> None:
    tables = {
        f"area_{n}": Table(
            f"area_{n}",
            TableKind.MODEL,
            (Column("id", "INTEGER"), *(Column(f"figure_{n}_{k}", "DOUBLE") for k in range(20))),
            ("id",),
        )
        for n in range(100)
    }
    rules = QuestionReader(SemanticModel("", "", tables), {}, "duckdb")
    outcome = rules.translate("average figure 17 3 of area 17")
    assert isinstance(outcome, Translation)
    assert outcome.sql == "SELECT AVG(area_17.figure_17_3) AS average_figure_17_3 FROM area_17"
