"""A model on a database made for one test, and the way a statement takes to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from askwell.mdl.manifest import Manifest
from askwell.mdl.view import authorised_view
from askwell.services import database as services
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.guard import Allowed, Guard, GuardRefusal
from askwell.sql.names import fold
from askwell.sql.outcome import RejectedSql
from askwell.sql.planner import PlannedSql, Planner
from tests.mdl.shop import SHOP_ROWS, read, shop_mdl
from tests.sql.planner.databases import DIALECTS, Database, a_database


def elsewhere(mdl: dict[str, Any], schema_map: dict[str, str]) -> Manifest:
    """The manifest with the schemas that it names where `schema_map` says that they are, as a service places them."""
    nothing_is_asked: Any = None
    return services.Database(nothing_is_asked, schema_map).placed(read(mdl))


CONTEXT = QueryContext(datetime(2026, 3, 4, 23, 30, tzinfo=UTC), "Europe/Berlin")


@dataclass
class Desk:
    """A model, its planner, and a database to run on."""

    dialect: str
    mdl: dict[str, Any]
    database: Database
    context: QueryContext = CONTEXT
    _planner: tuple[Any, Planner] | None = None

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
        """The rows of a statement over the model, run as the guard writes its plan."""
        return self.direct(self.guarded(self.planned(self.quoted(sql))))

    def guarded(self, planned: PlannedSql) -> str:
        """What the guard, which has to let the plan pass, makes of it."""
        allowed = Allowed(
            {
                fold(name): None if read is None else frozenset(map(fold, read))
                for name, read in planned.physical.items()
            },
            frozenset(map(fold, planned.qualifiers)),
            self.database.functions(),
            spelling={fold(name): name for name in planned.physical},
        )
        checked = Guard(self.dialect).check_tree(planned.tree, allowed)
        assert not isinstance(checked, GuardRefusal), checked
        return checked.sql

    def direct(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a statement over the database's own tables."""
        return self.database.rows(sql)

    def names(self, sql: str) -> list[str]:
        """The columns' names of a statement over the model."""
        return self.database.names(self.guarded(self.planned(self.quoted(sql))))

    def quoted(self, sql: str) -> str:
        """SQL with names in double quotes, as the database takes it."""
        return self.database.quoted(sql)

    def name(self, name: str) -> str:
        """The name, quoted as the database takes it."""
        return exp.to_identifier(name, quoted=True).sql(dialect=self.dialect)

    def _ready(self) -> tuple[Any, Planner]:
        if self._planner is None:
            self._planner = _ready(self.dialect, self.database.schema, json.dumps(self.mdl))
        return self._planner


@lru_cache(maxsize=16)
def _ready(dialect: str, schema: str | None, mdl: str) -> tuple[Any, Planner]:
    """What is known of a model, which tests of the same model share as the statements of a service do."""
    manifest = elsewhere({**json.loads(mdl), "dataSource": dialect}, {"main": schema} if schema else {})
    model = authorised_view(manifest, "h")
    return model, Planner(model, manifest, dialect)


@pytest.fixture(params=DIALECTS)
def desk(request: pytest.FixtureRequest) -> Iterator[Desk]:
    """The shop, once on each kind of database."""
    with a_database(request.param, SHOP_ROWS) as database:
        yield Desk(request.param, shop_mdl(), database)


@pytest.fixture
def duck() -> Iterator[Desk]:
    """The shop on DuckDB alone, where the database makes no difference."""
    with a_database("duckdb", SHOP_ROWS) as database:
        yield Desk("duckdb", shop_mdl(), database)
