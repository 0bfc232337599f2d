"""What row rules cost on each kind of database, and that models without rules pay nothing.

    python -m benchmarks.row_rules [--repeats N] [--server URL ...]

The same questions over 100,000 sales: of a model without a rule ("none"), of one with `region = 'South'` as the planner
writes it ("barrier"), and with that condition where the database may mix it with the question's ("condition"), which
would be quicker and is not safe. Milliseconds that pass in the database, medians, in turns. On a server it makes a
table `askwell_bench_sales` and drops it.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy
import sqlglot
from rich.console import Console
from rich.table import Table

from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.context import QueryContext
from askwell.sql.planner import PlannedSql, Planner
from benchmarks.figures import Figure, figure

Run = Callable[[str], Any]
WAYS = ("none", "condition", "barrier")
ROWS = 100_000
TABLE = "askwell_bench_sales"
RULE = "region = 'South'"
_SQLALCHEMY_NAMES = {"postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite"}
_COLUMNS = {"id": "INTEGER", "region": "VARCHAR", "day": "INTEGER", "amount": "DOUBLE"}
QUESTIONS = {
    "one row by its key": "SELECT amount FROM sales WHERE id = 70007",
    "a thousandth, by an index": "SELECT sum(amount) FROM sales WHERE day = 17",
    "all rows, grouped": "SELECT day, sum(amount) FROM sales GROUP BY day",
}
# The barrier of each database, a pattern: the SQL without it, or with its group in its place, has the condition that
# is not safe.
_BARRIERS = {
    "postgres": " MATERIALIZED",
    "sqlite": " MATERIALIZED",
    "mysql": " LIMIT 9223372036854775807",
    "duckdb": r" LIMIT \(SELECT 4611686018427387904\)|UNNEST\(LIST\(([^()]*)\)\)",
}


def figures(repeats: int = 15, servers: Sequence[str] = ()) -> list[Figure]:
    """The cost of each question on each database, in three ways."""
    found: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        sqlite = "sqlite:///" + str(Path(folder) / "bench.sqlite")
        databases = [_duckdb(), *(_server(url) for url in [sqlite, *servers])]
        for opened in databases:
            with opened as (dialect, run):
                for question, sql in QUESTIONS.items():
                    found += _compared(dialect, run, question, sql, repeats)
    return found


def _inside(found: re.Match[str]) -> str:
    return (found[1] or "") if found.re.groups else ""


def _compared(dialect: str, run: Run, question: str, sql: str, repeats: int) -> list[Figure]:
    barrier = _planned(dialect, sql, RULE)
    condition, found = re.subn(_BARRIERS[dialect], _inside, barrier, flags=re.IGNORECASE)
    assert found, f"{dialect}: no barrier in {barrier}"
    ways = dict(zip(WAYS, (_planned(dialect, sql, None), condition, barrier), strict=True))
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repeats + 1):
        for way, statement in ways.items():
            started = time.perf_counter()
            run(statement)
            taken[way].append((time.perf_counter() - started) * 1000)
    group = f"row rules, {dialect}, {ROWS:,} rows"
    return [figure(group, question, way, values[1:], "ms") for way, values in taken.items()]


def _planned(dialect: str, sql: str, rule: str | None) -> str:
    model = {
        "name": "sales",
        "tableReference": {"table": TABLE},
        "primaryKey": "id",
        "columns": [{"name": name, "type": kind} for name, kind in _COLUMNS.items()],
        "rowLevelAccessControls": [{"name": "r", "condition": rule, "requiredProperties": []}] if rule else [],
    }
    manifest = read_manifest({"catalog": "c", "schema": "s", "models": [model]}).manifest
    assert manifest is not None
    view = authorised_view(manifest, "bench")
    bound = bind(sqlglot.parse_one(sql, dialect=dialect), view, dialect)
    assert isinstance(bound, BoundSql), bound
    planned = Planner(view, manifest, dialect).plan(bound, QueryContext(now=datetime(2024, 6, 1, tzinfo=UTC)))
    assert isinstance(planned, PlannedSql), planned
    return planned.sql


@contextmanager
def _duckdb() -> Iterator[tuple[str, Run]]:
    with duckdb.connect() as connection:
        _filled(connection.execute)
        yield "duckdb", lambda sql: connection.execute(sql).fetchall()


@contextmanager
def _server(url: str) -> Iterator[tuple[str, Run]]:
    with sqlalchemy.create_engine(url).connect() as connection:

        def run(sql: str) -> Any:
            cursor = connection.exec_driver_sql(sql)
            return cursor.fetchall() if cursor.returns_rows else None

        _filled(run)
        try:
            yield _SQLALCHEMY_NAMES[connection.dialect.name], run
        finally:
            run(f"DROP TABLE {TABLE}")


def _filled(run: Run) -> None:
    run(f"CREATE TABLE {TABLE} (id INTEGER PRIMARY KEY, region VARCHAR(9), day INTEGER, amount DOUBLE PRECISION)")
    for first in range(0, ROWS, 1000):
        values = ", ".join(
            f"({n}, '{'South' if n % 2 else 'North'}', {n * 7919 % 1000}, {n % 997}.5)"
            for n in range(first, first + 1000)
        )
        run(f"INSERT INTO {TABLE} VALUES {values}")
    run(f"CREATE INDEX {TABLE}_day ON {TABLE} (day)")


def main() -> None:
    parser = argparse.ArgumentParser(description="What row rules cost.")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--server", action="append", default=[], metavar="URL", help="also there; SQLAlchemy's URL")
    chosen = parser.parse_args()
    found = figures(chosen.repeats, chosen.server)
    table = Table("row rules", *WAYS, "")
    for group, part in dict.fromkeys((one.group, one.part) for one in found):
        cells = {one.size: f"{one.p50:.2f}" for one in found if (one.group, one.part) == (group, part)}
        table.add_row(f"{group}: {part}", *(cells[way] for way in WAYS), "ms")
    Console().print(table)


if __name__ == "__main__":
    main()
