"""What has to be equal before two questions count as alike."""

from __future__ import annotations

import pytest

from askwell.question.same_facts import question_facts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How many orders are there?", "What is the number of orders?"),
        ("What is the average price?", "Show the mean price"),
        ("Top five customers", "the top 5 customers"),
        ("orders over 1,000", "orders above 1000.00"),
        ("sales in the last 3 months", "sales of the past three months"),
        ("orders that aren't paid", "orders that are not paid"),
        ("revenue by month", "revenue per month"),
        ("at least 3 reviews", "3 or more reviews"),
    ],
)
def test_questions_that_say_the_same_in_other_words_have_equal_facts(one: str, other: str) -> None:
    assert question_facts(one) == question_facts(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders shipped late", "orders not shipped late"),
        ("orders that can be returned", "orders that can't be returned"),
        ("customers with orders", "customers without orders"),
        ("neither paid nor open", "not open"),
        ("top 5 customers", "top 10 customers"),
        ("price above 10", "price below 10"),
        ("at least 3 reviews", "at most 3 reviews"),
        ("more than 3 reviews", "at least 3 reviews"),
        ("highest price", "lowest price"),
        ("average amount by country", "total amount by country"),
        ("orders last month", "orders this month"),
        ("orders in May", "orders in June"),
        ("orders per day", "orders per week"),
        ("orders before 2024", "orders after 2024"),
        ("orders of 'Acme'", "orders of 'Globex'"),
        ("first order of each customer", "third order of each customer"),
        ("products that cost 1.5", "products that cost 15"),
        ("distinct countries", "countries"),
    ],
)
def test_a_difference_that_vectors_overlook_is_seen(one: str, other: str) -> None:
    assert question_facts(one) != question_facts(other)


def test_values_found_in_the_data_count() -> None:
    assert question_facts("orders from Germany", ["Germany"]) != question_facts("orders from France", ["France"])
