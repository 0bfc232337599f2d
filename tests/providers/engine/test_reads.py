"""An engine that is told which tables a statement is meant to read lets it read no others."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import duckdb
import pytest
import pytest_asyncio

from askwell.providers.engine.base import Engine, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.providers.engine.conftest import new_server_database, rows_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

_TABLES = """
CREATE TABLE People (id INTEGER, name TEXT);
CREATE TABLE payroll (person_id INTEGER, amount TEXT);
INSERT INTO People VALUES (1, 'Ada'), (2, 'Bo');
INSERT INTO payroll VALUES (1, 'SECRET'), (2, 'SECRET');
CREATE VIEW paid AS WITH p AS (SELECT * FROM payroll) SELECT person_id FROM p;
CREATE VIEW "who's paid" AS SELECT name FROM People JOIN paid ON paid.person_id = id;
"""


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(kind: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    path: Path = tmp_path_factory.mktemp(kind) / f"wages.{kind}"
    if kind == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(_TABLES)
    else:
        lite = sqlite3.connect(path)
        lite.executescript(_TABLES)
        lite.close()
    opened = create_engine(kind, path)
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("sql", "tables", "rows"),
    [
        ("SELECT name FROM people ORDER BY id", {"people"}, [("Ada",), ("Bo",)]),
        ("SELECT count(*) FROM PEOPLE", {"people"}, [(2,)]),
        ("WITH p AS (SELECT id FROM people) SELECT count(*) FROM p, people", {"people"}, [(4,)]),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT count(*) FROM n",
            {},
            [(3,)],
        ),
        ("SELECT person_id FROM paid ORDER BY 1", {"paid"}, [(1,), (2,)]),
        ("SELECT count(*) FROM paid", {"paid"}, [(2,)]),
        ('SELECT name FROM "who\'s paid" ORDER BY 1', {"who's paid"}, [("Ada",), ("Bo",)]),
        ('SELECT count(*) FROM "who\'s paid", payroll', {"who's paid", "payroll"}, [(4,)]),
        ("SELECT count(*) FROM json_each('[1, 2]')", {}, [(2,)]),
        ("SELECT 1", {}, [(1,)]),
    ],
)
async def test_what_is_meant_to_be_read_is(
    engine: Engine, sql: str, tables: set[str], rows: list[tuple[object, ...]]
) -> None:
    assert await engine.dry_run(sql, timeout=20, terms=QueryTerms(frozenset(tables))) is None
    outcome = await rows_of(engine, sql, terms=QueryTerms(frozenset(tables)))
    assert list(outcome.rows) == rows


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT amount FROM payroll", {"people"}),
        ("SELECT count(*) FROM payroll", {"people"}),
        ("SELECT count(*) FROM main.payroll", {"people"}),
        ("SELECT name FROM people WHERE id IN (SELECT person_id FROM payroll)", {"people"}),
        ("SELECT name FROM people WHERE EXISTS (SELECT 1 FROM payroll)", {"people"}),
        ("WITH payroll AS (SELECT 1 AS a) SELECT * FROM main.payroll", {"people"}),
        (
            "SELECT name FROM people JOIN (WITH payroll AS (SELECT 1 AS a) SELECT * FROM payroll) x ON true, payroll",
            {"people"},
        ),
        ("SELECT amount FROM payroll", {"paid"}),
        ("SELECT amount FROM payroll, paid", {"paid"}),
        ("SELECT person_id FROM paid", {"who's paid"}),
        ("SELECT amount FROM payroll", {}),
        ("SELECT count(*) FROM paid", {"people"}),
    ],
)
async def test_what_is_not_meant_to_be_read_is_refused(engine: Engine, sql: str, tables: set[str]) -> None:
    outcome = await engine.execute(sql, row_limit=10, timeout=20, terms=QueryTerms(frozenset(tables)))
    checked = await engine.dry_run(sql, timeout=20, terms=QueryTerms(frozenset(tables)))
    for failure in (outcome, checked):
        assert isinstance(failure, QueryFailure), failure
        assert failure.kind == "error"
        assert "SECRET" not in failure.message


async def test_a_table_behind_in_counts_as_read(tmp_path: Path) -> None:
    path = tmp_path / "wages.sqlite"
    lite = sqlite3.connect(path)
    lite.executescript(_TABLES)
    lite.close()
    engine = create_engine("sqlite", path)
    sql = "SELECT count(*) FROM people WHERE (1, 'SECRET') IN payroll"
    outcome = await engine.execute(sql, row_limit=10, timeout=20, terms=QueryTerms(frozenset({"people"})))
    await engine.close()
    assert outcome == QueryFailure("error", "The statement may not read payroll.")


async def test_a_union_by_name_that_reads_the_table_of_its_own_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wages.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(_TABLES)
    engine = create_engine("duckdb", path)
    sql = (
        "WITH RECURSIVE payroll AS (SELECT 1 AS person_id UNION ALL BY NAME SELECT amount FROM payroll)"
        " SELECT * FROM payroll"
    )
    outcome = await engine.execute(sql, row_limit=10, timeout=20, terms=QueryTerms(frozenset({"people"})))
    system = await engine.execute(
        "SELECT * FROM duckdb_tables", row_limit=1, timeout=20, terms=QueryTerms(frozenset({"people"}))
    )
    await engine.close()
    assert outcome == QueryFailure("error", "The statement may not read payroll.")
    assert isinstance(system, QueryFailure)


@pytest.mark.parametrize(
    "sql", ["SELECT value FROM json_each('[1, 2]')", "SELECT atom FROM json_tree('[1, 2]') WHERE atom > 0"]
)
async def test_the_table_functions_that_may_be_used_work(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "some.sqlite"
    with sqlite3.connect(path) as lite:
        lite.execute("CREATE TABLE t (a)")
    engine = create_engine("sqlite", path)
    before = await engine.execute(sql, row_limit=10, timeout=20)
    with sqlite3.connect(path) as lite:
        lite.execute("CREATE TABLE u (a)")
    after = await engine.execute(sql, row_limit=10, timeout=20, terms=QueryTerms(frozenset()))
    await engine.close()
    for outcome in (before, after):
        assert isinstance(outcome, QueryRows), outcome
        assert outcome.rows == ((1,), (2,))


_POSTGRES_TABLES = (
    "CREATE TABLE people (id INTEGER, name TEXT)",
    "CREATE TABLE payroll (person_id INTEGER, amount TEXT)",
    'CREATE TABLE "Days" (day DATE, n INTEGER) PARTITION BY RANGE (day)',
    "CREATE TABLE days_2024 PARTITION OF \"Days\" FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
    "INSERT INTO people VALUES (1, 'Ada'), (2, 'Bo')",
    "INSERT INTO payroll VALUES (1, 'SECRET'), (2, 'SECRET')",
    "CREATE VIEW paid AS WITH p AS (SELECT * FROM payroll) SELECT person_id FROM p",
    'CREATE VIEW "who\'s paid" AS SELECT name FROM people JOIN paid ON paid.person_id = id',
    "CREATE MATERIALIZED VIEW frozen AS SELECT * FROM payroll",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def postgres() -> AsyncIterator[Engine]:
    database = new_server_database("postgres", _POSTGRES_TABLES)
    opened = SQLAlchemyEngine(database.url)
    yield opened
    await opened.close()
    database.drop()


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT name FROM people", {"people"}),
        ("SELECT name FROM public.people", {"people"}),
        ("SELECT p.name FROM people AS payroll, people AS p", {"people"}),
        ("WITH payroll AS (SELECT id FROM people) SELECT count(*) FROM payroll", {"people"}),
        ("SELECT person_id FROM paid", {"paid"}),
        ('SELECT count(*) FROM "who\'s paid"', {"who's paid"}),
        ('SELECT n FROM "Days"', {"days"}),
        ("SELECT n FROM \"Days\" WHERE day = DATE '2024-05-05'", {"days"}),
        ("SELECT person_id FROM frozen", {"frozen"}),
        ("SELECT name FROM people WHERE false", {"people"}),
        ("SELECT * FROM generate_series(1, 3)", set()),
        ("SELECT 1", set()),
        ("VALUES (1)", set()),
    ],
)
async def test_what_is_meant_to_be_read_is_on_postgresql(postgres: Engine, sql: str, tables: set[str]) -> None:
    assert await postgres.dry_run(sql, timeout=20, terms=QueryTerms(frozenset(tables))) is None
    await rows_of(postgres, sql, terms=QueryTerms(frozenset(tables)))


@pytest.mark.deep
@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT amount FROM payroll", {"people"}),
        ("SELECT count(*) FROM public.payroll", {"people"}),
        ("SELECT name FROM people WHERE id IN (SELECT person_id FROM payroll)", {"people"}),
        ("SELECT name FROM people WHERE EXISTS (SELECT 1 FROM payroll)", {"people"}),
        ("SELECT name, (SELECT max(amount) FROM payroll) FROM people", {"people"}),
        ("WITH payroll AS (SELECT 1 AS a) SELECT * FROM public.payroll", {"people"}),
        ("SELECT amount FROM payroll, people", {"people"}),
        ("SELECT amount FROM people LEFT JOIN payroll ON id = person_id", {"people"}),
        ("SELECT person_id FROM paid", {"people"}),
        ("SELECT amount FROM frozen", {"people", "payroll"}),
        ("SELECT n FROM days_2024", {"people"}),
        ("SELECT relname FROM pg_class", {"people"}),
        ("SELECT table_name FROM information_schema.tables", {"people"}),
        ("TABLE payroll", set()),
    ],
)
async def test_what_is_not_meant_to_be_read_is_refused_on_postgresql(
    postgres: Engine, sql: str, tables: set[str]
) -> None:
    outcome = await postgres.execute(sql, row_limit=10, timeout=20, terms=QueryTerms(frozenset(tables)))
    checked = await postgres.dry_run(sql, timeout=20, terms=QueryTerms(frozenset(tables)))
    for failure in (outcome, checked):
        assert isinstance(failure, QueryFailure), failure
        assert failure.kind == "error"
        assert "SECRET" not in failure.message
