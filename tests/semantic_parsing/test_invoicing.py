"""Figures, persons and orders of a business: what is summed and what is compared one by one, who is meant by a word for
people, and what comes first."""

from __future__ import annotations

import pytest

from tests.support.tables import case_rows

from .answers import answers_rightly
from .invoicing import Invoicing, Rows

BIG_SPENDERS: Rows = [("Ann", "Alder"), ("Bob", "Birch")]


@pytest.fixture(scope="module")
def business() -> Invoicing:
    return Invoicing()


# -- counts and amounts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["how many sales", "how many sales are there?", "how many sales in 2022?"])
def test_a_count_of_amounts_is_asked_about(question: str, business: Invoicing) -> None:
    """Invoices may be counted, and their totals added up."""
    found = business.refused(question)
    assert found.reason == "count_or_amount"
    assert [choice.label for choice in found.choices] == ["how many invoices", "the total"]


def test_either_choice_of_a_count_or_an_amount_is_answered(business: Invoicing) -> None:
    """The rows are counted by the one, and added up by the other."""
    question = "how many sales in 2022?"
    rows, amount = (choice.bindings for choice in business.refused(question).choices)
    assert business.rows(question, bound=rows) == [(2,)]
    assert business.rows(question, bound=amount) == [(50.0,)]


def test_rows_that_are_named_are_counted_at_once(business: Invoicing) -> None:
    """What is called by its table's name can only be counted."""
    assert business.rows("how many invoices in 2022?") == [(2,)]


def test_what_somebody_spent_is_added_up(business: Invoicing) -> None:
    """A person's spending is the sum of their invoices."""
    assert business.rows("how much did Ann Alder spend?") == [(62.0,)]
    assert business.rows("how much money has Bob Birch paid so far?") == [(45.0,)]


def test_two_years_are_compared_side_by_side(business: Invoicing) -> None:
    """ "compare" asks for a figure of each."""
    assert business.rows("compare revenue in 2022 and 2023") == [("2022", 50.0), ("2023", 45.0)]


@pytest.mark.parametrize("words", ["spent more than 40", "spent more than 40 in total", "paid at least 45"])
def test_what_a_customer_spent_is_summed_before_it_is_compared(words: str, business: Invoicing) -> None:
    """No single invoice of Ann Alder is over 40."""
    answers_rightly(business.reader, business.database, [(f"customers who {words}", BIG_SPENDERS)], least=1)


def test_what_an_invoice_is_worth_is_compared_one_by_one(business: Invoicing) -> None:
    """Invoices are not added up."""
    assert [row[0] for row in business.rows("invoices worth more than 40")] == [3]


# -- the best of them ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "rows"),
    case_rows(__file__, "the_best_period_is_that_of_a_sum", "question", "rows"),
)
def test_the_best_period_is_that_of_a_sum(question: str, rows: Rows, business: Invoicing) -> None:
    """Amounts of a period are added up before periods are ranked."""
    assert business.rows(question) == rows


@pytest.mark.parametrize("verb", ["wrote", "has"])
def test_what_has_no_name_is_not_the_first_of_groups(verb: str, business: Invoicing) -> None:
    """Most tracks have no composer, who is nobody."""
    assert business.rows(f"which composer {verb} the most tracks?") == [("Grieg", 2)]


def test_what_has_no_name_is_a_group_of_its_own_where_all_are_shown(business: Invoicing) -> None:
    """Without a ranking no row is left out."""
    shown = business.rows("number of tracks per composer")
    assert sorted(shown, key=str) == [("Grieg", 2), ("Lully", 1), (None, 3)]


def test_namesakes_stay_two_rows(business: Invoicing) -> None:
    """Two customers are called Ann Alder, and each has their own figure."""
    totals = business.rows("revenue per customer")
    assert sorted(totals) == [
        ("Ann", "Alder", 12.0),
        ("Ann", "Alder", 50.0),
        ("Bob", "Birch", 45.0),
        ("Luís", "Gonçalves", 15.0),
    ]
    assert business.rows("top 2 customers by revenue") == [("Ann", "Alder", 50.0), ("Bob", "Birch", 45.0)]


def test_a_composer_and_an_artist_of_one_name_are_asked_about(business: Invoicing) -> None:
    """Tracks that Grieg composed, and tracks on his albums, are others."""
    found = business.refused("how many tracks by Grieg?")
    assert (found.reason, found.words) == ("ambiguous_value", ("Grieg",))
    assert {choice.label for choice in found.choices} == {"name in artists", "composer in tracks"}


