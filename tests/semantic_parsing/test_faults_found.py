"""Questions that once ended in an exception, or in SQL that no database runs. Most were found by random questions; the
smallest model and the shortest question that showed each of them are kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, SampledValues, SemanticModel
from askwell.semantic_parsing.reader import QuestionReader
from askwell.semantic_parsing.translation import Abstention, Translation
from tests.support.models import semantic_model
from tests.support.tables import case_table

DIALECTS = ("duckdb", "sqlite", "postgres", "mysql")

SHOPS: dict[str, Sequence[str | Column]] = {
    "shops": (
        Column("id", "INTEGER"),
        Column("name", "VARCHAR"),
        Column("stock", "TEXT"),
        Column("country", "VARCHAR"),
        Column("is_open", "BOOLEAN"),
        Column("opened_at", "DATE"),
    ),
    "orders": (
        Column("id", "INTEGER"),
        Column("shop_id", "INTEGER"),
        Column("price", "DOUBLE"),
        Column("order_date", "DATE"),
    ),
    "visits": (Column("id", "INTEGER"), Column("shop_id", "INTEGER"), Column("visited_at", "TIME")),
}
VALUES: SampledValues = {
    ColumnRef("shops", "name"): ("Ada", "Bo", "Cy"),
    ColumnRef("shops", "stock"): ("9", "10", "100"),
    ColumnRef("shops", "country"): ("France", "Spain"),
}
ROWS = """
    CREATE TABLE shops (id INTEGER, name VARCHAR, stock TEXT, country VARCHAR, is_open BOOLEAN, opened_at DATE);
    CREATE TABLE orders (id INTEGER, shop_id INTEGER, price DOUBLE, order_date DATE);
    CREATE TABLE visits (id INTEGER, shop_id INTEGER, visited_at TIME);
    INSERT INTO shops VALUES (1, 'Ada', '9', 'France', true, '2020-01-01'),
        (2, 'Bo', '10', 'Spain', false, '2021-01-01'), (3, 'Cy', '100', 'Spain', true, '2022-01-01');
    INSERT INTO orders VALUES (1, 1, 5.0, '2024-01-01'), (2, 1, 6.0, '2024-02-01'), (3, 2, 90.0, '2024-03-01');
    INSERT INTO visits VALUES (1, 1, NULL), (2, 3, NULL), (3, 3, NULL);
