"""Files that cannot be used, and files that change under a running service: said plainly, and survived."""

# ruff: noqa: ASYNC220, ASYNC240 - a test may block its own event loop, and has to poll other processes.

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from askwell.errors import EngineUnavailable
from askwell.providers.engine.base import EngineLimits
from askwell.providers.engine.factory import create_engine
from tests.providers.engine.conftest import (
    FILE_KINDS,
    SCHEMA,
    SMALL,
    Bench,
    query_processes,
    rows_of,
    until,
    write_database,
)


@pytest.fixture(params=FILE_KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


HOLD_A_LOCK = {
    "duckdb": "import duckdb; c = duckdb.connect({path!r}); c.execute('CREATE TABLE held (i INTEGER)')",
    "sqlite": "import sqlite3; c = sqlite3.connect({path!r}, isolation_level=None); c.execute('BEGIN EXCLUSIVE')",
}


async def refusal(kind: str, path: Path) -> EngineUnavailable:
    """What an engine on that path says, whichever of its methods is called."""
    engine = create_engine(kind, path, SMALL)
    try:
        with pytest.raises(EngineUnavailable) as by_execute:
            await engine.execute("SELECT 1 FROM orders", row_limit=1, timeout=20)
        with pytest.raises(EngineUnavailable) as by_dry_run:
            await engine.dry_run("SELECT 1 FROM orders", timeout=20)
        with pytest.raises(EngineUnavailable) as by_introspection:
            await engine.introspect()
    finally:
        await engine.close()
    assert by_execute.value.message == by_dry_run.value.message == by_introspection.value.message
    assert by_execute.value.hint
    # Clients read these.
    assert str(path.parent) not in by_execute.value.message + by_execute.value.hint
    return by_execute.value


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nowhere.db", "nowhere.db cannot be used. The file does not exist"),
        ("no/such/shop.db", "does not exist"),
        ("", "a directory"),
        ("notes.txt", "is not a"),
    ],
)
async def test_what_is_no_database_is_said(kind: str, tmp_path: Path, place: str, words: str) -> None:
    if place == "notes.txt":
        (tmp_path / place).write_text("not a database " * 1000)
    before = list(tmp_path.iterdir())
    assert words in (await refusal(kind, tmp_path / place)).message
    assert list(tmp_path.iterdir()) == before


async def test_the_other_kind_of_database_is_named(kind: str, tmp_path: Path) -> None:
    other = FILE_KINDS[1 - FILE_KINDS.index(kind)]
    path = write_database(other, tmp_path / "shop.db")

    error = await refusal(kind, path)

    assert {"duckdb": "a DuckDB database", "sqlite": "a SQLite database"}[other] in error.message
    assert "engine" in error.hint


async def test_a_file_cut_short(kind: str, tmp_path: Path) -> None:
    rows = (
        "CREATE TABLE orders AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
        "SELECT i AS id, 'text of row ' || (i * 7919 % 50000) AS t FROM n",
    )
    path = write_database(kind, tmp_path / "shop.db", rows)
    size = path.stat().st_size
    os.truncate(path, size // 3)
    engine = create_engine(kind, path, SMALL)

    with pytest.raises(EngineUnavailable) as caught:
        await engine.execute("SELECT max(t) FROM orders", row_limit=1, timeout=20)

    await engine.close()
    assert "damaged" in caught.value.message


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
async def test_a_file_without_permission(kind: str, bench: Bench) -> None:
    bench.path.chmod(0)

    assert "cannot be read" in (await refusal(kind, bench.path)).message


async def test_a_file_that_another_process_holds_is_reported_and_its_holder_is_logged(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write_database(kind, tmp_path / "shop.db")
    script = HOLD_A_LOCK[kind].format(path=str(path)) + "; print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"

        engine = create_engine(kind, path, SMALL)
        with pytest.raises(EngineUnavailable) as caught:
            await engine.execute("SELECT 1 FROM orders", row_limit=1, timeout=20)

        await engine.close()
        holder.kill()
    said = caught.value.message + caught.value.hint
    assert "Another process has it open" in said
    assert "Close it there" in said
    assert not re.search(rf"{holder.pid}|python|{tmp_path}", said)
    logged = " ".join(str(vars(record)) for record in caplog.records)
    assert f"PID {holder.pid}" in logged
    assert str(path) in logged


async def test_a_locked_file_is_used_as_soon_as_it_is_free(kind: str, bench: Bench) -> None:
    script = HOLD_A_LOCK[kind].format(path=str(bench.path)) + "; print('held', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(EngineUnavailable):
            await bench.engine.execute("SELECT 1 FROM orders", row_limit=1, timeout=20)
        holder.kill()

    assert await bench.value("SELECT count(*) FROM orders") == 3


async def test_a_file_that_vanishes_and_comes_back(bench: Bench) -> None:
    assert await bench.value("SELECT count(*) FROM orders") == 3
    hidden = bench.path.rename(bench.path.with_suffix(".away"))
    with pytest.raises(EngineUnavailable) as caught:
        await bench.engine.execute("SELECT 1", row_limit=1, timeout=20)
    assert "does not exist" in caught.value.message

    hidden.rename(bench.path)

    assert await bench.value("SELECT count(*) FROM orders") == 3


async def test_a_file_that_is_replaced_is_read_anew(kind: str, bench: Bench) -> None:
    assert await bench.value("SELECT count(*) FROM orders") == 3
    more = (*SCHEMA, "INSERT INTO orders VALUES (13, 3, NULL, NULL, 7.0)")
    fresh = write_database(kind, bench.path.with_suffix(".fresh"), more)

    fresh.replace(bench.path)

    assert await bench.value("SELECT count(*) FROM orders") == 4


async def test_others_can_write_once_the_processes_are_idle(kind: str, make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, idle_seconds=0.05))
    assert await bench.value("SELECT count(*) FROM orders") == 3
    await until(lambda: query_processes() == [])

    write_database(kind, bench.path, ("INSERT INTO orders VALUES (13, 3, NULL, NULL, 7.0)",))

    assert await bench.value("SELECT count(*) FROM orders") == 4


async def test_a_cut_off_result_does_not_keep_sqlite_writers_out(tmp_path: Path) -> None:
    path = write_database("sqlite", tmp_path / "shop.db")
    engine = create_engine("sqlite", path, SMALL)
    outcome = await rows_of(engine, "SELECT * FROM orders", row_limit=1)
    assert outcome.truncated

    connection = sqlite3.connect(path, timeout=0)
    connection.execute("INSERT INTO orders VALUES (13, 3, NULL, NULL, 7.0)")
    connection.commit()
    connection.close()

    outcome = await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)
    assert outcome.rows == ((4,),)
    await engine.close()


