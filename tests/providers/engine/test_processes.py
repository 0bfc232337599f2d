"""The processes behind an engine: they end on time, with their query, with their idleness, and with the service."""

# ruff: noqa: ASYNC220, ASYNC240 - a test may block its own event loop, and has to poll other processes.

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from askwell.child_process.pool import ChildKind, ChildPool
from askwell.errors import EngineUnavailable, Unavailable
from askwell.messages import say
from askwell.providers.engine.base import EngineLimits, QueryFailure, QueryRows
from tests.providers.engine.conftest import ENDLESS, SMALL, Bench, query_processes, until
from tests.support.tables import case_table

HUNGRY = case_table(__file__, "hungry")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("kind", "sql"), [(kind, sql) for kind, queries in HUNGRY.items() for sql in queries], indirect=["kind"]
)
async def test_a_hungry_query_ends_within_its_limits(make: Callable[..., Bench], sql: str) -> None:
    bench = make()
    assert await bench.value("SELECT count(*) FROM orders") == 3
    peak = 0
    began = time.monotonic()
    query = asyncio.create_task(bench.engine.execute(sql, row_limit=10, timeout=0.5))
    while not query.done():
        peak = max(peak, *(_resident_mib(process) for process in query_processes()), 0)
        await asyncio.sleep(0.005)

    outcome = await query
    # On a quiet machine within a second of the limit; no statement ends by itself before a minute is over.
    assert time.monotonic() - began < 20
    assert isinstance(outcome, QueryFailure)
    # PostgreSQL has no repeat() for numbers that large.
    assert outcome.kind in ("timeout", "resources") or "does not exist" in outcome.message
    await until(lambda: bench.running() == [])
    assert peak < 2 * SMALL.memory_mb + 100
    assert await bench.value("SELECT count(*) FROM orders") == 3


async def test_cancelling_ends_the_query_itself(bench: Bench) -> None:
    query = asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=60))
    await until(bench.is_at_work)
    (process,) = query_processes()

    query.cancel()
    with pytest.raises(asyncio.CancelledError):
        await query

    await until(lambda: not process.is_running() and bench.running() == [])
    assert await bench.value("SELECT count(*) FROM orders") == 3


async def test_cancelling_while_a_process_starts_leaves_none(bench: Bench) -> None:
    for delay in (0, 0.001, 0.005, 0.02):
        query = asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=15))
        await asyncio.sleep(delay)
        query.cancel()
        await asyncio.gather(query, return_exceptions=True)

    await until(lambda: query_processes() == [])
    assert await bench.value("SELECT 1") == 1


@pytest.mark.deep
async def test_an_idle_process_that_was_killed_is_replaced_unnoticed(bench: Bench) -> None:
    assert await bench.value("SELECT 1") == 1
    for _ in range(5):
        for process in query_processes():
            process.send_signal(signal.SIGKILL)
        assert await bench.value("SELECT count(*) FROM orders") == 3


@pytest.mark.deep
async def test_a_query_whose_process_is_killed_is_tried_once_more_and_then_given_up(bench: Bench) -> None:
    query = asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=10))
    killed: set[int] = set()
    while not query.done():
        for process in query_processes():
            if process.pid not in killed and process.status() != psutil.STATUS_ZOMBIE:
                killed.add(process.pid)
                await asyncio.sleep(0.2)
                process.send_signal(signal.SIGKILL)
        await asyncio.sleep(0.01)

    outcome = await query
    assert isinstance(outcome, QueryFailure)
    assert outcome.kind == "resources"
    assert len(killed) == 2
    assert await bench.value("SELECT 1") == 1


@pytest.mark.deep
async def test_an_idle_process_lets_go_of_the_file(make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, idle_seconds=0.05))
    assert await bench.value("SELECT count(*) FROM orders") == 3

    await until(lambda: query_processes() == [])

    assert await bench.value("SELECT count(*) FROM orders") == 3


