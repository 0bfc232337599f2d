"""A PostgreSQL server that cuts a service's connections again and again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy.engine import make_url

CUT_SECONDS = 0.15
_END = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = %s"


@asynccontextmanager
async def cut_again_and_again(url: str, process: Callable[[], int] = os.getpid) -> AsyncIterator[list[int]]:
    """Ends all connections of a process to its record at `url`, and goes on doing so; the list grows by how many there
    were."""
    import psycopg

    address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    cuts: list[int] = []

    async def cut() -> None:
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
            while True:
                await asyncio.sleep(CUT_SECONDS)
                name = f"askwell {socket.gethostname()[:32]} {process()}"
                ended = await connection.execute(_END, (name,))
                cuts.append((await ended.fetchall())[0][0])

    task = asyncio.create_task(cut())
    try:
        yield cuts
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