async def test_sqlite_in_wal_mode_is_read_while_it_is_written(tmp_path: Path) -> None:
    path = write_database("sqlite", tmp_path / "shop.db", ("PRAGMA journal_mode = wal", *SCHEMA))
    engine = create_engine("sqlite", path, SMALL)
    writer = sqlite3.connect(path, isolation_level=None)
    counts = []
    for number in range(3):
        writer.execute("INSERT INTO orders VALUES (?, 1, NULL, NULL, 1.0)", [100 + number])
        outcome = await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)
        counts.append(outcome.rows[0][0])
    writer.close()
    await engine.close()

    assert counts == [4, 5, 6]


async def test_duckdb_changes_not_yet_checkpointed_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    script = (
        f"import duckdb, os; c = duckdb.connect({str(path)!r}); c.execute('CREATE TABLE orders (i INTEGER)'); "
        "c.execute('INSERT INTO orders VALUES (1)'); os._exit(0)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", script)
    await process.wait()
    assert path.with_name("shop.db.wal").exists()
    engine = create_engine("duckdb", path, SMALL)

    outcome = await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)
    assert outcome.rows == ((1,),)
    await engine.close()


async def test_awkward_file_names(kind: str, tmp_path: Path) -> None:
    # DuckDB itself cannot open a path with a question mark; in SQLite's URI it would begin the parameters.
    folder = tmp_path / ("año 100% #1" if kind == "duckdb" else "año 100% #1?x=y&mode=rwc")
    folder.mkdir()
    path = write_database(kind, folder / "my 'shop'.db")
    engine = create_engine(kind, path, SMALL)

    await rows_of(engine, "SELECT count(*) FROM orders", row_limit=1)
    await engine.close()


async def test_what_a_view_of_sqlite_computes_has_the_type_of_what_it_gives(tmp_path: Path) -> None:
    """SQLite declares none. A view that fails, or gives nothing, keeps its columns without a type."""
    views = {
        "sums": "SELECT o.id, sum(o.amount) AS \"the sum\", count(*) AS n, upper('a') AS word, NULL AS absent FROM o",
        "mixed": "SELECT CASE WHEN id = 1 THEN 'a' ELSE id * 1 END AS either, id * 1.0 / 2 AS half FROM o",
        "none": "SELECT id + 1 AS later FROM o WHERE id > 99",
        "broken": "SELECT abs(-9223372036854775807 - id) AS large FROM o",
    }
    statements = ["CREATE TABLE o (id INTEGER PRIMARY KEY, amount REAL)", "INSERT INTO o VALUES (1, 1.5), (2, 2)"]
    statements += [f"CREATE VIEW {name} AS {sql}" for name, sql in views.items()]
    engine = create_engine("sqlite", write_database("sqlite", tmp_path / "shop.db", statements), SMALL)
    try:
        tables = {table.name: table.columns for table in (await engine.introspect()).tables}
    finally:
        await engine.close()
    types = {name: [column.type for column in columns] for name, columns in tables.items()}
    assert types == {
        "o": ["INTEGER", "REAL"],
        "sums": ["INTEGER", "REAL", "INTEGER", "TEXT", ""],
        "mixed": ["", "REAL"],
        "none": [""],
        "broken": [""],
    }
