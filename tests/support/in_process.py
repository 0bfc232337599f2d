"""Random databases in this process, and the checker over them: an engine without a process of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from itertools import count
from typing import Any

import duckdb

from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import PhysicalSchema, QueryFailure, QueryRows
from askwell.sql.checker import SqlChecker
from askwell.sql.planner import Planner
from tests.support.random_models import RandomDatabase

DIALECTS = ("duckdb", "sqlite", "postgres", "mysql")


class InProcess:
    """The engine's port over a connection in this process, for tests that ask many databases a few questions. Without
    a connection it takes every statement and has no rows."""

    def __init__(self, dialect: str, connection: Any = None) -> None:
        self.dialect = dialect
        self.data_source = dialect.upper()
        self._connection = connection

    async def functions(self) -> frozenset[str]:
        """All functions of DuckDB and SQLite; of a server, none: the guard has lists of its own."""
        return own_functions(self.dialect)

    async def dry_run(self, sql: str, **_: Any) -> QueryFailure | None:
        return None

    async def execute(self, sql: str, **_: Any) -> QueryRows | QueryFailure:
        if self._connection is None:
            return QueryRows((), ())
        try:
            return QueryRows((), tuple(self._connection.execute(sql).fetchall()))
        except (duckdb.Error, sqlite3.Error) as broke:
            return QueryFailure("error", f"{type(broke).__name__}: {broke}")

    async def introspect(self) -> PhysicalSchema:
        return PhysicalSchema()

    async def close(self) -> None:
        if isinstance(self._connection, duckdb.DuckDBPyConnection):
            end_duckdb(self._connection)
        elif self._connection is not None:
            self._connection.close()


def filled(database: RandomDatabase, dialect: str) -> InProcess:
    """An engine with the database's tables, in memory; of a dialect whose databases are servers, without any."""
    if dialect not in _OPENERS:
        return InProcess(dialect)
    connection = _OPENERS[dialect]()
    for statement, rows in database.statements(dialect):
        if rows:
            connection.executemany(statement, rows)
        elif statement.startswith("CREATE"):
            connection.execute(statement)
    return InProcess(dialect, connection)


def checked_model(database: RandomDatabase, engine: InProcess) -> tuple[SemanticModel, SqlChecker]:
    """The authorised view of the model, and the checker over it, as a service builds them."""
    manifest = read_manifest(database.mdl, data_source=engine.data_source).manifest
    assert manifest is not None
    model = authorised_view(manifest, "h")
    return model, SqlChecker(model, Planner(model, manifest, engine.dialect), engine, values=database.values)


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    """One instance for this process: to start one takes ten times as long as a database in it."""
    return duckdb.connect(config={"threads": 1})


_NUMBERS = count()


def new_duckdb() -> duckdb.DuckDBPyConnection:
    """A connection to a database in memory that nobody else has; `end_duckdb` ends both."""
    connection, name = _duckdb().cursor(), f"own_{next(_NUMBERS)}"
    connection.execute(f"ATTACH ':memory:' AS {name}; USE {name}")
    return connection


def end_duckdb(connection: duckdb.DuckDBPyConnection) -> None:
    ((name,),) = connection.execute("SELECT current_database()").fetchall()
    connection.execute(f"USE memory; DETACH {name}")
    connection.close()


_OPENERS: dict[str, Callable[[], Any]] = {"sqlite": lambda: sqlite3.connect(":memory:"), "duckdb": new_duckdb}
_LISTINGS = {
    "duckdb": "SELECT DISTINCT function_name FROM duckdb_functions()",
    "sqlite": "SELECT DISTINCT name FROM pragma_function_list",
}


@cache
def own_functions(dialect: str) -> frozenset[str]:
    """What DuckDB or SQLite says that it has; nothing of a server."""
    if dialect not in _LISTINGS:
        return frozenset()
    with closing(_duckdb().cursor() if dialect == "duckdb" else sqlite3.connect(":memory:")) as connection:
        return frozenset(name.lower() for (name,) in connection.execute(_LISTINGS[dialect]).fetchall())
