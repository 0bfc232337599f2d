"""What the way of a statement costs before it reaches a database, and that the size of the model does not matter.

    python -m benchmarks.statements [--models 10 200 1000] [--repeats N] [--json]

Guard, bind, plan, fan-out and guard again, for several kinds of statement, over models of growing size, warm: each
statement has been planned before. Processor time of one thread, in milliseconds. Each size runs in a process of its
own, so that memory can be told apart. Machines are noisy: compare the figures of one run with each other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import psutil
from rich.console import Console
from rich.table import Table
from sqlglot import exp

from askwell.checking.check import QuestionCheck
from askwell.checking.values import ValueIndex
from askwell.mdl.semantic_model import SemanticModel
from askwell.mdl.validation import read_manifest
from askwell.mdl.view import authorised_view
from askwell.providers.engine.base import Engine
from askwell.providers.engine.factory import create_engine
from askwell.sql.binder import bind
from askwell.sql.bound import BoundSql
from askwell.sql.checker import SqlChecker
from askwell.sql.context import QueryContext
from askwell.sql.fanout import Statement, find_fan_outs
from askwell.sql.guard import Allowed, Guard, GuardPass, GuardRefusal
from askwell.sql.outcome import CheckMode, RejectedSql, ValidSql
from askwell.sql.planner import PlannedSql, Planner
from benchmarks.figures import Figure

DIALECT = "duckdb"
SIZES = (10, 200, 1_000)
CONTEXT = QueryContext(now=datetime(2024, 6, 1, 12, tzinfo=UTC))
# What every group of five models is asked; {n} is the group's number.
QUESTION = "How many orders were placed per customer last month, and what did they pay on average?"
STATEMENTS = {
    "one table": "SELECT status, count(*) AS orders FROM orders_{n} WHERE amount > 10 GROUP BY status ORDER BY 2 DESC",
    "three tables": "SELECT c.name, p.name AS product, sum(l.quantity) AS pieces FROM customers_{n} AS c "
    "JOIN orders_{n} AS o ON o.customer_id = c.id JOIN lines_{n} AS l ON l.order_id = o.id "
    "JOIN products_{n} AS p ON l.product_id = p.id WHERE o.status = 'paid' GROUP BY c.name, p.name LIMIT 10",
    "with": "WITH monthly AS (SELECT customer_id, date_trunc('month', placed_on) AS month, "
    "sum(amount) AS total FROM orders_{n} GROUP BY 1, 2), ranked AS (SELECT *, row_number() OVER (PARTITION BY month "
    "ORDER BY total DESC) AS place FROM monthly) SELECT c.name, r.month, r.total FROM ranked AS r "
    "JOIN customers_{n} AS c ON c.id = r.customer_id WHERE r.place <= 3",
    "field, to one": "SELECT customer_name, count(*) FROM lines_{n} GROUP BY customer_name",
    "field, to many": "SELECT name, revenue, order_count FROM customers_{n} ORDER BY revenue DESC LIMIT 10",
    "a view": "SELECT name, revenue FROM best_{n} WHERE revenue > 100",
    "every column": "SELECT * FROM wide_{n} WHERE c7 > 3",
}
# "rest" is extraction and rendering for people.
PARTS = ("rest", "guard", "bind", "plan", "guard again", "fan-out")


def make_manifest(size: int) -> dict[str, Any]:
    """`size` models in groups of five and a view a group; each group's customers belong to those of the one before."""
    models: list[dict[str, Any]] = []
    relationships: list[dict[str, Any]] = []
    for n in range(size // 5):
        customer, order, line, product = f"customers_{n}", f"orders_{n}", f"lines_{n}", f"products_{n}"
        models += [
            _model(
                customer,
                {"id": "INTEGER", "name": "VARCHAR", "town": "VARCHAR", "parent_id": "INTEGER"},
                handles={"orders": (order, f"order_customer_{n}")},
                calculated={"revenue": "sum(orders.amount)", "order_count": "count(orders.id)"},
            ),
            _model(
                order,
                {
                    "id": "INTEGER",
                    "customer_id": "INTEGER",
                    "status": "VARCHAR",
                    "amount": "DOUBLE",
                    "placed_on": "DATE",
                },
                handles={"customer": (customer, f"order_customer_{n}")},
                calculated={"customer_name": "customer.name"},
            ),
            _model(
                line,
                {"id": "INTEGER", "order_id": "INTEGER", "product_id": "INTEGER", "quantity": "INTEGER"},
                handles={"order": (order, f"line_order_{n}"), "product": (product, f"line_product_{n}")},
                calculated={"customer_name": "order.customer.name"},
            ),
            _model(product, {"id": "INTEGER", "name": "VARCHAR", "price": "DOUBLE"}),
            _model(f"wide_{n}", {"id": "INTEGER"} | {f"c{number}": "INTEGER" for number in range(40)}),
        ]
        links = [
            (f"order_customer_{n}", order, "customer_id", customer),
            (f"line_order_{n}", line, "order_id", order),
            (f"line_product_{n}", line, "product_id", product),
            (f"parent_{n}", customer, "parent_id", f"customers_{max(0, n - 1)}"),
        ]
        relationships += [
            {
                "name": name,
                "models": [many, one],
                "joinType": "MANY_TO_ONE",
                "condition": f"{many}.{column} = {one}.id",
            }
            for name, many, column, one in links
        ]
    views = [
        {"name": f"best_{n}", "statement": f"SELECT name, revenue FROM customers_{n} WHERE order_count > 5"}
        for n in range(size // 5)
    ]
    return {
        "catalog": "bench", "schema": "main", "dataSource": DIALECT.upper(),
        "models": models, "relationships": relationships, "views": views,
    }  # fmt: skip


def _model(
    name: str,
    columns: dict[str, str],
    handles: dict[str, tuple[str, str]] | None = None,
    calculated: dict[str, str] | None = None,
) -> dict[str, Any]:
    written: list[dict[str, Any]] = [{"name": column, "type": kind} for column, kind in columns.items()]
    written += [
        {"name": column, "type": model, "relationship": relationship}
        for column, (model, relationship) in (handles or {}).items()
    ]
    written += [
        {"name": column, "type": "VARCHAR", "isCalculated": True, "expression": expression}
        for column, expression in (calculated or {}).items()
    ]
    return {"name": name, "tableReference": {"table": name}, "primaryKey": "id", "columns": written}


class Watch:
    """Adds up what each part takes while one statement is checked."""

    def start(self) -> None:
        self.seconds = dict.fromkeys(("guard", "plan", "guard again"), 0.0)
        self.planned = False
        self.tree: exp.Expr | None = None


class TimedGuard(Guard):
    """The guard, with its time in front of and behind the planner told apart."""

    def __init__(self, dialect: str, watch: Watch) -> None:
        super().__init__(dialect)
        self._watch = watch

    def check_shape(self, sql: str, allowed: Allowed) -> GuardPass | GuardRefusal:
        started = time.thread_time()
        outcome = super().check_shape(sql, allowed)
        self._watch.seconds["guard"] += time.thread_time() - started
        if isinstance(outcome, GuardPass):
            self._watch.tree = outcome.tree
        return outcome

    def check_tree(self, tree: exp.Expr, allowed: Allowed, *, spelled: bool = True) -> GuardPass | GuardRefusal:
        started = time.thread_time()
        outcome = super().check_tree(tree, allowed, spelled=spelled)
        part = "guard again" if self._watch.planned else "guard"
        self._watch.seconds[part] += time.thread_time() - started
        return outcome


class TimedPlanner(Planner):
    """The planner, timed."""

    watch: Watch

    def plan(self, bound: BoundSql, context: QueryContext) -> PlannedSql | RejectedSql:
        started = time.thread_time()
        outcome = super().plan(bound, context)
        self.watch.seconds["plan"] += time.thread_time() - started
        self.watch.planned = True
        return outcome


def measure(size: int, repeats: int) -> dict[str, Any]:
    """Figures of one size; runs in a process of its own."""
    return asyncio.run(_measure(size, repeats))


async def _measure(size: int, repeats: int) -> dict[str, Any]:
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        duckdb.connect(str(path)).close()
        engine = create_engine("duckdb", path)
        try:
            watch = Watch()
            # What every model needs (libraries, the engine's functions) is loaded by a small one.
            checker, _ = _made(make_manifest(5), engine, watch)
            for sql in STATEMENTS.values():
                await _check(checker, sql.replace("{n}", "0"), watch)
            written = make_manifest(size)
            before = process.memory_info().rss
            started = time.perf_counter()
            checker, model = _made(written, engine, watch)
            built = time.perf_counter() - started
            group = size // 10
            kinds = {name: sql.replace("{n}", str(group)) for name, sql in STATEMENTS.items()}
            started = time.perf_counter()
            await _check(checker, kinds["one table"], watch)
            first = time.perf_counter() - started
            figures = {name: await _repeated(checker, watch, model, sql, repeats) for name, sql in kinds.items()}
            return {
                "models": size,
                "statements": figures,
                "read_ms": built * 1000,
                "first_ms": first * 1000,
                "memory_mb": (process.memory_info().rss - before) / 2**20,
            }
        finally:
            await engine.close()


def _made(written: dict[str, Any], engine: Engine, watch: Watch) -> tuple[SqlChecker, SemanticModel]:
    reading = read_manifest(written)
    assert reading.manifest is not None, reading.problems
    model = authorised_view(reading.manifest, "bench")
    planner = TimedPlanner(model, reading.manifest, DIALECT)
    planner.watch = watch
    return SqlChecker(model, planner, engine, TimedGuard(DIALECT, watch)), model


async def _check(checker: SqlChecker, sql: str, watch: Watch) -> None:
    watch.start()
    outcome = await checker.check(sql, mode=CheckMode.DRY_PLAN, context=CONTEXT, timeout=10)
    assert isinstance(outcome, ValidSql), outcome


async def _repeated(checker: SqlChecker, watch: Watch, model: SemanticModel, sql: str, repeats: int) -> dict[str, Any]:
    for _ in range(10):
        await _check(checker, sql, watch)
    against = QuestionCheck(QUESTION, model, ValueIndex.build({}), date(2026, 11, 28))
    wholes: list[float] = []
    checks: list[float] = []
    parts: dict[str, list[float]] = {part: [] for part in PARTS}
    for _ in range(repeats):
        # Statements over views are planned on another thread: the process's time counts both.
        started = time.process_time()
        await _check(checker, sql, watch)
        wholes.append(time.process_time() - started)
        assert watch.tree is not None
        seconds = dict(watch.seconds)
        started = time.thread_time()
        bound = bind(watch.tree, model, DIALECT)
        seconds["bind"] = time.thread_time() - started
        assert isinstance(bound, BoundSql)
        started = time.thread_time()
        find_fan_outs(Statement.of(bound, model))
        seconds["fan-out"] = time.thread_time() - started
        started = time.thread_time()
        against.findings(bound)
        checks.append(time.thread_time() - started)
        seconds["rest"] = max(0.0, wholes[-1] - sum(seconds.values()))
        for part, taken in seconds.items():
            parts[part].append(taken)
    return {
        "p10_ms": statistics.quantiles(wholes, n=10)[0] * 1000,
        "p50_ms": statistics.median(wholes) * 1000,
        "p95_ms": statistics.quantiles(wholes, n=20)[18] * 1000,
        "check_p50_ms": statistics.median(checks) * 1000,
        "check_p95_ms": statistics.quantiles(checks, n=20)[18] * 1000,
        "parts_ms": {part: statistics.median(taken) * 1000 for part, taken in parts.items()},
    }


def figures(report: dict[str, Any]) -> list[Figure]:
    """The report of one size: whole statements, and the parts of the longest one."""
    size = f"{report['models']:,} tables"
    return [
        *(
            Figure("a statement, before it reaches the database", name, size, one["p50_ms"], one["p95_ms"], "CPU ms")
            for name, one in report["statements"].items()
        ),
        *(
            Figure(
                "a statement, checked against its question",
                name,
                size,
                one["check_p50_ms"],
                one["check_p95_ms"],
                "CPU ms",
            )
            for name, one in report["statements"].items()
        ),
        *(
            Figure("a statement over three tables, by part", part, size, ms, None, "CPU ms")
            for part, ms in report["statements"]["three tables"]["parts_ms"].items()
        ),
    ]


def show(reports: list[dict[str, Any]]) -> None:
    console = Console()
    smallest, largest = reports[0], reports[-1]
    wholes = Table(title="Guard, bind, plan and guard again, warm: ms a statement, p50 / p95, by the model's size")
    wholes.add_column("statement")
    for report in reports:
        wholes.add_column(f"{report['models']:,} models", justify="right")
    wholes.add_column(f"{largest['models']:,} : {smallest['models']:,} (p10)", justify="right")
    for name, figures in smallest["statements"].items():
        # Sizes are measured one after the other: their faster runs tell them apart better than a machine's moods.
        ratio = largest["statements"][name]["p10_ms"] / figures["p10_ms"]
        cells = [f"{r['statements'][name]['p50_ms']:.2f} / {r['statements'][name]['p95_ms']:.2f}" for r in reports]
        wholes.add_row(name, *cells, f"{ratio:.2f}")
    console.print(wholes)
    parts = Table(title=f"By part at {largest['models']:,} models: ms, p50 (rest: extract, render)")
    parts.add_column("statement")
    for part in PARTS:
        parts.add_column(part, justify="right")
    for name, figures in largest["statements"].items():
        parts.add_row(name, *(f"{figures['parts_ms'][part]:.2f}" for part in PARTS))
    console.print(parts)
    for report in reports:
        console.print(
            f"{report['models']:,} models: read and checked in {report['read_ms']:.0f} ms, first statement "
            f"{report['first_ms']:.1f} ms, memory {report['memory_mb']:.1f} MB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--models", type=int, nargs="+", default=SIZES, help="sizes, multiples of 5")
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    reports = []
    for size in chosen.models:
        with ProcessPoolExecutor(1, spawn) as pool:
            reports.append(pool.submit(measure, size, chosen.repeats).result())
    if chosen.json:
        print(json.dumps(reports))
    else:
        show(reports)


if __name__ == "__main__":
    main()
