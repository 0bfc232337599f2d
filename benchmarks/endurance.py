"""One web process with many readers and pollers, and a service that is asked all day.

    python -m benchmarks.endurance readers [--readers 500] [--pollers 500] [--workers 1]
    python -m benchmarks.endurance soak [--minutes 20] [--at-once 8]

`readers`: event streams and pollers at a process that takes requests alone, of asks that a worker does; milliseconds of
a poll, and memory. `soak`: asks, polls, streams and stops without a pause at two processes whose results are forgotten
after `ask_ttl` of a minute; memory, open files and connections of each process over time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import yaml
from rich.console import Console

from benchmarks.asks import prepare
from benchmarks.cluster import ENDS, Place, Worker, configured, free_port, scripted_model
from benchmarks.shop import make_database, model_question, rules_question
from tests.support.redis_server import redis_server
from tests.support.servers import new_postgresql


async def started(
    stack: AsyncExitStack, folder: Path, count: int, delay: float, *, works_everywhere: bool, **settings: Any
) -> list[Worker]:
    """Processes on a record of their own; the first one takes requests alone unless all work."""
    record = new_postgresql()
    stack.callback(record.drop)
    make_database(folder / "bench.sqlite")
    redis = await stack.enter_async_context(redis_server())
    model = await stack.enter_async_context(scripted_model(folder, delay))
    workers = []
    for number in range(count):
        config = configured(folder, number, Place("127.0.0.1", "127.0.0.1"), record, redis.port, model)
        data = yaml.safe_load(config.read_text())
        data["settings"] = settings
        data["jobs"]["work"] = works_everywhere or number > 0
        config.write_text(yaml.safe_dump(data))
        worker = Worker(number, Place("127.0.0.1", "127.0.0.1"), config, free_port())
        await worker.start()
        stack.push_async_callback(worker.kill)
        workers.append(worker)
    return workers


class Crowd:
    """Those who read and poll one process while somebody asks it every two seconds."""

    def __init__(self, web: Worker, session: aiohttp.ClientSession) -> None:
        assert web.process is not None
        self._process = psutil.Process(web.process.pid)
        self._url = f"{web.url}/v1/asks"
        self._session = session
        self._asks: list[str] = []
        self._over = asyncio.Event()
        self.polled: list[float] = []
        self.wrong: list[int] = []
        self.before = self.peak = self._megabytes()

    async def asking(self, count: int) -> None:
        for number in range(count):
            body = {"query": model_question(number)}
            async with self._session.post(self._url, json=body) as response:
                if response.status == 202:
                    self._asks.append((await response.json())["query_id"])
            await asyncio.sleep(2)
        await asyncio.sleep(3)
        self._over.set()

    async def reading(self) -> None:
        """Follow the latest ask to its end, then the next."""
        while not self._over.is_set():
            if not self._asks:
                await asyncio.sleep(0.1)
                continue
            async with self._session.get(f"{self._url}/{self._asks[-1]}/events") as response:
                text = await response.text()
            if response.status != 200 or "event: done" not in text:
                self.wrong.append(response.status)

    async def polling(self) -> None:
        """Poll one of the last twenty asks every second."""
        while not self._over.is_set():
            if not self._asks:
                await asyncio.sleep(0.1)
                continue
            began = time.perf_counter()
            async with self._session.get(f"{self._url}/{random.choice(self._asks[-20:])}/result") as response:
                await response.read()
            if response.status != 200:
                self.wrong.append(response.status)
            self.polled.append(time.perf_counter() - began)
            await asyncio.sleep(1)

    async def watching(self) -> None:
        while not self._over.is_set():
            self.peak = max(self.peak, self._megabytes())
            await asyncio.sleep(0.5)

    def _megabytes(self) -> float:
        return float(self._process.memory_info().rss / 2**20)


async def readers(options: argparse.Namespace) -> dict[str, Any]:
    """Everybody follows asks that go on, each for a while."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        web, *workers = await started(stack, folder, 1 + options.workers, 0.3, works_everywhere=False)
        limit = aiohttp.TCPConnector(limit=0)
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=limit))
        for one in (web, *workers):
            await one.ready(session)
        await prepare(session, web.url)
        crowd = Crowd(web, session)
        await asyncio.gather(
            crowd.asking(options.asks),
            crowd.watching(),
            *(crowd.reading() for _ in range(options.readers)),
            *(crowd.polling() for _ in range(options.pollers)),
        )
    polled = sorted(crowd.polled)
    return {
        "readers": options.readers,
        "pollers": options.pollers,
        "polls": len(polled),
        "poll p50 ms": round(polled[len(polled) // 2] * 1000, 1),
        "poll p99 ms": round(polled[int(len(polled) * 0.99)] * 1000, 1),
        "wrong": len(crowd.wrong),
        "MB before": round(crowd.before),
        "MB at most": round(crowd.peak),
    }


async def soak(options: argparse.Namespace) -> dict[str, Any]:
    """Figures of each process at the quarters of the time."""
    told: list[dict[str, Any]] = []
    ended = 0
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        workers = await started(stack, folder, 2, 0.05, works_everywhere=True, ask_ttl=60)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        for one in workers:
            await one.ready(session)
        await prepare(session, workers[0].url)
        deadline = time.monotonic() + options.minutes * 60

        async def client(seed: int) -> None:
            nonlocal ended
            rng = random.Random(seed)
            while time.monotonic() < deadline:
                with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                    question = rng.choice((model_question, rules_question))(rng.randrange(10_000))
                    body = {"query": question, "execute": rng.random() < 0.5}
                    async with session.post(f"{rng.choice(workers).url}/v1/asks", json=body) as response:
                        ask = (await response.json()).get("query_id")
                    if ask is None:
                        await asyncio.sleep(0.2)
                    elif rng.random() < 0.3:
                        async with session.get(f"{rng.choice(workers).url}/v1/asks/{ask}/events") as response:
                            await response.text()
                        ended += 1
                    elif rng.random() < 0.1:
                        stop, url = {"status": "stopped"}, f"{rng.choice(workers).url}/v1/asks/{ask}"
                        async with session.patch(url, json=stop) as response:
                            await response.read()
                    else:
                        while True:
                            async with session.get(f"{rng.choice(workers).url}/v1/asks/{ask}/result") as response:
                                if (await response.json()).get("status") in (*ENDS, None):
                                    break
                            await asyncio.sleep(0.1)
                        ended += 1

        async def watching() -> None:
            while (left := deadline - time.monotonic()) > 0:
                processes = [psutil.Process(one.process.pid) for one in workers if one.process is not None]
                told.append(
                    {
                        "minute": round(options.minutes - left / 60, 1),
                        "MB": [round(one.memory_info().rss / 2**20) for one in processes],
                        "files": [one.num_fds() for one in processes],
                        "connections": [len(one.net_connections()) for one in processes],
                        "threads": [one.num_threads() for one in processes],
                    }
                )
                await asyncio.sleep(min(left, options.minutes * 60 / 12))

        await asyncio.gather(watching(), *(client(seed) for seed in range(options.at_once)))
    return {"asks ended": ended, "over time": told}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("readers", "soak"))
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--pollers", type=int, default=500)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--asks", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--at-once", type=int, default=8)
    options = parser.parse_args()
    Console().print_json(json.dumps(asyncio.run({"readers": readers, "soak": soak}[options.what](options))))


if __name__ == "__main__":
    main()
