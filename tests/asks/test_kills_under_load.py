"""kill -9 again and again under many clients: what was accepted ends, and an end that was told stays as it was."""

from __future__ import annotations

import asyncio
import random
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.knowledge.conftest import throw_away_schema
from tests.support.cuts import cut_again_and_again
from tests.support.service import ENDS, Client, ServiceProcess, service_process, write_config

QUESTION = {"query": "How many customers are there?", "execute": True}
ROUNDS, CLIENTS = 20, 30
LOAD_SECONDS = (0.3, 1.2)


class Load:
    """Clients that ask and poll until the service is gone. `accepted` are the ids that they were given, `ends` the
    results that they saw."""

    def __init__(self) -> None:
        self.accepted: set[str] = set()
        self.ends: dict[str, dict[str, Any]] = {}

    async def one(self, service: Client) -> None:
        try:
            while True:
                key = {"Idempotency-Key": uuid.uuid4().hex}
                status, answer = await service.call("POST", "/v1/asks", json=QUESTION, headers=key)
                if status != 202:
                    await asyncio.sleep(0.1)
                    continue
                self.accepted.add(answer["query_id"])
                while (result := await service.result(answer["query_id"]))["status"] not in ENDS:
                    await asyncio.sleep(0.01)
                self.ends[answer["query_id"]] = result
        except aiohttp.ClientError:
            return


@asynccontextmanager
async def killed_again_and_again(
    process: ServiceProcess, service: Client, rounds: int
) -> AsyncIterator[tuple[Load, dict[str, dict[str, Any]]]]:
    """What clients were told, and how all of it ended in the end."""
    load, told, rng = Load(), {}, random.Random(11)
    for _ in range(rounds):
        clients = [asyncio.create_task(load.one(service)) for _ in range(CLIENTS)]
        await asyncio.sleep(rng.uniform(*LOAD_SECONDS))
        await process.kill()
        await asyncio.gather(*clients)
        await process.start()
        for ask in load.accepted - told.keys():
            told[ask] = await service.end(ask, within=60)
    yield load, {ask: await service.result(ask) for ask in told}


async def check(process: ServiceProcess, service: Client, rounds: int, name: str) -> None:
    async with killed_again_and_again(process, service, rounds) as (load, kept):
        lost = load.accepted - kept.keys()
        failed = [result["error"] for result in kept.values() if result["status"] != "finished"]
        twice = [ask for ask, result in load.ends.items() if kept.get(ask) != result]
        figures = f"{rounds} kills, accepted {len(load.accepted)}, lost {len(lost)}, ended twice {len(twice)}"
        sys.stderr.write(f"\n{name}: {figures}\n")
        assert len(load.accepted) > rounds
        assert (lost, failed, twice) == (set(), [], [])


@pytest.mark.deep
async def test_kills_lose_nothing_of_a_record_in_a_file(tmp_path: Path) -> None:
    async with service_process(write_config(tmp_path)) as (process, service):
        await service.prepare()
        await check(process, service, ROUNDS, "file")


@pytest.mark.deep
async def test_kills_and_cut_connections_lose_nothing_of_a_record_on_a_server(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(throw_away_schema())
        config = write_config(tmp_path, knowledge={"url": url})
        process, service = await stack.enter_async_context(service_process(config))
        await service.prepare()
        await stack.enter_async_context(cut_again_and_again(url, lambda: process.pid))
        await check(process, service, ROUNDS, "server")
