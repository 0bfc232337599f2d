"""Functions that a question seems to need, in the words of each database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from askwell.pipelines.retrieval.functions import HINTS, MOST, Topic, example_of, functions_for, hints_of
from askwell.sql.guard.guard import Guard
from askwell.sql.guard.outcome import Allowed, GuardPass
from tests.sql.planner.databases import Database, a_database

GOLDEN = Path(__file__).parent / "golden"
QUESTIONS = (
    "How many customers are there?",
    "Orders by month in 2024 compared with the month before",
    "Median price of products whose name contains tea",
    "One line for each customer with all their products, comma separated",
    "Wie viele Bestellungen gab es?",
)
COLUMNS = {"day": "DATE", "moment": "TIMESTAMP", "words": "VARCHAR(50)", "n": "INTEGER", "doc": "JSON"}


@pytest.fixture(params=sorted(HINTS))
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    columns = dict(COLUMNS, doc="JSONB") if request.param == "postgres" else COLUMNS
    table = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    row = "'2024-05-17', '2024-05-20 10:30:00', '17.05.2024', 3, '[1, 2]'"
    with a_database(request.param, f"CREATE TABLE t ({table});\nINSERT INTO t VALUES ({row});\n") as opened:
        yield opened


def test_every_example_runs_and_passes_the_guard(database: Database) -> None:
    guard = Guard(database.dialect, database.functions())
    allowed = Allowed({"t": frozenset(COLUMNS)})
    for topic in Topic:
        for hint in hints_of(topic, database.dialect):
            checked = guard.check(f"SELECT {example_of(hint)} FROM t", allowed)
            assert isinstance(checked, GuardPass), hint
            assert len(database.rows(checked.sql)) == 1, hint


@pytest.mark.parametrize("dialect", sorted(HINTS))
def test_what_questions_are_told(dialect: str, golden: Callable[[Path, str], None]) -> None:
    texts = [f"{question}\n" + "".join(f"  {line}\n" for line in told(question, dialect)) for question in QUESTIONS]
    golden(GOLDEN / f"functions-{dialect}.txt", "\n".join(texts))


def told(question: str, dialect: str, known: frozenset[str] = frozenset(), has_json: bool = False) -> tuple[str, ...]:
    return functions_for(question, dialect, known, has_json=has_json)


def test_json_functions_come_with_json_columns_only() -> None:
    question = "How many orders are paid?"
    assert not any("json" in line for line in told(question, "duckdb"))
    assert any("json_extract_string" in line for line in told(question, "duckdb", has_json=True))


def test_what_the_engine_has_not_is_not_told() -> None:
    names = " ".join(told("median price by month", "duckdb", frozenset({"date_trunc", "strftime"})))
    assert "date_trunc" in names
    assert "median" not in names


@pytest.mark.parametrize("dialect", ["trino", "snowflake", "bigquery", "tsql"])
def test_dialects_without_examples_have_names(dialect: str) -> None:
    assert "coalesce" in told("price by month", dialect)
    assert all(name.isidentifier() for name in told("orders by month, ranked, as a list", dialect))


def test_an_unknown_dialect_has_what_its_engine_says() -> None:
    assert told("Which month had most orders?", "wren", frozenset({"date_trunc", "shutdown"})) == ("date_trunc",)


@pytest.mark.parametrize("dialect", sorted(HINTS))
def test_there_are_never_too_many(dialect: str) -> None:
    everything = "Rank the median of names per month, comma separated, that contain a letter"
    assert len(told(everything, dialect, has_json=True)) <= MOST
