"""A bare year, month or period is about the date of what is asked for, not about a year that a joined table has."""

from __future__ import annotations

import re

import pytest

from askwell.mdl.semantic_model import Column, ColumnRef, SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.models import semantic_model
from tests.support.tables import case_rows, case_table


def columns(*typed: str) -> tuple[Column, ...]:
    return tuple(Column(*one.split()) for one in typed)


TRANSIT = semantic_model(
    {
        "lines": columns("line_id INTEGER", "line_name VARCHAR", "mode VARCHAR", "introduced_year INTEGER"),
        "trips": columns(
            "trip_id INTEGER",
            "line_id INTEGER",
            "departed_at TIMESTAMP",
            "passengers INTEGER",
            "delay_minutes DOUBLE",
            "fare_revenue DOUBLE",
        ),
        "stops": columns("stop_id INTEGER", "line_id INTEGER", "stop_name VARCHAR", "daily_boardings INTEGER"),
    },
    [("trips.line_id", "lines.line_id"), ("stops.line_id", "lines.line_id")],
)
FILMS = semantic_model(
    {
        "movies": columns("id INTEGER", "title VARCHAR", "year INTEGER"),
        "ratings": columns("id INTEGER", "movie_id INTEGER", "stars INTEGER", "rating_date DATE"),
        "screenings": columns("id INTEGER", "movie_id INTEGER", "tickets_sold INTEGER"),
    },
    [("ratings.movie_id", "movies.id"), ("screenings.movie_id", "movies.id")],
)
CARS = semantic_model(
    {
        "models": columns("model_id INTEGER", "name VARCHAR", "model_year INTEGER"),
        "sales": columns("sale_id INTEGER", "model_id INTEGER", "amount DOUBLE", "sold_on DATE"),
        "repairs": columns("repair_id INTEGER", "model_id INTEGER", "cost DOUBLE", "repaired_on DATE"),
    },
    [("sales.model_id", "models.model_id"), ("repairs.model_id", "models.model_id")],
)
WINE = semantic_model(
    {
        "wineries": columns("winery_id INTEGER", "name VARCHAR", "founded_year INTEGER", "country VARCHAR"),
        "tastings": columns("tasting_id INTEGER", "winery_id INTEGER", "score DOUBLE", "tasted_on DATE"),
        "employees": columns("employee_id INTEGER", "winery_id INTEGER", "full_name VARCHAR", "salary DOUBLE"),
    },
    [("tastings.winery_id", "wineries.winery_id"), ("employees.winery_id", "wineries.winery_id")],
)
SHOPS = semantic_model(
    {
        "shops": columns("shop_id INTEGER", "name VARCHAR", "founded_on DATE"),
        "clerks": columns("clerk_id INTEGER", "shop_id INTEGER", "full_name VARCHAR", "salary DOUBLE"),
    },
    [("clerks.shop_id", "shops.shop_id")],
)


def answer(model: SemanticModel, question: str) -> Translation | Abstention:
    return QuestionReader(model, {}, "duckdb").translate(question)


def condition(model: SemanticModel, question: str) -> str:
    found = answer(model, question)
    assert isinstance(found, Translation), found
    return " ".join(found.sql.split("WHERE")[1].split("GROUP BY")[0].split())


