"""Nothing hidden comes out at the end of the way, whatever names a statement plays with."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askwell.providers.engine.base import ANY_TERMS, PhysicalSchema, QueryFailure, QueryRows, QueryTerms, ResultColumn
from askwell.sql.checker import Executed, SqlChecker
from tests.sql.checker.shop import CONTEXT, checker_on, write_database
from tests.support.examples import examples
from tests.support.tables import case_table

# Names of models, of tables of the database, of both, and of neither.
NAMES = [*["shipments"] * 8, *["people"] * 2, "t_people", "payroll", "mdl_shipments", "x"]
COLUMNS = [*["*"] * 12, "id", "margin", "shipments.margin", "x.margin"]


class InProcess:
    """The database itself, without a child process: thousands of statements in seconds."""

    def __init__(self, kind: str, path: Path) -> None:
        self.dialect = kind
        self.data_source = kind.upper()
        self._connection: Any = (
            duckdb.connect(str(path)) if kind == "duckdb" else sqlite3.connect(path, check_same_thread=False)
        )

    async def functions(self) -> frozenset[str]:
        source = "duckdb_functions()" if self.dialect == "duckdb" else "pragma_function_list"
        column = "function_name" if self.dialect == "duckdb" else "name"
        return frozenset(
            row[0].lower() for row in self._connection.execute(f"SELECT {column} FROM {source}").fetchall()
        )

    async def dry_run(self, sql: str, *, timeout: float, terms: QueryTerms = ANY_TERMS) -> QueryFailure | None:
        return None

    async def execute(
        self, sql: str, *, row_limit: int, timeout: float, terms: QueryTerms = ANY_TERMS
    ) -> QueryRows | QueryFailure:
        # A recursion without an end is stopped, as the real engines' child processes would.
        stop = threading.Timer(0.5, self._connection.interrupt)
        stop.start()
        try:
            cursor = self._connection.execute(f"SELECT * FROM ({sql}) LIMIT {row_limit}")
            columns = tuple(ResultColumn(entry[0], "") for entry in cursor.description)
            return QueryRows(columns, tuple(map(tuple, cursor.fetchall())))
        except (duckdb.Error, sqlite3.Error) as error:
            return QueryFailure("error", str(error))
        finally:
            stop.cancel()

    async def introspect(self) -> PhysicalSchema:
        return PhysicalSchema()

    async def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def in_process(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SqlChecker:
    kind = str(request.param)
    return checker_on(InProcess(kind, write_database(kind, tmp_path_factory.mktemp(kind))))


@st.composite
def queries(draw: st.DrawFn, depth: int = 0) -> str:
    """A query in which the same names are tables, CTEs and aliases by turns."""
    columns = draw(st.sampled_from(COLUMNS))
    name = draw(st.sampled_from(NAMES))
    kinds = ["table", "alias", "join"] + (
        ["derived", "combined", "with", "with", "scalar", "exists"] if depth < 3 else []
    )
    match draw(st.sampled_from(kinds)):
        case "table":
            return f"SELECT {columns} FROM {draw(st.sampled_from(['', 'main.']))}{name}"
        case "alias":
            return f"SELECT {columns} FROM {name} AS {draw(st.sampled_from(NAMES))}"
        case "join":
            joint = draw(st.sampled_from([", ", " JOIN ", " NATURAL JOIN ", " CROSS JOIN "]))
            return f"SELECT {columns} FROM {name}{joint}{draw(st.sampled_from(NAMES))}"
        case "derived":
            return f"SELECT {columns} FROM ({draw(queries(depth + 1))}) AS {name}"
        case "combined":
            word = draw(st.sampled_from(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"]))
            return f"SELECT {columns} FROM {name} {word} SELECT * FROM ({draw(queries(depth + 1))}) AS s"
        case "scalar":
            return f"SELECT ({draw(queries(depth + 1))}) AS v FROM {name}"
        case "exists":
            return f"SELECT {columns} FROM {name} WHERE EXISTS ({draw(queries(depth + 1))})"
    recursive = draw(st.sampled_from(["", "RECURSIVE "]))
    given_names = draw(st.sampled_from(["", "(id, margin)", "(id)"]))
    body = draw(queries(depth + 1))
    if draw(st.booleans()):
        body += f" UNION ALL {draw(queries(depth + 1))}"
    return f"WITH {recursive}{name}{given_names} AS ({body}) {draw(queries(depth + 1))}"


@pytest.mark.deep
@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(query=queries())
def test_hidden_columns_and_tables_stay_hidden(in_process: SqlChecker, query: str) -> None:
    outcome = asyncio.run(in_process.execute(query, context=CONTEXT, row_limit=20, timeout=5))
    if isinstance(outcome, Executed):
        assert "HIDDEN" not in str(outcome.rows.rows), outcome.valid.planned_sql


@pytest.mark.parametrize(
    "query",
    case_table(__file__, "ways_around_the_model_lead_nowhere"),
)
def test_ways_around_the_model_lead_nowhere(in_process: SqlChecker, query: str) -> None:
    outcome = asyncio.run(in_process.execute(query, context=CONTEXT, row_limit=20, timeout=5))
    if isinstance(outcome, Executed):
        assert "HIDDEN" not in str(outcome.rows.rows), outcome.valid.planned_sql
        assert "margin" not in str(outcome.rows.columns).lower()
