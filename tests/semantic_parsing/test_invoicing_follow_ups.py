"""What is added to a question about a business: who they are, in another order, of another person, in a narrower
range."""

from __future__ import annotations

import pytest

from askwell.semantic_parsing.translation import Turn
from tests.support.tables import case_rows

from .invoicing import Invoicing, Rows


@pytest.fixture(scope="module")
def business() -> Invoicing:
    return Invoicing()


@pytest.mark.parametrize("words", ["list them", "who are they?", "which ones?", "show them all"])
def test_what_was_counted_is_listed(words: str, business: Invoicing) -> None:
    """The conditions of the count hold for the rows."""
    assert business.rows_after("how many customers are in Oslo?", words) == [("Bob", "Birch")]


def test_what_was_added_up_is_listed(business: Invoicing) -> None:
    """The rows behind a total are those of its period."""
    shown = business.rows_after("total of invoices in 2022", "list them")
    assert [row[0] for row in shown] == [1, 2]


def test_who_somebody_deals_with_is_listed(business: Invoicing) -> None:
    """Those who were counted are meant, and not the person who was named."""
    shown = business.rows_after("how many customers does Finn Sund support?", "who are they?")
    assert shown == [("Bob", "Birch"), ("Ann", "Alder")]


def test_groups_are_not_listed_as_rows(business: Invoicing) -> None:
    """It is not said whether the groups or their rows are meant."""
    first = "total revenue in 2022 per customer"
    business.refused("list them", before=[Turn(first, business.answered(first).sql)])


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("sorted by first name descending", [("Bob", 45.0), ("Ann", 50.0)]),
        ("sorted by last name, descending", [("Bob", 45.0), ("Ann", 50.0)]),
        ("sorted by revenue ascending", [("Bob", 45.0), ("Ann", 50.0)]),
    ],
)
def test_the_first_few_are_sorted_again(words: str, shown: list[tuple[str, float]], business: Invoicing) -> None:
    """The same rows are shown in another order, and no others."""
    found = business.rows_after("top 2 customers by revenue", words)
    assert [(first_name, total) for first_name, _, total in found] == shown


def test_the_count_of_a_sorted_list_needs_no_order(business: Invoicing) -> None:
    """ "how many" is about all rows of the list."""
    assert business.rows_after("customers sorted by last name", "how many are there?") == [(4,)]


@pytest.mark.parametrize(
    ("first", "then", "rows"),
    [
        ("how many invoices has Bob Birch?", "and Ann Alder?", [(3,)]),
        ("how many invoices has Ann Alder?", "what about Luis Goncalves?", [(1,)]),
    ],
)
def test_another_person_takes_the_place_of_the_first(first: str, then: str, rows: Rows, business: Invoicing) -> None:
    """A first and a last name are replaced together."""
    assert business.rows_after(first, then) == rows


@pytest.mark.parametrize(
    ("asked", "count"),
    case_rows(__file__, "ends_of_a_range_add_up_and_a_new_range_replaces_it", "asked", "count"),
)
def test_ends_of_a_range_add_up_and_a_new_range_replaces_it(
    asked: tuple[str, ...], count: int, business: Invoicing
) -> None:
    """A lower and an upper bound hold together; what is of the same kind as before takes its place."""
    assert business.rows_after("how many invoices are there?", *asked) == [(count,)]


def test_the_best_period_is_narrowed(business: Invoicing) -> None:
    """The best month of a year is one of its months."""
    assert business.rows_after("which month had the most revenue?", "in 2022") == [("2022-01", 30.0)]


def test_a_whole_question_forgets_the_one_before(business: Invoicing) -> None:
    """What names its own table adds to nothing."""
    found = business.rows_after("how many customers are in Oslo?", "how many invoices are there?")
    assert found == [(5,)]


def test_what_is_sorted_by_is_shown(business: Invoicing) -> None:
    """The first two stay the first two, and are not those of each city."""
    shown = business.rows_after("top 2 customers by revenue", "sort by city")
    assert shown == [("Bob", "Birch", "Oslo", 45.0), ("Ann", "Alder", "São Paulo", 50.0)]


def test_a_later_begin_takes_the_place_of_an_end_that_comes_before_it(business: Invoicing) -> None:
    """Nothing lies after 2023 and before 2024."""
    asked = ("how many invoices are there?", "after 2022", "and before 2024")
    assert business.rows_after(*asked) == [(1,)]
    assert business.rows_after(*asked, "after 2023") == [(2,)]


def test_another_bound_is_of_what_was_compared(business: Invoicing) -> None:
    """ "and below 40" needs no name, and a bound of the same side takes the place of the first."""
    asked = ("invoices with a total above 14", "and below 40")
    assert [row[3] for row in business.rows_after(*asked)] == [30.0, 20.0, 15.0]
    assert [row[3] for row in business.rows_after(*asked, "above 20")] == [30.0]


def test_a_bound_of_groups_is_added_to(business: Invoicing) -> None:
    """What customers spent in all is compared twice."""
    assert business.rows_after("customers who spent more than 14", "and less than 48") == [
        ("Bob", "Birch"),
        ("Luís", "Gonçalves"),
    ]


@pytest.mark.parametrize(("words", "first"), [("newest first", "2024-05"), ("sorted by month", "2022-01")])
def test_periods_are_sorted(words: str, first: str, business: Invoicing) -> None:
    """By time, and not by their figures or anything of another table."""
    assert business.rows_after("revenue by month", words)[0][0] == first


@pytest.mark.parametrize("words", ["newest first", "list them", "which ones?", "again", "chronologically"])
def test_what_adds_to_nothing_says_so(words: str, business: Invoicing) -> None:
    """No table is guessed."""
    assert business.refused(words).reason == "nothing_before"
