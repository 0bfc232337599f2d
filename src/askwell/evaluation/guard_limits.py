"""Statements that pass the guard because only limits can stop them: do they end in time, and is the next one fine?"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askwell.providers.engine.base import Engine, QueryFailure
from askwell.providers.engine.duckdb_engine import DuckDBEngine
from askwell.providers.engine.limits import EngineLimits
from askwell.providers.engine.sqlite_engine import SQLiteEngine

TIME_LIMIT = 2.0
GRACE = 1.0
_MEMORY_MB = 256
_ROWS = 1_000
_EMBEDDED: dict[str, type[DuckDBEngine] | type[SQLiteEngine]] = {"duckdb": DuckDBEngine, "sqlite": SQLiteEngine}
# A model lists columns without types, so a statement that does not fit numbers is tried on texts.
_COLUMN_TYPES = {"duckdb": ("BIGINT", "VARCHAR"), "sqlite": ("INTEGER", "TEXT")}

Tables = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class LimitFigures:
    """`ended` within `TIME_LIMIT` + `GRACE` seconds, by rows or by an error, and the next statement was answered;
    `overran` did not. `not_run` are those of databases that are not in this process's reach."""

    attacks: int
    refused: int
    ended: int
    overran: tuple[dict[str, str], ...]
    not_run: tuple[dict[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        """One object, JSON-ready."""
        return {
            "attacks": self.attacks,
            "refused": self.refused,
            "ended": self.ended,
            "overran": list(self.overran),
            "not_run": list(self.not_run),
        }


async def run_limits(passed: Sequence[Mapping[str, str]], tables: Tables, *, refused: int) -> LimitFigures:
    """Run statements that passed the guard, `{dialect, sql, rendered}`, on throw-away databases with `tables`.

    `refused` is how many others did not pass.
    """
    ended = 0
    overran: list[dict[str, str]] = []
    not_run: list[dict[str, str]] = []
    for dialect in dict.fromkeys(item["dialect"] for item in passed):
        mine = [item for item in passed if item["dialect"] == dialect]
        if dialect not in _EMBEDDED:
            not_run += [{"dialect": dialect, "sql": item["sql"]} for item in mine]
            continue
        async with _databases(dialect, tables) as engines:
            for item in mine:
                why = await _overruns(engines, item["rendered"], frozenset(name.lower() for name in tables))
                if why:
                    overran.append({"dialect": dialect, "sql": item["sql"], "why": why})
                else:
                    ended += 1
    return LimitFigures(len(passed) + refused, refused, ended, tuple(overran), tuple(not_run))


async def _overruns(engines: Sequence[Engine], sql: str, tables: frozenset[str]) -> str:
    """What went wrong, in words; empty where the statement ended in time and the next one was answered."""
    for engine in engines:
        started = time.monotonic()
        outcome = await engine.execute(sql, row_limit=1_000, timeout=TIME_LIMIT, tables=tables)
        seconds = time.monotonic() - started
        if seconds > TIME_LIMIT + GRACE:
            return f"it took {seconds:.1f} seconds"
        if isinstance(await engine.execute("SELECT 1", row_limit=1, timeout=TIME_LIMIT + GRACE), QueryFailure):
            return "the next statement was not answered"
        if not (isinstance(outcome, QueryFailure) and outcome.kind == "error"):
            break
    return ""


@asynccontextmanager
async def _databases(dialect: str, tables: Tables) -> AsyncIterator[list[Engine]]:
    """Engines on the same tables with columns of numbers and of texts."""
    limits = EngineLimits(pool_size=1, memory_mb=_MEMORY_MB)
    with tempfile.TemporaryDirectory() as folder:
        engines: list[Engine] = []
        for number, column_type in enumerate(_COLUMN_TYPES[dialect]):
            # The catalog of a DuckDB file is its name; `memory` is what people write.
            path = Path(folder) / str(number) / f"memory.{dialect}"
            path.parent.mkdir()
            _write(dialect, path, tables, column_type)
            engines.append(_EMBEDDED[dialect](path, limits))
        try:
            yield engines
        finally:
            for engine in engines:
                await engine.close()


def _write(dialect: str, path: Path, tables: Tables, column_type: str) -> None:
    """`_ROWS` rows a table; every column of a row holds the row's number."""
    statements = []
    for name, columns in tables.items():
        typed = ", ".join(f"{_quoted(column)} {column_type}" for column in columns)
        numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {_ROWS})"
        values = ", ".join(["i"] * len(columns))
        statements.append(f"CREATE TABLE {_quoted(name)} ({typed})")
        statements.append(f"INSERT INTO {_quoted(name)} {numbers} SELECT {values} FROM n")
    script = ";\n".join(statements)
    if dialect == "duckdb":
        import duckdb

        with duckdb.connect(str(path)) as connection:
            connection.execute(script)
    else:
        lite = sqlite3.connect(path)
        try:
            lite.executescript(script)
        finally:
            lite.close()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
