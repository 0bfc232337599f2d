"""Tables and columns that share the end of their names: which is meant is asked where a question says only that end."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import ColumnRef
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, RulesMode, Translation
from askwell.sql.bindings import FREE, Bindings
from tests.support.tables import case_rows, case_table

from .answers import database_of, reader_of

ROWS = case_table(__file__, "database")


@pytest.fixture(scope="module")
def reader() -> QuestionReader:
    return reader_of(database_of(ROWS))


def asked(question: str, reader: QuestionReader, bound: Bindings = FREE) -> Translation | Abstention:
    """What an interactive ask comes to."""
    found = reader.translate(question, bound=bound)
    if isinstance(found, Abstention) and not found.asks_back:
        return reader.asking_back(question, found, bound=bound)
    return found


@pytest.mark.parametrize(
    ("question", "labels"),
    case_rows(__file__, "which_is_meant_is_asked_and_the_answer_counts", "question", "labels"),
)
def test_which_is_meant_is_asked_and_the_answer_counts(
    question: str, labels: list[str], reader: QuestionReader
) -> None:
    found = asked(question, reader)
    assert isinstance(found, Abstention), found
    assert sorted(choice.label for choice in found.choices) == sorted(labels)
    for choice in found.choices:
        after = asked(question, reader, choice.bindings)
        assert isinstance(after, Translation), (choice.label, after)
        assert after.answers_in(RulesMode.BALANCED)
        (meant,) = choice.bindings.tables or choice.bindings.columns
        name = meant.column if isinstance(meant, ColumnRef) else meant
        assert name in after.sql
        others = {*labels} - {choice.label}
        assert not any(other.lower().replace(" ", "_") in after.sql.lower() for other in others)


@pytest.mark.parametrize(
    "question",
    case_table(__file__, "what_says_which_is_not_asked"),
)
def test_what_says_which_is_not_asked(question: str, reader: QuestionReader) -> None:
    found = asked(question, reader)
    assert not (isinstance(found, Abstention) and found.reason in ("ambiguous_table", "ambiguous_column")), found


# Who bought lives somewhere, who served them too, and what was bought is billed somewhere.
BILLED = """
CREATE TABLE clerks (clerk_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
INSERT INTO clerks VALUES (1, 'Eva', 'Canada');
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT,
  clerk_id INTEGER REFERENCES clerks (clerk_id));
INSERT INTO customers VALUES (1, 'Ann', 'Norway', 1), (2, 'Bob', 'Chile', 1);
CREATE TABLE invoices (invoice_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id),
  billing_country TEXT, total REAL NOT NULL);
INSERT INTO invoices VALUES (1, 1, 'Peru', 7.5), (2, 2, 'Chile', 5.0);
"""


@pytest.mark.parametrize("question", ["which 5 countries bring in the most money?", "money per country"])
def test_a_column_that_ends_in_the_word_is_offered_where_its_table_is_read(question: str) -> None:
    """Money is billed somewhere, whoever it is that lives in a country."""
    database = database_of(BILLED)
    reader = reader_of(database)
    found = reader.translate(question)
    assert isinstance(found, Abstention)
    labels = {choice.label: choice for choice in found.choices}
    assert list(labels)[-1] == "Billing country in invoices"
    assert len(labels) == 3
    chosen = reader.translate(question, bound=labels["Billing country in invoices"].bindings)
    assert isinstance(chosen, Translation)
    assert ("Peru", 7.5) in database.execute(chosen.sql).fetchall()
