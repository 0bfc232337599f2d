"""An engine that is told which tables a statement is meant to read lets it read no others."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from askwell.providers.engine.base import Engine, QueryFailure, QueryRows, QueryTerms
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from tests.providers.engine.conftest import failure_of, new_server_database, rows_of, write_database
from tests.support.tables import case_rows, case_table

pytestmark = pytest.mark.asyncio(loop_scope="module")
TABLES = case_table(__file__, "tables")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["duckdb", "sqlite", "postgres"])
async def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Engine]:
    if request.param == "postgres":
        database = new_server_database("postgres", TABLES["postgres"])
        opened: Engine = SQLAlchemyEngine(database.url)
        yield opened
        await opened.close()
        database.drop()
        return
    opened = file_engine(request.param, tmp_path_factory.mktemp(request.param))
    yield opened
    await opened.close()


def file_engine(kind: str, folder: Path) -> Engine:
    return create_engine(kind, write_database(kind, folder / f"wages.{kind}", TABLES["file"]))


def cases(engine: Engine, table: str) -> list[dict[str, Any]]:
    """The rows of a table for an engine, each with the terms of its statement."""
    rows = case_table(__file__, table)["postgres" if engine.dialect == "postgres" else "file"]
    return [{**row, "terms": QueryTerms(frozenset(row["tables"]))} for row in rows]


async def test_what_is_meant_to_be_read_is(engine: Engine) -> None:
    for case in cases(engine, "meant"):
        assert await engine.dry_run(case["sql"], timeout=20, terms=case["terms"]) is None, case
        outcome = await rows_of(engine, case["sql"], terms=case["terms"])
        assert "rows" not in case or list(map(list, outcome.rows)) == case["rows"], case


async def test_what_is_not_meant_to_be_read_is_refused(engine: Engine) -> None:
    for case in cases(engine, "not_meant"):
        outcome = await failure_of(engine, case["sql"], terms=case["terms"])
        checked = await engine.dry_run(case["sql"], timeout=20, terms=case["terms"])
        for failure in (outcome, checked):
            assert isinstance(failure, QueryFailure), case
            assert failure.kind == "error", case
            assert "SECRET" not in failure.message


@pytest.mark.parametrize(
    ("kind", "sql"),
    case_rows(__file__, "a_table_counts_as_read_wherever_it_stands", "kind", "sql"),
)
async def test_a_table_counts_as_read_wherever_it_stands(tmp_path: Path, kind: str, sql: str) -> None:
    engine = file_engine(kind, tmp_path)
    people = QueryTerms(frozenset({"people"}))
    outcome = await engine.execute(sql, row_limit=10, timeout=20, terms=people)
    if kind == "duckdb":
        await failure_of(engine, "SELECT * FROM duckdb_tables", terms=people)
    await engine.close()
    assert outcome == QueryFailure("error", "The statement may not read payroll.")


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
