"""Statements that pass the guard because only limits can stop them: do they end in time, and is the next one fine?"""

from __future__ import annotations

import sqlite3
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from sqlalchemy import URL, BigInteger, Column, MetaData, NullPool, String, Table, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.types import TypeEngine

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import Engine, EngineLimits, QueryFailure, QueryTerms
from askwell.providers.engine.file_engine import FileEngine
from askwell.providers.engine.sqlalchemy_engine import SQLAlchemyEngine, server_address

TIME_LIMIT = 2.0
GRACE = 1.0
_LIMITS = EngineLimits(pool_size=1, memory_mb=256)
_ROWS = 1_000
_EMBEDDED = ("duckdb", "sqlite")
# A model lists columns without types, so a statement that does not fit numbers is tried on texts.
_SERVER_TYPES: tuple[TypeEngine[Any], ...] = (BigInteger(), String(40))
_COLUMN_TYPES = ("BIGINT", "TEXT")

Tables = Mapping[str, Sequence[str]]


async def run_limits(
    passed: Sequence[Mapping[str, str]], tables: Tables, *, servers: Sequence[str] = ()
) -> dict[str, Any]:
    """Run statements that passed the guard, `{dialect, sql, rendered}`, on throw-away databases with `tables`. Those
    that `ended` did so within `TIME_LIMIT` + `GRACE` seconds, by rows or by an error, and the next statement was
    answered; `overran` did not. `not_run` are those of servers that are not named.

    `servers` are URLs of servers on which databases may be created; they are dropped again. Raises
    `ConfigurationError` for a URL that cannot be used, `EngineUnavailable` for a server that cannot.
    """
    urls = {server_address(url).vendor.dialect: url for url in servers}
    ended = 0
    overran: list[dict[str, str]] = []
    not_run: list[dict[str, str]] = []
    for dialect in dict.fromkeys(item["dialect"] for item in passed):
        mine = [item for item in passed if item["dialect"] == dialect]
        if dialect not in _EMBEDDED and dialect not in urls:
            not_run += [{"dialect": dialect, "sql": item["sql"]} for item in mine]
            continue
        made = _files(dialect, tables) if dialect in _EMBEDDED else _on_server(urls[dialect], tables)
        async with made as engines:
            for item in mine:
                why = await _overruns(engines, item["rendered"], frozenset(name.lower() for name in tables))
                ended += not why
                overran += [{"dialect": dialect, "sql": item["sql"], "why": why}] if why else []
    return {"ended": ended, "overran": overran, "not_run": not_run}


async def _overruns(engines: Sequence[Engine], sql: str, tables: frozenset[str]) -> str:
    """What went wrong, in words; empty where the statement ended in time and the next one was answered."""
    for engine in engines:
        started = time.monotonic()
        outcome = await engine.execute(sql, row_limit=1_000, timeout=TIME_LIMIT, terms=QueryTerms(tables))
        seconds = time.monotonic() - started
        if seconds > TIME_LIMIT + GRACE:
            return f"it took {seconds:.1f} seconds"
        if isinstance(await engine.execute("SELECT 1", row_limit=1, timeout=TIME_LIMIT + GRACE), QueryFailure):
            return "the next statement was not answered"
        if not (isinstance(outcome, QueryFailure) and outcome.kind == "error"):
            break
    return ""


@asynccontextmanager
async def _files(dialect: str, tables: Tables) -> AsyncIterator[list[Engine]]:
    """Engines on the same tables with columns of numbers and of texts."""
    with tempfile.TemporaryDirectory() as folder:
        engines: list[Engine] = []
        for number, column_type in enumerate(_COLUMN_TYPES):
            # The catalog of a DuckDB file is its name; `memory` is what people write.
            path = Path(folder) / str(number) / f"memory.{dialect}"
            path.parent.mkdir()
            _write(dialect, path, tables, column_type)
            engines.append(FileEngine(dialect, path, _LIMITS))
        try:
            yield engines
        finally:
            for engine in engines:
                await engine.close()


@asynccontextmanager
async def _on_server(url: str, tables: Tables) -> AsyncIterator[list[Engine]]:
    """The same in databases of their own on a server."""
    address = server_address(url)
    admin = create_engine(address.url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    engines: list[Engine] = []
    created: list[str] = []
    try:
        for column_type in _SERVER_TYPES:
            name = f"askwell_limits_{uuid.uuid4().hex[:12]}"
            with admin.connect() as connection:
                connection.execute(text(f"CREATE DATABASE {name}"))
            created.append(name)
            own = address.url.set(database=name)
            _fill(own, tables, column_type)
            engines.append(SQLAlchemyEngine(own.render_as_string(hide_password=False), _LIMITS))
        yield engines
    except SQLAlchemyError as error:
        raise EngineUnavailable(
            f"No throw-away database could be made on {address.url.host}: {type(error).__name__}.",
            "Give --server a user who may create databases.",
        ) from None
    finally:
        for engine in engines:
            await engine.close()
        for name in created:
            with admin.connect() as connection:
                connection.execute(text(f"DROP DATABASE {name}"))


def _fill(url: URL, tables: Tables, column_type: TypeEngine[Any]) -> None:
    engine, metadata = create_engine(url, poolclass=NullPool), MetaData()
    filled = [Table(name, metadata, *(Column(column, column_type) for column in tables[name])) for name in tables]
    metadata.create_all(engine)
    with engine.begin() as connection:
        for table in filled:
            as_text = isinstance(column_type, String)
            numbers = range(1, _ROWS + 1)
            rows = [{column.name: str(n) if as_text else n for column in table.columns} for n in numbers]
            connection.execute(table.insert(), rows)


def _write(dialect: str, path: Path, tables: Tables, column_type: str) -> None:
    """`_ROWS` rows a table; every column of a row holds the row's number."""
    statements = []
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {_ROWS})"
    for name, columns in tables.items():
        typed = ", ".join(f"{_quoted(column)} {column_type}" for column in columns)
        statements.append(f"CREATE TABLE {_quoted(name)} ({typed})")
        statements.append(f"INSERT INTO {_quoted(name)} {numbers} SELECT {', '.join(['i'] * len(columns))} FROM n")
    if dialect == "duckdb":
        import duckdb

        with duckdb.connect(str(path)) as connection:
            connection.execute(";\n".join(statements))
    else:
        with closing(sqlite3.connect(path)) as lite:
            lite.executescript(";\n".join(statements))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