@pytest.mark.deep
async def test_processes_in_use_are_not_reaped(make: Callable[..., Bench]) -> None:
    bench = make(EngineLimits(memory_mb=128, idle_seconds=0.3))
    pids = set()
    for _ in range(8):
        assert await bench.value("SELECT 1") == 1
        pids |= {process.pid for process in query_processes()}
        await asyncio.sleep(0.1)

    assert len(pids) == 1


async def test_closing_ends_what_is_running(bench: Bench) -> None:
    queries = [asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=15)) for _ in range(2)]
    await until(lambda: len(query_processes()) == 2)

    await bench.engine.close()

    assert query_processes() == []
    # No verdict on the statements, and no cancelled task that nobody cancelled.
    outcomes = await asyncio.gather(*queries, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [EngineUnavailable, EngineUnavailable]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
async def test_a_query_process_knows_no_secret_of_the_service(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("ASKWELL_LLM__DEFAULT__API_KEY", "sk-secret")
    assert await bench.value("SELECT 1") == 1
    (process,) = query_processes()

    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    command = Path(f"/proc/{process.pid}/cmdline").read_bytes()

    assert b"sk-secret" not in environment + command
    assert b"ASKWELL" not in environment


SERVICE_THAT_IS_KILLED = """
import asyncio, sys
from pathlib import Path
from askwell.providers.engine.factory import create_engine, create_server_engine

async def main():
    kind, place, sql, busy, timeout = sys.argv[1:]
    engine = create_engine(kind, Path(place)) if kind in ("duckdb", "sqlite") else create_server_engine(place)
    await engine.execute("SELECT 1", row_limit=1, timeout=20)
    tasks = [asyncio.create_task(engine.execute(sql, row_limit=1, timeout=float(timeout)))] * int(busy)
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize("busy", [0, pytest.param(1, marks=pytest.mark.deep)])
async def test_no_process_outlives_a_killed_service(bench: Bench, busy: int) -> None:
    place = bench.server.url if bench.server is not None else str(bench.path)
    # MariaDB does not notice that nobody waits any more: there the statement's own limit has to end it.
    timeout = "4" if bench.kind == "mariadb" else "600"
    arguments = [sys.executable, "-c", SERVICE_THAT_IS_KILLED, bench.kind, place, ENDLESS, str(busy), timeout]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"ready\n"
        children = psutil.Process(service.pid).children(recursive=True)
        assert len(children) == 1
        if busy:
            await until(lambda: children[0].cpu_times().user > 0.3 if bench.server is None else bench.is_at_work())

        os.kill(service.pid, signal.SIGKILL)

    # A statement of an earlier test may still run on MariaDB: its process was killed before it could kill that.
    await until(lambda: not any(_is_running(child) for child in children) and (not busy or bench.running() == []))


def _is_running(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


def _resident_mib(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss) // 2**20
    except psutil.NoSuchProcess:
        return 0


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["duckdb"], indirect=True)
async def test_waiting_for_the_queries_of_others_takes_nothing_of_ones_own_time(make: Callable[..., Bench]) -> None:
    bench = make(replace(SMALL, pool_size=1))
    long = asyncio.create_task(bench.engine.execute(ENDLESS, row_limit=1, timeout=60))
    await until(bench.is_at_work)
    cheap = asyncio.create_task(bench.engine.execute("SELECT 1", row_limit=1, timeout=1.5))
    await asyncio.sleep(1.6)
    long.cancel()

    assert isinstance(await cheap, QueryRows)


async def test_a_pool_that_stays_busy_says_so() -> None:
    pool = ChildPool(ChildKind("askwell.providers.engine.worker.child", "to run queries in", size=0))
    busy = say("processes.busy", purpose="to run queries in", seconds=0.01, hint="Try again later.")
    with pytest.raises(Unavailable) as raised:
        await pool.ask({}, 1, longest_wait=0.01)
    assert (raised.value.message, raised.value.hint) == busy
    await pool.close()
