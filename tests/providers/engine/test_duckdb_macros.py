"""A macro that a DuckDB file named like a function: a statement gets the function, a view what it was made with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from askwell.providers.engine.base import Engine, QueryTerms
from askwell.providers.engine.factory import create_engine
from tests.providers.engine.conftest import SMALL, failure_of, rows_of, write_database

pytestmark = pytest.mark.asyncio(loop_scope="module")

_SPIES = (
    ("bit_length", "a"), ("trim", "a"), ("nullif", "a, b"), ("sum", "a"), ("if", "a, b, c"), ("count_star", ""),
    ("+", "a, b"), ("-", "a"), ("||", "a, b"), ("~~", "a, b"), ("~~*", "a, b"), ("like_escape", "a, b, c"),
    ("regexp_full_match", "a, b"), ("date_part", "a, b"), ("timezone", "a, b"), ("to_days", "a"), ("position", "a, b"),
    ("contains", "a, b"), ("struct_pack", "a"), ("list_value", "a"), ("list_apply", "a, b"), ("list_filter", "a, b"),
    ("get_current_timestamp", ""), ("current_date", ""), ("json_serialize_sql", "a"), ("string_agg", "a, b"),
)  # fmt: skip
_TABLES = (
    "CREATE TABLE secrets (token VARCHAR)",
    "INSERT INTO secrets VALUES ('CANARY')",
    "CREATE TABLE people (name VARCHAR, born DATE, tags INTEGER[])",
    "INSERT INTO people VALUES ('ann', '2020-01-01', [1, 2])",
    "CREATE SCHEMA other",
    "CREATE TABLE other.towns (name VARCHAR)",
    "INSERT INTO other.towns VALUES ('Rome')",
    *(f'CREATE MACRO "{name}"({arguments}) AS (SELECT token FROM secrets LIMIT 1)' for name, arguments in _SPIES),
    "CREATE MACRO range(n) AS TABLE SELECT token FROM secrets",
    "CREATE VIEW trimmed AS SELECT trim(name) AS name FROM people",
    # Views that tell of the engine and its files: by themselves, by a macro, by one another.
    "CREATE VIEW state AS SELECT value AS name FROM duckdb_settings()",
    "CREATE VIEW folders AS SELECT name FROM state",
    "CREATE MACRO told() AS TABLE SELECT current_setting('home_directory') AS name",
    "CREATE VIEW homes AS SELECT * FROM told()",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("macros")
    opened = create_engine("duckdb", write_database("duckdb", folder / 'shop "a.b".duckdb', _TABLES), SMALL)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("output", "value"),
    [
        ("bit_length(name)", 24),
        ("trim(name)", "ann"),
        ("nullif(name, 'x')", "ann"),
        ("if(name = 'ann', 1, 2)", 1),
        ("count(*)", 1),
        ("sum(length(name))", 3),
        ("length(name) + 1", 4),
        ("-length(name)", -3),
        ("name || '!'", "ann!"),
        ("name LIKE 'a%'", True),
        ("name ILIKE 'A%'", True),
        ("name LIKE 'a!%' ESCAPE '!'", False),
        ("name SIMILAR TO 'a.*'", True),
        ("EXTRACT(year FROM born)", 2020),
        ("(born AT TIME ZONE 'UTC') IS NULL", False),
        ("born + INTERVAL 1 DAY = DATE '2020-01-02'", True),
        ("position('n' IN name)", 2),
        ("1 IN tags", True),
        ("{'a': 1}.a", 1),
        ("[x + 1 FOR x IN tags IF x > 1][1]", 3),
        ("CURRENT_DATE > born", True),
        ("current_timestamp > born", True),
        ("(SELECT max(range) FROM range(3))", 2),
        ("(SELECT name FROM other.towns)", "Rome"),
        ("(SELECT p.name FROM main.people AS p)", "ann"),
        ("(SELECT name FROM trimmed)", "CANARY"),
    ],
)
async def test_a_macro_of_the_file_never_stands_in_for_a_function(engine: Engine, output: str, value: object) -> None:
    terms = QueryTerms(frozenset({"people", "towns", "trimmed"}))
    outcome = await rows_of(engine, f"SELECT {output} FROM people", row_limit=1, terms=terms)
    assert outcome.rows[0][0] == value


async def test_the_tables_of_every_schema_are_found(engine: Engine) -> None:
    schema = await engine.introspect()
    assert {(table.schema, table.name) for table in schema.tables} == {
        ("main", "people"),
        ("main", "secrets"),
        ("main", "trimmed"),
        ("other", "towns"),
    }


@pytest.mark.parametrize("view", ["state", "folders", "homes"])
async def test_a_view_of_the_engine_itself_is_not_read(engine: Engine, view: str) -> None:
    terms = QueryTerms(frozenset({view}))
    outcome = await failure_of(engine, f"SELECT name FROM {view}", row_limit=1, terms=terms)
    assert "tells of the database engine" in outcome.message