# -- values and conditions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("city", ["Sao Paulo", "São Paulo", "sao paulo"])
def test_a_value_is_found_without_its_accents(city: str, business: Invoicing) -> None:
    """People type what their keyboard has."""
    assert business.rows(f"customers in {city}") == [("Ann", "Alder")]


def test_a_person_is_found_without_accents(business: Invoicing) -> None:
    """Both names have them."""
    assert business.rows("customers called Luis Goncalves") == [("Luís", "Gonçalves")]


@pytest.mark.parametrize("words", ["with their albums", "and their albums"])
def test_the_condition_of_rows_holds_where_others_are_shown_with_them(words: str, business: Invoicing) -> None:
    """Of the tracks only those of the genre are listed."""
    assert business.rows(f"jazz tracks {words}") == [("Moss", "Peer"), ("Dew", "Atys")]


# -- persons and their dates -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("adjective", "name"), [("oldest", ("Eva", "Rask")), ("youngest", ("Finn", "Sund"))])
def test_how_old_a_person_is_says_the_day_of_birth(adjective: str, name: tuple[str, str], business: Invoicing) -> None:
    """The oldest employee is the one who was hired last."""
    ((*shown, _),) = business.rows(f"who is the {adjective} employee?")
    assert tuple(shown) == name
    assert "hire_date" not in business.answered(f"who is the {adjective} employee?").sql


def test_who_does_something_for_a_customer_is_another_person(business: Invoicing) -> None:
    """The customer who is named is not the answer."""
    assert business.rows("who supports the customer Bob Birch?") == [("Finn", "Sund")]


# -- order in time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "keys"),
    case_rows(__file__, "rows_are_sorted_by_their_date", "words", "keys"),
)
def test_rows_are_sorted_by_their_date(words: str, keys: list[int], business: Invoicing) -> None:
    """An invoice has one date, which is meant by all words of time."""
    assert [row[0] for row in business.rows(f"invoices, {words}")] == keys


@pytest.mark.parametrize(("words", "first"), [("oldest first", ("Eva", "Rask")), ("youngest first", ("Finn", "Sund"))])
def test_people_are_sorted_by_their_age(words: str, first: tuple[str, str], business: Invoicing) -> None:
    """By the day of birth, and not by when they came."""
    shown = business.rows(f"employees, {words}")
    assert (shown[0][:2], len(shown)) == (first, 3)


def test_periods_are_sorted_newest_first(business: Invoicing) -> None:
    """Groups by month are sorted as months."""
    months = [month for month, _ in business.rows("revenue by month, newest first")]
    assert months == ["2024-05", "2024-02", "2023-02", "2022-02", "2022-01"]


@pytest.mark.parametrize(
    ("words", "first"),
    case_rows(__file__, "what_is_sorted_by_is_what_words_of_time_are_about", "words", "first"),
)
def test_what_is_sorted_by_is_what_words_of_time_are_about(words: str, first: str, business: Invoicing) -> None:
    """The oldest have the highest age and the earliest date."""
    assert business.rows(f"employees {words}")[0][0] == first


def test_people_with_two_names_are_sorted_by_them(business: Invoicing) -> None:
    """ "name" is both of them, and each person stays a row."""
    assert business.rows("customers by name descending") == [
        ("Luís", "Gonçalves"),
        ("Bob", "Birch"),
        ("Ann", "Alder"),
        ("Ann", "Alder"),
    ]


@pytest.mark.parametrize(
    ("question", "rows"),
    case_rows(__file__, "words_around_a_question_are_heard", "question", "rows"),
)
def test_words_around_a_question_are_heard(question: str, rows: Rows, business: Invoicing) -> None:
    """A verb between two people, an open end, and what a list is by."""
    assert business.rows(question) == rows


def test_a_list_by_amounts_of_others_adds_them_up(business: Invoicing) -> None:
    """Each customer once, the biggest first."""
    shown = business.rows("customers by revenue")
    assert [row[-1] for row in shown] == [50.0, 45.0, 15.0, 12.0]


def test_names_have_no_age(business: Invoicing) -> None:
    """Cities are not sorted by who came first."""
    business.refused("customers by city, newest first")


def test_customers_are_sorted_by_what_they_are_called(business: Invoicing) -> None:
    """A first and a last name are a name."""
    assert business.rows("customers sorted by name")[0] == ("Ann", "Alder")
