"""The same small database in every engine's own format, and ways to look at the processes behind an engine."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psutil
import pytest

from askwell.providers.engine.base import Engine
from askwell.providers.engine.factory import create_engine
from askwell.providers.engine.limits import EngineLimits

KINDS = ("duckdb", "sqlite")

SCHEMA = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, country VARCHAR)",
    "CREATE TABLE regions (country VARCHAR, code VARCHAR, label VARCHAR, PRIMARY KEY (country, code))",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), "
    "country VARCHAR, code VARCHAR, total DOUBLE, FOREIGN KEY (country, code) REFERENCES regions(country, code))",
    "INSERT INTO customers VALUES (1, 'Ada', 'PT'), (2, 'Grace', 'US'), (3, 'Zoë', NULL)",
    "INSERT INTO regions VALUES ('PT', 'N', 'North')",
    "INSERT INTO orders VALUES (10, 1, 'PT', 'N', 20.5), (11, 1, NULL, NULL, 5.0), (12, 2, NULL, NULL, 100.0)",
    "CREATE VIEW big_orders AS SELECT id, total FROM orders WHERE total > 10",
)

# Nothing in a test should need more; a kill test has to reach its limit soon.
SMALL = EngineLimits(pool_size=2, memory_mb=128, threads=1, idle_seconds=30)


def write_database(kind: str, path: Path, statements: tuple[str, ...] = SCHEMA) -> Path:
    """Run `statements` with the engine's own driver, in a file that nothing holds open afterwards."""
    connection = duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    if isinstance(connection, sqlite3.Connection):
        connection.commit()
    connection.close()
    return path


@dataclass
class Bench:
    """One engine under test, and its file."""

    kind: str
    path: Path
    engine: Engine

    async def value(self, sql: str) -> object:
        """The first value of a query that has to work."""
        outcome = await self.engine.execute(sql, row_limit=10, timeout=20)
        return outcome.rows[0][0]  # type: ignore[union-attr]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def make(kind: str, tmp_path: Path) -> AsyncIterator[Callable[..., Bench]]:
    """`make(limits)` gives an engine over the sample database; every engine is closed, and leaves no process."""
    made: list[Bench] = []

    def build(limits: EngineLimits = SMALL, statements: tuple[str, ...] = SCHEMA) -> Bench:
        path = write_database(kind, tmp_path / f"shop{len(made)}.db", statements)
        made.append(Bench(kind, path, create_engine(kind, path, limits)))
        return made[-1]

    yield build
    for bench in made:
        await bench.engine.close()
    assert query_processes() == []


@pytest.fixture
def bench(make: Callable[..., Bench]) -> Bench:
    return make()


def query_processes() -> list[psutil.Process]:
    """The child processes of this test process that are not yet reaped."""
    return psutil.Process().children(recursive=True)


async def until(condition: Callable[[], bool], *, within: float = 10.0) -> None:
    """Wait for something that another process does."""
    async with asyncio.timeout(within):
        while not condition():
            await asyncio.sleep(0.01)
