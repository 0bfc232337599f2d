"""Any query over a model of the database's own tables gives the rows that it gives without the model."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, assume, given, settings

from askwell.providers.engine.base import Engine, EngineLimits, QueryFailure, QueryRows
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.sql.checker import Executed, SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.same_result import same_result
from askwell_evaluation.plan import introspected_checker
from tests.sql.same_rows_queries import SCRIPT, Query, queries
from tests.support.examples import examples
from tests.support.servers import new_mariadb, new_postgresql

_CONTEXT = QueryContext(now=datetime(2024, 6, 1, 12, tzinfo=UTC))
_LIMITS = EngineLimits(pool_size=1, memory_mb=256, threads=1)


@dataclass
class Desk:
    """One database, with a model of it."""

    runner: asyncio.Runner
    engine: Engine
    checker: SqlChecker

    def directly(self, sql: str) -> QueryRows | QueryFailure:
        return self.runner.run(self.engine.execute(sql, row_limit=10_000, timeout=10))

    def through_the_model(self, sql: str) -> Executed | object:
        return self.runner.run(self.checker.execute(sql, context=_CONTEXT, row_limit=10_000, timeout=10))


@pytest.fixture(scope="module", params=["duckdb", "sqlite", "postgres", "mysql"])
def desk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with ExitStack() as stack:
        engine = _OPENERS[request.param](tmp_path_factory.mktemp("same_rows"), stack)
        runner = stack.enter_context(asyncio.Runner())
        stack.callback(lambda: runner.run(engine.close()))
        yield Desk(runner, engine, runner.run(introspected_checker(engine)))


def _duckdb(folder: Path, stack: ExitStack) -> Engine:
    with duckdb.connect(str(folder / "books.duckdb")) as connection:
        connection.execute(SCRIPT)
    return create_engine("duckdb", folder / "books.duckdb", _LIMITS)


def _sqlite(folder: Path, stack: ExitStack) -> Engine:
    connection = sqlite3.connect(folder / "books.sqlite")
    connection.executescript(SCRIPT)
    connection.close()
    return create_engine("sqlite", folder / "books.sqlite", _LIMITS)


def _postgres(folder: Path, stack: ExitStack) -> Engine:
    server = new_postgresql()
    stack.callback(server.drop)
    server.ask(SCRIPT)
    return SQLAlchemyEngine(server.url, _LIMITS)


def _mysql(folder: Path, stack: ExitStack) -> Engine:
    server = new_mariadb()
    stack.callback(server.drop)
    for statement in filter(str.strip, SCRIPT.split(";\n")):
        server.ask(statement)
    return SQLAlchemyEngine(server.url, _LIMITS)


_OPENERS: dict[str, Callable[[Path, ExitStack], Engine]] = {
    "duckdb": _duckdb,
    "sqlite": _sqlite,
    "postgres": _postgres,
    "mysql": _mysql,
}


@settings(
    max_examples=examples(150), deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
@given(query=queries())
def test_a_query_gives_the_same_rows_through_the_model(desk: Desk, query: Query) -> None:
    expected = desk.directly(query.sql)
    # What the database itself does not take (a name twice, a set operation of set operations) proves nothing.
    assume(not isinstance(expected, QueryFailure))
    assert isinstance(expected, QueryRows)
    outcome = desk.through_the_model(query.sql)
    assert isinstance(outcome, Executed), (query.sql, outcome)
    assert [column.name for column in outcome.rows.columns] == [name for name, _ in query.columns]
    assert same_result(expected.rows, outcome.rows.rows, ordered=False), (query.sql, outcome.valid.planned_sql)
