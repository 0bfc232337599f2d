"""A record on PostgreSQL, a Redis, and as many processes or services on both as a test wants."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.redis_server import RedisServer, redis_server
from tests.support.servers import ServerDatabase, new_postgresql
from tests.support.service import write_config

Configure = Callable[..., Path]


@pytest.fixture
async def redis() -> AsyncIterator[RedisServer]:
    async with redis_server() as server:
        yield server


@pytest.fixture
def record() -> Iterator[ServerDatabase]:
    database = new_postgresql()
    yield database
    database.drop()


@pytest.fixture
def configure(tmp_path: Path, redis: RedisServer, record: ServerDatabase) -> Configure:
    """Writes the configuration of one process; `jobs` stands beside the Redis, and `knowledge` in place of the record's
    own address."""

    def write(name: str, *, jobs: dict[str, Any] | None = None, **options: Any) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        shared = {"knowledge": {"url": record.url}, "jobs": {"redis": redis.url, **(jobs or {})}}
        return write_config(folder, **{**shared, **options})

    return write
