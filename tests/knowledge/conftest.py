"""A record of its own for each test: in a file, and in a throw-away schema of a PostgreSQL server where there is one.

That server is at `ASKWELL_TEST_POSTGRESQL`, else on this machine; a driver (psycopg) has to be installed.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from askwell.knowledge.record import Record

POSTGRESQL = os.environ.get("ASKWELL_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres")


@pytest.fixture(params=["sqlite", "postgresql"])
async def record(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Record]:
    if request.param == "sqlite":
        opened = await Record.open("sqlite", tmp_path)
        yield opened
        await opened.close()
        return
    async with throw_away_schema() as url:
        opened = await Record.open(url, tmp_path)
        yield opened
        await opened.close()


@pytest.fixture
async def postgresql() -> AsyncIterator[str]:
    """The address of an empty place for a record on a PostgreSQL server."""
    async with throw_away_schema() as url:
        yield url


@asynccontextmanager
async def throw_away_schema() -> AsyncIterator[str]:
    """The address of a schema of its own, which is dropped afterwards."""
    psycopg = pytest.importorskip("psycopg", reason="no PostgreSQL driver (psycopg) is installed")
    try:
        connection = await asyncio.to_thread(psycopg.connect, POSTGRESQL, autocommit=True, connect_timeout=2)
    except psycopg.OperationalError:
        pytest.skip(f"no PostgreSQL server answers at {POSTGRESQL.rpartition('@')[2]}")
    name = f"askwell_test_{uuid.uuid4().hex[:12]}"
    connection.execute(f"CREATE SCHEMA {name}")
    try:
        separator = "&" if "?" in POSTGRESQL else "?"
        driver = POSTGRESQL.replace("postgresql://", "postgresql+psycopg://", 1)
        yield f"{driver}{separator}options=-csearch_path%3D{name}"
    finally:
        connection.execute(f"DROP SCHEMA {name} CASCADE")
        connection.close()
