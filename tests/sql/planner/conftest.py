"""The shop's model on databases made here, and the way a statement takes to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest
import sqlglot

from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.outcome import RejectedSql
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import SHOP_ROWS, read, shop_mdl

CONTEXT = QueryContext(datetime(2026, 3, 4, 23, 30, tzinfo=UTC), "Europe/Berlin")


@dataclass
class Desk:
    """A model, its planner, and a database to run on."""

    dialect: str
    mdl: dict[str, Any]
    database: Any
    context: QueryContext = CONTEXT
    _planner: tuple[Any, Planner] | None = field(default=None, repr=False)

    def bound(self, sql: str) -> BoundSql:
        """The statement, bound to the model; it has to bind."""
        model, _ = self._ready()
        bound = bind(sqlglot.parse_one(sql, dialect=self.dialect), model, self.dialect)
        assert isinstance(bound, BoundSql), bound
        return bound

    def plan(self, sql: str) -> PlannedSql | RejectedSql:
        """What the planner says."""
        return self._ready()[1].plan(self.bound(sql), self.context)

    def planned(self, sql: str) -> PlannedSql:
        """The plan; there has to be one."""
        planned = self.plan(sql)
        assert isinstance(planned, PlannedSql), planned
        return planned

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement over the model."""
        return self.direct(self.planned(sql).sql)

    def direct(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement over the database's own tables."""
        return [tuple(row) for row in self.database.execute(sql).fetchall()]

    def _ready(self) -> tuple[Any, Planner]:
        if self._planner is None:
            manifest = read({**self.mdl, "dataSource": self.dialect})
            model = authorised_view(manifest, "h")
            self._planner = (model, Planner(model, manifest, self.dialect))
        return self._planner


def open_database(dialect: str, script: str = SHOP_ROWS) -> Any:
    """A database in memory with the script's tables."""
    if dialect == "sqlite":
        database = sqlite3.connect(":memory:")
        database.executescript(script)
        return database
    connection = duckdb.connect()
    connection.execute(script.replace(" real", " double"))
    return connection


@pytest.fixture(params=["duckdb", "sqlite"])
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """The shop, once on each of the databases in the process."""
    database = open_database(request.param)
    yield Desk(request.param, shop_mdl(), database)
    database.close()


@pytest.fixture
def duck() -> Iterator[Desk]:
    """The shop on DuckDB alone, where the database makes no difference."""
    database = open_database("duckdb")
    yield Desk("duckdb", shop_mdl(), database)
    database.close()
