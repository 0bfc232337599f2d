"""Values that a question names."""

from __future__ import annotations

import pytest

from askwell.mdl.semantic_model import Column, ColumnRef
from askwell.pipelines.retrieval.value_index import ValueIndex
from tests.support.models import semantic_model

MODEL = semantic_model(
    {
        "customers": ["id", "country", "state", Column("email", "VARCHAR", sensitive=True)],
        "orders": ["id", Column("status", "VARCHAR", values=("open", "paid", "in transit"))],
    }
)
VALUES = {
    ColumnRef("customers", "country"): ("Germany", "United States", "United Arab Emirates", "Côte d'Ivoire"),
    ColumnRef("customers", "state"): ("IN", "OR", "CA", "2024"),
    ColumnRef("customers", "email"): ("ada@example.org",),
}
INDEX = ValueIndex(MODEL, VALUES)


def found(question: str) -> set[tuple[str, str]]:
    return {(str(match.column), match.value) for match in INDEX.matches(question)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("orders from germany", {("customers.country", "Germany")}),
        ("How many are in the UNITED STATES?", {("customers.country", "United States")}),
        ("from united arab emirates, please", {("customers.country", "United Arab Emirates")}),
        ("sold in Côte d'Ivoire", {("customers.country", "Côte d'Ivoire")}),
        ("which orders are paid or in transit", {("orders.status", "paid"), ("orders.status", "in transit")}),
        ("customers in OR", {("customers.state", "OR")}),
        ("customers in this or that state", set()),
        ("orders in 2024", set()),
        ("mail to ada@example.org", set()),
        ("", set()),
    ],
)
def test_matches(question: str, expected: set[tuple[str, str]]) -> None:
    assert found(question) == expected


def test_the_words_as_written_are_told() -> None:
    (match,) = INDEX.matches("all from the united   states!")
    assert match.words == "united   states"
