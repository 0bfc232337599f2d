"""The sample shop: the same for everybody on the same day, believable, and described by its model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from askwell.mdl.validation import read_manifest
from askwell.sample.demo import demo_questions, reference_rows
from askwell.sample.shop import generate_shop, shop_knowledge, shop_manifest, shop_version
from tests.support.tables import case_table

TODAY = date(2026, 3, 31)

# Ends of months and years, and a leap day: "last month" has to mean something on each.
AWKWARD_DAYS = (date(2024, 2, 29), date(2026, 1, 1), TODAY)


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> dict[date, Path]:
    """The shop as it stands on each of the awkward days."""
    made = {}
    for day in AWKWARD_DAYS:
        made[day] = tmp_path_factory.mktemp("shop") / "shop.duckdb"
        generate_shop(made[day], day)
    return made


@pytest.fixture
def shop(shops: dict[date, Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Today's shop, opened for reading."""
    with duckdb.connect(str(shops[TODAY]), read_only=True) as connection:
        yield connection


def content(path: Path) -> dict[str, str]:
    """A digest of the rows of every table."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        ]
        return {
            table: hashlib.sha256(
                repr(connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()).encode()
            ).hexdigest()
            for table in tables
        }


@pytest.mark.deep
def test_the_same_day_gives_the_same_rows(shops: dict[date, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.duckdb"
    generate_shop(again, TODAY)

    assert content(again) == content(shops[TODAY])
    assert list(tmp_path.iterdir()) == [again]


@pytest.mark.deep
def test_another_day_moves_the_dates_and_leaves_the_company_alone(shops: dict[date, Path]) -> None:
    one, other = content(shops[TODAY]), content(shops[date(2026, 1, 1)])

    assert one["cat_supplier"] == other["cat_supplier"]
    assert one["sales_order"] != other["sales_order"]


def test_a_file_that_was_there_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    path.write_text("something else")

    generate_shop(path, TODAY)

    assert "sales_order" in content(path)


@pytest.mark.deep
def test_it_has_the_size_of_a_small_company(shop: duckdb.DuckDBPyConnection) -> None:
    sizes = dict(shop.execute("SELECT table_name, estimated_size FROM duckdb_tables()").fetchall())

    assert len(sizes) == 12
    assert 10_000 < sum(sizes.values()) < 100_000
    assert min(sizes.values()) > 0


def test_every_date_lies_before_today(shop: duckdb.DuckDBPyConnection) -> None:
    columns = shop.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE data_type IN ('DATE', 'TIMESTAMP') AND NOT internal"
    ).fetchall()

    assert len(columns) == 9
    for table, column in columns:
        (latest,) = shop.execute(f"SELECT max({column})::DATE FROM {table}").fetchone()  # type: ignore[misc]
        assert latest < TODAY, (table, column)
    (last_order,) = shop.execute("SELECT max(ordered_at)::DATE FROM sales_order").fetchone()  # type: ignore[misc]
    assert last_order == TODAY - timedelta(days=1)


def test_the_business_makes_sense(shop: duckdb.DuckDBPyConnection) -> None:
    impossible = case_table(__file__, "impossible")
    for what, rows in impossible.items():
        assert shop.execute(f"SELECT count(*) FROM {rows}").fetchone() == (0,), what


def test_the_version_is_that_of_the_rows() -> None:
    assert shop_version() == shop_version()
    assert len(shop_version()) == 8


def test_the_model_is_valid_and_shows_what_a_model_can_say(shop: duckdb.DuckDBPyConnection) -> None:
    manifest = shop_manifest()
    reading = read_manifest(manifest, data_source="DUCKDB")

    assert [str(problem) for problem in reading.problems] == []
    pairs = [tuple(relationship["models"]) for relationship in manifest["relationships"]]
    assert pairs.count(("orders", "addresses")) == 2
    columns = [column for model in manifest["models"] for column in model["columns"]]
    calculated = {column["expression"] for column in columns if column.get("isCalculated")}
    assert {"customer.segment", "product.category.name", "avg(reviews.rating)", "sum(items.line_total)"} <= calculated
    assert [column["name"] for column in columns if column.get("isHidden")] == ["password_hash"]
    assert [len(manifest[part]) for part in ("metrics", "views", "enumDefinitions")] == [1, 1, 1]
    assert all(model["properties"]["description"] for model in manifest["models"])
    statuses = {value["name"] for value in manifest["enumDefinitions"][0]["values"]}
    assert statuses == {row[0] for row in shop.execute("SELECT DISTINCT status FROM sales_order").fetchall()}


def test_every_model_stands_on_a_table_with_its_columns(shop: duckdb.DuckDBPyConnection) -> None:
    physical = set(shop.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall())

    for model in shop_manifest()["models"]:
        for column in model["columns"]:
            if not column.get("isCalculated") and "relationship" not in column:
                named = column.get("expression", column["name"])
                assert (model["tableReference"]["table"], named) in physical


def test_what_was_taught_is_complete() -> None:
    knowledge = shop_knowledge()

    assert all(pair["question"] and pair["sql"] and pair["id"] for pair in knowledge["sql_pairs"])
    assert all(one["instruction"] and one["questions"] for one in knowledge["instructions"])


@pytest.mark.deep
@pytest.mark.parametrize("day", AWKWARD_DAYS)
def test_every_question_has_an_answer_worth_checking(shops: dict[date, Path], day: date) -> None:
    questions = demo_questions()

    assert len({question.form for question in questions}) == len(questions) >= 12
    assert {bool(question.refused) for question in questions} == {True, False}
    for question in questions:
        assert bool(question.reference) != bool(question.refused)
        if question.reference:
            rows = reference_rows(shops[day], question.reference, day)
            assert rows, question.form
            # A count of nothing, or a sum of nothing, would be right by accident.
            assert rows[0][0] not in (0, None), question.form
