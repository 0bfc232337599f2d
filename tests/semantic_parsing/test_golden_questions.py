"""Questions and the SQL they become, kept where a reviewer reads the diff."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention

from .bookshop import translator

GOLDEN = Path(__file__).parent / "golden"

BY_FORM: dict[str, tuple[str, ...]] = {
    "counts and aggregates": (
        "How many readers are there?",
        "how many different nationalities do the readers have",
        "What is the average price of books?",
        "minimum and maximum price of the books",
        "What is our revenue?",
        "What is the total quantity of order lines?",
    ),
    "lists": (
        "List the names and emails of all readers",
        "Show all customers",
        "show me all cancelled orders",
        "What are the different segments?",
        "list books sorted by price in descending order",
    ),
    "filters": (
        "How many French readers are there?",
        "readers in the library segment",
        "Which books have more than 300 pages?",
        "books with a price between 8 and 12",
        "books whose title starts with 'Red'",
        "readers with null email",
        "books in print",
        "orders that are not paid",
        "What is the price of the book 'Blue Hour'?",
        "readers from the French or German nationality",
        "Which books are more expensive than 10?",
        "books with a price above the average",
        "customers with a lifetime value over 50",
    ),
    "groups": (
        "number of orders per status",
        "How many readers are there for each nationality?",
        "average price per genre",
        "total revenue by nationality",
        "revenue per reader",
        "total quantity by genre",
        "What are the earnings by region?",
    ),
    "conditions on groups": (
        "readers with more than 1 order",
        "Which genres have at least 2 books?",
        "readers with at least one order",
    ),
    "rankings": (
        "Which reader has the most orders?",
        "the 3 most expensive books",
        "top 2 readers by revenue",
        "Which genre has the highest average price?",
        "What is the most common nationality of the readers?",
        "the cheapest book",
        "Show the five latest orders",
    ),
    "absence and both": (
        "books without reviews",
        "readers who have never placed an order",
        "How many books have no reviews?",
        "Which genres do not have any books?",
    ),
    "roles": (
        "how many orders have a shipping address in Paris",
        "how many orders have a billing address in Paris",
    ),
}

TIMES = (
    "how many orders were placed last month",
    "revenue this year",
    "What is the total revenue in the last 30 days?",
    "orders shipped yesterday",
    "how many orders since March 2024",
    "how many orders in January 2024",
    "revenue in Q1 2024",
    "how many readers joined in 2024",
    "orders before 2024-02-01",
    "orders between 2024-01-01 and 2024-01-31",
    "total revenue by month in 2024",
    "monthly revenue",
    "revenue by quarter",
    "number of new readers per year",
)


def _written(rules: QuestionReader, question: str) -> str:
    outcome = rules.translate(question)
    if isinstance(outcome, Abstention):
        return f"? {question}\n  abstains: {outcome.reason} {', '.join(outcome.words)}\n"
    kinds = ", ".join(assumption.kind for assumption in outcome.assumptions)
    return f"? {question}\n  {outcome.sql}\n" + (f"  assuming: {kinds}\n" if kinds else "")


def test_questions_of_every_form(golden: Callable[[Path, str], None]) -> None:
    rules = translator("duckdb")
    parts = [
        f"## {form}\n\n" + "\n".join(_written(rules, question) for question in questions)
        for form, questions in BY_FORM.items()
    ]
    golden(GOLDEN / "questions.txt", "\n".join(parts))


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
def test_times_in_each_dialect(dialect: str, golden: Callable[[Path, str], None]) -> None:
    rules = translator(dialect)
    golden(GOLDEN / f"times.{dialect}.txt", "\n".join(_written(rules, question) for question in TIMES))


@pytest.mark.parametrize("question", [q for questions in BY_FORM.values() for q in questions] + list(TIMES))
def test_none_of_them_abstains(question: str) -> None:
    assert not isinstance(translator().translate(question), Abstention)