@pytest.mark.parametrize(
    ("model", "question", "date", "year_column"),
    [
        (TRANSIT, "Total passengers in 2018", "departed_at", "introduced_year"),
        (TRANSIT, "Total passengers in 2025", "departed_at", "introduced_year"),
        (TRANSIT, "Average delay in 2025", "departed_at", "introduced_year"),
        (TRANSIT, "Average delay per month in 2025", "departed_at", "introduced_year"),
        (TRANSIT, "Number of trips per line in 2024", "departed_at", "introduced_year"),
        (TRANSIT, "Total fare revenue in 2025 per mode", "departed_at", "introduced_year"),
        (TRANSIT, "Which line had the most trips in 2024?", "departed_at", "introduced_year"),
        (FILMS, "Average stars in 2011", "rating_date", "year ="),
        (FILMS, "Average stars per month in 2024", "rating_date", "year ="),
        (FILMS, "ratings per movie in 2024", "rating_date", "year ="),
        (CARS, "Total amount in 2024", "sold_on", "model_year"),
        (CARS, "Average amount in 2024 and 2025", "sold_on", "model_year"),
        (CARS, "Sales per model in 2024", "sold_on", "model_year"),
        (CARS, "Total cost in 2023 per model", "repaired_on", "model_year"),
        (WINE, "Average score in 2024", "tasted_on", "founded_year"),
        (WINE, "Average score by country since 2020", "tasted_on", "founded_year"),
    ],
)
def test_a_year_is_about_the_own_date_of_what_is_asked_for(
    model: SemanticModel, question: str, date: str, year_column: str
) -> None:
    found = condition(model, question)
    assert date in found
    assert year_column not in found


@pytest.mark.parametrize(
    ("words", "days"),
    case_rows(__file__, "the_year_at_the_end_of_a_period_is_that_of_all_of_it", "words", "days"),
)
@pytest.mark.parametrize("place", ["in", "for"])
def test_the_year_at_the_end_of_a_period_is_that_of_all_of_it(words: str, days: str, place: str) -> None:
    values = {ColumnRef("wineries", "country"): ("France", "Italy")}
    found = QuestionReader(WINE, values, "duckdb").translate(f"average score {words} {place} Italy")
    assert isinstance(found, Translation), found
    assert re.findall(r"CAST\('([-0-9]+)' AS DATE\)", found.sql) == days.split()
    assert "wineries.country = 'Italy'" in found.sql
    assert "EXTRACT" not in found.sql


def test_a_period_that_ends_before_it_begins_is_asked_about() -> None:
    assert isinstance(answer(WINE, "average score between November and February 2023"), Abstention)


@pytest.mark.parametrize(
    ("model", "question", "found"),
    [
        (TRANSIT, "lines in 2018", "lines.introduced_year = 2018"),
        (TRANSIT, "Total passengers of lines introduced in 2018", "lines.introduced_year = 2018"),
        (FILMS, "movies in 2011 with ratings", "movies.year = 2011"),
        (CARS, "Total amount for model year 2020", "models.model_year = 2020"),
        (WINE, "Average score of wineries founded in 1990", "wineries.founded_year = 1990"),
    ],
)
def test_a_year_that_is_asked_about_or_said_is_still_taken(model: SemanticModel, question: str, found: str) -> None:
    assert condition(model, question) == found


@pytest.mark.parametrize(
    ("model", "question"),
    [
        (TRANSIT, "Total daily boardings in 2024"),
        (WINE, "Total salary in 2024"),
        (SHOPS, "Total salary in 2024"),
        (SHOPS, "Total salary per month in 2024"),
    ],
)
def test_what_has_no_date_does_not_borrow_the_founding_of_another(model: SemanticModel, question: str) -> None:
    found = answer(model, question)
    assert isinstance(found, Abstention)
    assert found.reason == "no_date"


CLIENTS = semantic_model(
    {
        "clients": columns("client_id INTEGER", "name VARCHAR", "registered_on DATE"),
        "orders": columns("order_id INTEGER", "client_id INTEGER", "ordered_on DATE"),
        "order_lines": columns("line_id INTEGER", "order_id INTEGER", "revenue DOUBLE"),
    },
    [("orders.client_id", "clients.client_id"), ("order_lines.order_id", "orders.order_id")],
)


@pytest.mark.parametrize(
    "question",
    case_table(__file__, "things_are_ranked_by_the_figures_of_that_time"),
)
def test_things_are_ranked_by_the_figures_of_that_time(question: str) -> None:
    found = answer(CLIENTS, question)
    assert isinstance(found, Translation)
    assert "ordered_on" in found.sql
    assert "registered_on" not in found.sql
