"""Questions that once ended in an exception, or in SQL that no database runs. Most were found by random questions; the
smallest model and the shortest question that showed each of them are kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import duckdb
import pytest

from askwell.mdl.semantic_model import Cardinality, Column, ColumnRef, Relationship, SampledValues, SemanticModel
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
ROWS = case_table(__file__, "database")


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
    return _filled(dialect).execute(sql_of(question, dialect)).fetchall()


@cache
def _filled(dialect: str) -> Any:
    if dialect == "duckdb":
        connection = duckdb.connect()
        connection.execute(ROWS)
        return connection
    database = sqlite3.connect(":memory:")
    database.executescript(ROWS)
    return database


def reason_of(question: str, dialect: str = "duckdb", model: SemanticModel | None = None) -> str:
    outcome = ask(question, dialect, model)
    assert isinstance(outcome, Abstention), outcome
    assert outcome.message.strip()
    return outcome.reason


@pytest.mark.parametrize(
    ("row", "dialect"),
    [(row, dialect) for row in case_table(__file__, "asked") for dialect in row.get("dialects", ["duckdb"])],
    ids=lambda value: value if isinstance(value, str) else value["ask"][:60],
)
def test_what_was_found(row: dict[str, Any], dialect: str) -> None:
    model = None
    if "tables" in row:
        tables = {
            name: [Column("id", "INTEGER"), *(Column(*column) for column in columns.items())]
            for name, columns in row["tables"].items()
        }
        model = semantic_model(tables, [tuple(link) for link in row.get("links", [])])
    if "refused" in row:
        assert row["refused"] in (True, reason_of(row["ask"], dialect, model))
    elif "rows" in row:
        assert rows_of(row["ask"], dialect) == [tuple(one) for one in row["rows"]]
    elif "has" in row:
        assert row["has"] in sql_of(row["ask"], dialect, model)
    else:
        assert isinstance(ask(row["ask"], dialect, model), Translation | Abstention)


@pytest.mark.parametrize(
    ("question", "joined"),
    [
        ("number of shipments per item", "items.order_no = shipments.ord AND items.line_no = shipments.pos"),
        ("shipments of items with a price above 5", "shipments.ord = items.order_no AND shipments.pos = items.line_no"),
    ],
)
def test_a_key_of_two_columns_is_joined_from_either_side(question: str, joined: str) -> None:
    items = ["id", "order_no", "line_no", "name", Column("price", "DOUBLE")]
    pairs = (("ord", "order_no"), ("pos", "line_no"))
    link = Relationship("of", "shipments", "items", Cardinality.MANY_TO_ONE, pairs)
    model = replace(semantic_model({"items": items, "shipments": ["id", "ord", "pos"]}), relationships=(link,))
    assert joined in sql_of(question, model=model)


def test_a_number_beyond_all_floats_scales_to_nothing() -> None:
    assert reason_of(f"how many orders have a price above {'9' * 400} million")
    assert "5100000" in sql_of("how many orders have a price above 5.1 million")


def test_when_the_last_of_several_dated_rows_was() -> None:
    assert rows_of("when was the last order", "duckdb")[0][0].isoformat() == "2024-03-01"
    assert isinstance(ask("when was the last orders"), Translation | Abstention)


@pytest.mark.parametrize("name", ["which", "what", "who", "when"])
def test_a_table_that_is_called_like_a_question_word(name: str) -> None:
    model = semantic_model({name: (Column("id", "INTEGER"), Column("name", "VARCHAR"))})
    for question in (name, f"{name}?", f"{name} {name}", f"{name} {name} {name}"):
        assert isinstance(ask(question, model=model), Translation | Abstention), question


# -- SQL that no database runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 500, "9" * 400 + ".5"])
def test_a_number_that_no_database_holds_is_compared_with_none(digits: str) -> None:
    assert reason_of(f"orders with a price above {digits}")


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


@pytest.mark.parametrize("type_name", ["TIME", "INTERVAL", "INTEGER[]", "STRUCT(a INTEGER)", "POINT", "JSON", "BIT"])
def test_types_that_no_literal_of_a_question_fits(type_name: str) -> None:
    columns = (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("length", type_name))
    model = semantic_model({"films": columns})
    for question in ("films with a length above 5", "films with length '5'", "total length of the films"):
        assert isinstance(ask(question, "postgres", model), Abstention), question


def test_nothing_is_read_of_rows_that_must_not_be_there() -> None:
    named = {**SHOPS, "visits": (*SHOPS["visits"], Column("note", "VARCHAR"))}
    model = semantic_model(named, [("orders.shop_id", "shops.id"), ("visits.shop_id", "shops.id")])
    assert isinstance(ask("shops without visits sorted by note", model=model), Abstention)
    assert isinstance(ask("shops with the note 'late' without visits", model=model), Abstention)


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
