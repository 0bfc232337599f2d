"""The same small database in every engine, and ways to look at the processes behind one."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psutil
import pytest

from askwell.providers.engine.base import (
    ANY_TERMS,
    Engine,
    EngineLimits,
    QueryFailure,
    QueryRows,
    QueryTerms,
)
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine
from askwell.sql.guard.functions import functions_of
from tests.support.processes import child_processes, forget_others
from tests.support.servers import ServerDatabase, new_mariadb, new_postgresql

FILE_KINDS = ("duckdb", "sqlite")
SERVER_KINDS = ("postgres", "mariadb")
KINDS = FILE_KINDS + SERVER_KINDS

SCHEMA = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(50) NOT NULL, country VARCHAR(50))",
    "CREATE TABLE regions (country VARCHAR(50), code VARCHAR(50), label VARCHAR(50), PRIMARY KEY (country, code))",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, country VARCHAR(50), "
    "code VARCHAR(50), total DOUBLE PRECISION, FOREIGN KEY (customer_id) REFERENCES customers(id), "
    "FOREIGN KEY (country, code) REFERENCES regions(country, code))",
    "INSERT INTO customers VALUES (1, 'Ada', 'PT'), (2, 'Grace', 'US'), (3, 'Zoë', NULL)",
    "INSERT INTO regions VALUES ('PT', 'N', 'North')",
    "INSERT INTO orders VALUES (10, 1, 'PT', 'N', 20.5), (11, 1, NULL, NULL, 5.0), (12, 2, NULL, NULL, 100.0)",
    "CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 10",
)

# Runs until it is stopped, and starts at once.
ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r"

# Nothing in a test should need more; a kill test has to reach its limit soon.
SMALL = EngineLimits(pool_size=2, memory_mb=128, threads=1, idle_seconds=30)
ONE_PROCESS = EngineLimits(pool_size=1, memory_mb=128, threads=1, idle_seconds=30)

# What a server is doing in the database `{name}` for others than who asks.
_RUNNING = {
    "postgres": "SELECT query FROM pg_stat_activity WHERE datname = '{name}' AND state = 'active' "
    "AND pid <> pg_backend_pid() AND backend_type IN ('client backend', 'parallel worker')",
    "mariadb": "SELECT info FROM information_schema.processlist WHERE db = '{name}' AND command = 'Query' "
    "AND id <> connection_id()",
}


def write_database(kind: str, path: Path, statements: tuple[str, ...] = SCHEMA) -> Path:
    """Run `statements` with the engine's own driver, in a file that nothing holds open afterwards."""
    connection = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    if isinstance(connection, sqlite3.Connection):
        connection.commit()
    connection.close()
    return path


def new_server_database(kind: str, statements: tuple[str, ...] = SCHEMA) -> ServerDatabase:
    """A database of a new name on the server of that kind; the test is skipped where there is none."""
    database = new_postgresql() if kind == "postgres" else new_mariadb()
    try:
        for statement in statements:
            database.ask(statement)
    except BaseException:
        database.drop()
        raise
    return database


@asynccontextmanager
async def postgresql_as_reader(statements: tuple[str, ...]) -> AsyncIterator[SQLAlchemyEngine]:
    """The engine over a new database on PostgreSQL, as a role that may only read: policies and grants apply to it."""
    database = new_server_database("postgres", statements)
    reader = f"reader_{database.name}"
    database.ask(f"CREATE ROLE {reader} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader}")
    url = database.url.replace("postgres@", f"{reader}@")
    opened = SQLAlchemyEngine(url, ONE_PROCESS, lambda dialect: functions_of(dialect, None).callable)
    try:
        yield opened
    finally:
        await opened.close()
        database.ask(f"DROP OWNED BY {reader}; DROP ROLE {reader}")
        database.drop()


async def rows_of(engine: Engine, sql: str, *, row_limit: int = 10, terms: QueryTerms = ANY_TERMS) -> QueryRows:
    """The rows of a statement that has to work."""
    outcome = await engine.execute(sql, row_limit=row_limit, timeout=20, terms=terms)
    assert isinstance(outcome, QueryRows), (sql, outcome)
    return outcome


async def failure_of(engine: Engine, sql: str, *, row_limit: int = 10, terms: QueryTerms = ANY_TERMS) -> QueryFailure:
    """What is said of a statement that has to fail."""
    outcome = await engine.execute(sql, row_limit=row_limit, timeout=20, terms=terms)
    assert isinstance(outcome, QueryFailure), (sql, outcome)
    return outcome


@dataclass
class Bench:
    """One engine under test, and where its database is: a file, or on a server."""

    kind: str
    engine: Engine
    file: Path | None = None
    server: ServerDatabase | None = None

    @property
    def path(self) -> Path:
        assert self.file is not None, "only for files"
        return self.file

    async def value(self, sql: str) -> object:
        """The first value of a query that has to work."""
        outcome = await self.engine.execute(sql, row_limit=10, timeout=20)
        return outcome.rows[0][0]  # type: ignore[union-attr]

    def is_at_work(self) -> bool:
        """Whether a query has been running for a moment."""
        if self.server is None:
            return any(process.cpu_times().user > 0.2 for process in query_processes())
        return bool(self.running())

    def running(self) -> list[str]:
        """The statements that are running on the server; none for a file, whose queries end with their process."""
        if self.server is None:
            return []
        return [row[0] for row in self.server.ask(_RUNNING[self.kind].format(name=self.server.name))]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def sample_on_server() -> Iterator[Callable[[str], ServerDatabase]]:
    """The sample database on a server, made once: no engine can change it."""
    made: dict[str, ServerDatabase] = {}

    def sample(kind: str) -> ServerDatabase:
        if kind not in made:
            made[kind] = new_server_database(kind)
        return made[kind]

    yield sample
    for database in made.values():
        database.drop()


@pytest.fixture
async def make(
    kind: str, tmp_path: Path, sample_on_server: Callable[[str], ServerDatabase]
) -> AsyncIterator[Callable[..., Bench]]:
    """`make(limits)` gives an engine over the sample database; every engine is closed, and leaves no process."""
    made: list[Bench] = []
    own: list[ServerDatabase] = []

    def build(limits: EngineLimits = SMALL, statements: tuple[str, ...] = SCHEMA) -> Bench:
        if kind in FILE_KINDS:
            path = write_database(kind, tmp_path / f"shop{len(made)}.db", statements)
            bench = Bench(kind, create_engine(kind, path, limits), file=path)
        elif statements is SCHEMA:
            server = sample_on_server(kind)
            bench = Bench(kind, SQLAlchemyEngine(server.url, limits), server=server)
        else:
            server = new_server_database(kind, statements)
            own.append(server)
            bench = Bench(kind, SQLAlchemyEngine(server.url, limits), server=server)
        made.append(bench)
        return bench

    yield build
    for bench in made:
        await bench.engine.close()
    for server in own:
        server.drop()
    assert query_processes() == []


@pytest.fixture
def bench(make: Callable[..., Bench]) -> Bench:
    return make()


def query_processes() -> list[psutil.Process]:
    """The child processes of these tests that are not yet reaped."""
    return child_processes()


@pytest.fixture(scope="module", autouse=True)
def _own_processes() -> None:
    forget_others()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does: for longer than a busy machine needs, and for less than the
    statements of these tests would take by themselves (a minute)."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)