"""


def shops() -> SemanticModel:
    """Shops with a number that is kept as text, their orders and their visits."""
    return semantic_model(SHOPS, [("orders.shop_id", "shops.id"), ("visits.shop_id", "shops.id")])


def ask(question: str, dialect: str = "duckdb", model: SemanticModel | None = None) -> Translation | Abstention:
    return QuestionReader(model or shops(), VALUES, dialect).translate(question)


def sql_of(question: str, dialect: str = "duckdb", model: SemanticModel | None = None) -> str:
    outcome = ask(question, dialect, model)
    assert isinstance(outcome, Translation), outcome
    return outcome.sql


def rows_of(question: str, dialect: str) -> list[tuple[Any, ...]]:
    """The rows of an answer, run on SQLite or DuckDB."""
    sql = sql_of(question, dialect)
    if dialect == "sqlite":
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(ROWS)
            return connection.execute(sql).fetchall()
    with duckdb.connect() as connection:
        connection.execute(ROWS)
        return connection.execute(sql).fetchall()


def reason_of(question: str, dialect: str = "duckdb", model: SemanticModel | None = None) -> str:
    outcome = ask(question, dialect, model)
    assert isinstance(outcome, Abstention), outcome
    assert outcome.message.strip()
    return outcome.reason


# -- Exceptions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "question",
    case_table(__file__, "a_figure_of_rows_without_a_column_decides_no_ranking"),
)
def test_a_figure_of_rows_without_a_column_decides_no_ranking(question: str, dialect: str) -> None:
    assert reason_of(question, dialect) == "unclear_words"


def test_top_customers_by_total_sales() -> None:
    columns = (Column("id", "INTEGER"), Column("name", "VARCHAR"))
    sales = (Column("id", "INTEGER"), Column("customer_id", "INTEGER"), Column("price", "DOUBLE"))
    model = semantic_model({"customers": columns, "sales": sales}, [("sales.customer_id", "customers.id")])
    assert "SUM(sales.price)" in sql_of("top 5 customers by total sales", model=model)
    assert "SUM(sales.price)" in sql_of("top 5 customers by total price", model=model)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_the_total_of_rows_without_an_amount_is_how_many_there_are(dialect: str) -> None:
    assert rows_of("top 1 shops by total visits", dialect) == [("Cy", 2)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_quoted_digits_of_other_scripts_are_no_number_of_a_statement(dialect: str) -> None:
    assert reason_of('orders with price "٣"', dialect)
    assert reason_of('orders with price "²"', dialect)
    assert "orders.price = 3" in sql_of("orders with price ٣", dialect)


def test_a_number_beyond_all_floats_scales_to_nothing() -> None:
    assert reason_of(f"how many orders have a price above {'9' * 400} million")
    assert "5100000" in sql_of("how many orders have a price above 5.1 million")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_last_day_of_the_calendar_is_a_day(dialect: str) -> None:
    assert "9999-12-31" in sql_of("orders on 9999-12-31", dialect)
    assert reason_of("orders after 9999-12-31", dialect)


def test_when_the_last_of_several_dated_rows_was() -> None:
    assert rows_of("when was the last order", "duckdb")[0][0].isoformat() == "2024-03-01"
    assert isinstance(ask("when was the last orders"), Translation | Abstention)


@pytest.mark.parametrize("name", ["which", "what", "who", "when"])
def test_a_table_that_is_called_like_a_question_word(name: str) -> None:
    model = semantic_model({name: (Column("id", "INTEGER"), Column("name", "VARCHAR"))})
    for question in (name, f"{name}?", f"{name} {name}", f"{name} {name} {name}"):
        assert isinstance(ask(question, model=model), Translation | Abstention), question


@pytest.mark.parametrize(
    "question",
    case_table(__file__, "a_day_is_no_amount"),
)
def test_a_day_is_no_amount(question: str) -> None:
    assert isinstance(ask(question), Translation | Abstention)


def test_a_time_after_a_table_is_no_key() -> None:
    assert isinstance(ask("count of new shops 1,000 seconds 2023"), Translation | Abstention)


def test_a_day_is_no_duration() -> None:
    films = (Column("id", "INTEGER"), Column("title", "VARCHAR"), Column("length_minutes", "INTEGER"))
    model = semantic_model({"films": films})
    assert "length_minutes > 120" in sql_of("films longer than 2 hours", model=model)
    assert isinstance(ask("films longer than 2024-01-05 hours", model=model), Abstention)


# -- SQL that no database runs ---------------------------------------------------------------------------------------


def test_all_information_about_nothing_named_is_nothing_to_show() -> None:
    model = semantic_model({"albums": (Column("color", "VARCHAR"), Column("album_id", "INTEGER"))})
    assert reason_of("color all information about every", model=model)


@pytest.mark.parametrize("question", ["top 999999999999999999999 shops by stock", f"show {'9' * 30} orders"])
def test_a_limit_is_a_number_of_rows(question: str) -> None:
    assert reason_of(question)


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 500, "9" * 400 + ".5"])
def test_a_number_that_no_database_holds_is_compared_with_none(digits: str) -> None:
    assert reason_of(f"orders with a price above {digits}")


def test_how_far_back_a_calendar_goes() -> None:
    assert isinstance(ask("orders in the last 500 years"), Translation)
    assert isinstance(ask("orders in the last 9999 years"), Abstention)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql"])
@pytest.mark.parametrize(
    "question",
    case_table(__file__, "a_text_is_compared_with_nothing_of_another_type"),
)
def test_a_text_is_compared_with_nothing_of_another_type(question: str, dialect: str) -> None:
    assert isinstance(ask(question, dialect), Abstention)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("question", ["shops with an opened at of 5 or more", "shops with opened at 0.5"])
def test_a_day_is_compared_with_no_number(question: str, dialect: str) -> None:
    assert isinstance(ask(question, dialect), Abstention)


def test_a_truth_value_is_no_number_where_the_database_says_so() -> None:
    assert "is_open = TRUE" in sql_of("how many shops have is open 1", "postgres")
    assert rows_of("how many shops have is open 1", "duckdb") == rows_of("how many shops have is open 1", "sqlite")


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_part_of_a_number_is_looked_for_in_its_text(dialect: str) -> None:
    assert "CAST(orders.id AS TEXT) ILIKE '1%'" in sql_of("orders whose id starts with '1'", dialect)


def test_a_part_of_a_number_is_found() -> None:
    assert rows_of("orders whose id starts with '1'", "duckdb")[0][0] == 1


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_numbers_that_are_kept_as_text_are_averaged_as_numbers(dialect: str) -> None:
    assert rows_of("what is the average stock of the shops", dialect)[0][0] == pytest.approx(119 / 3)
    assert rows_of("shops with a stock above the average", dialect) == [("Cy",)]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql"])
def test_text_that_is_not_always_a_number_does_not_add_up(dialect: str) -> None:
    held = {**VALUES, ColumnRef("shops", "stock"): (*map(str, range(60)), "sold out")}
    rules = QuestionReader(shops(), held, dialect)
    for question in ("what is the average stock of the shops", "shops with a stock above 5"):
        assert isinstance(rules.translate(question), Abstention), question


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "mysql"])
@pytest.mark.parametrize("question", ["average opened at of the shops", "total is open of the shops"])
def test_days_and_truth_values_do_not_add_up(question: str, dialect: str) -> None:
    assert isinstance(ask(question, dialect), Abstention)


@pytest.mark.parametrize("type_name", ["TIME", "INTERVAL", "INTEGER[]", "STRUCT(a INTEGER)", "POINT", "JSON", "BIT"])
def test_types_that_no_literal_of_a_question_fits(type_name: str) -> None:
    columns = (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("length", type_name))
    model = semantic_model({"films": columns})
    for question in ("films with a length above 5", "films with length '5'", "total length of the films"):
        assert isinstance(ask(question, "postgres", model), Abstention), question


def test_a_time_of_day_is_no_date() -> None:
    assert isinstance(ask("visits in 2024", "postgres"), Abstention)
    assert isinstance(ask("visits by month", "postgres"), Abstention)


def test_nothing_is_read_of_rows_that_must_not_be_there() -> None:
    named = {**SHOPS, "visits": (*SHOPS["visits"], Column("note", "VARCHAR"))}
    model = semantic_model(named, [("orders.shop_id", "shops.id"), ("visits.shop_id", "shops.id")])
    assert isinstance(ask("shops without visits sorted by note", model=model), Abstention)
    assert isinstance(ask("shops with the note 'late' without visits", model=model), Abstention)


def test_two_conditions_at_once_are_neither_sorted_nor_counted() -> None:
    for question in (
        "shops with both country 'France' and country 'Spain' sorted by name",
        "how many shops have both country 'France' and country 'Spain'",
    ):
        assert isinstance(ask(question), Abstention), question


def test_a_group_has_no_row_of_its_own() -> None:
    assert isinstance(ask("all information about shops per country and the number of orders"), Abstention)


def test_a_figure_of_no_rows_at_all_divides_by_nothing() -> None:
    assert "NULLIF(COUNT(" in sql_of("what percentage of shops are from Spain", "postgres")


@pytest.mark.parametrize("dialect", [dialect for dialect in DIALECTS if dialect != "sqlite"])
def test_different_values_are_not_sorted_by_what_is_not_shown(dialect: str) -> None:
    outcome = ask("list the different countries of the shops sorted by stock", dialect)
    assert isinstance(outcome, Abstention), "only SQLite sorts different rows by what they lack"


def test_a_number_is_joined_with_no_text() -> None:
    model = semantic_model(
        {"towns": (Column("id", "INTEGER"), Column("name", "VARCHAR")), "games": ("id", Column("host", "TEXT"))},
        [("games.host", "towns.id")],
    )
    assert reason_of("how many games does each town have", "postgres", model)
    assert isinstance(ask("how many games does each town have", "sqlite", model), Translation)


# -- Questions and models of any kind --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "",
        " ",
        "\n",
        "\x00",
        "'\x00'",
        "\ud800",
        "'\ud800'",
        "\u202e",
        "🍕",
        "²",
        "how many ² shops",
        "٣ shops",
        "'" * 50,
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_characters(question: str, dialect: str) -> None:
    assert isinstance(ask(question, dialect), Translation | Abstention)


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x1b", "\x7f", "\ud800"])
def test_characters_that_no_statement_may_have(character: str) -> None:
    assert reason_of(f"shops whose name contains '{character}x'") == "no_text"
    held = {ColumnRef("shops", "name"): (f"Ada{character}Byron",)}
    outcome = QuestionReader(shops(), held, "duckdb").translate("shops called Ada Byron")
    assert isinstance(outcome, Abstention) or character not in outcome.sql


@pytest.mark.parametrize("name", ["the", "of", "top", "per", "by", "a", "2024", "注文", "🍕", "a.b", "x" * 200, "#"])
def test_any_names(name: str) -> None:
    columns = (Column("id", "INTEGER"), Column(name, "INTEGER"), Column("name", "VARCHAR"))
    model = semantic_model({name: columns, "shops": columns})
    for question in (f"how many {name}", f"top 5 {name} by {name}", f"{name} of {name} per {name}", name):
        assert isinstance(ask(question, model=model), Translation | Abstention)


def test_models_without_keys_and_with_relationships_in_a_ring() -> None:
    model = shops()
    bare = replace(model, tables={name: replace(table, primary_key=()) for name, table in model.tables.items()})
    ring = tuple(
        replace(link, name=f"{link.name}_{kind}", left=link.right, right=link.left, cardinality=kind)
        for link in model.relationships
        for kind in Cardinality
    )
    for changed in (bare, replace(model, relationships=(*model.relationships, *ring)), replace(bare, relationships=())):
        for question in ("top 2 shops by orders", "shops without orders", "orders per shop", "total price by country"):
            assert isinstance(ask(question, model=changed), Translation | Abstention)
