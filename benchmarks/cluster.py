"""Several processes on one PostgreSQL and one Redis: what is accepted, lost and doubled while they are killed.

    python -m benchmarks.cluster [--workers N] [--asks N] [--at-once N] [--kill-every SECONDS] [--namespaces N]
                                 [--delay SECONDS] [--polls N]

Clients ask at one process and poll at any; every ask makes three calls of a scripted language model, which waits
`--delay` seconds with each answer. With `--kill-every` a process is killed (-9) so often, and started again. With
`--namespaces` the processes live in network namespaces of their own (root, `ip` and `socat` are needed). PostgreSQL is
that of ASKWELL_TEST_POSTGRESQL; the Redis is started here.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import yaml
from rich.console import Console
from sqlalchemy.engine import make_url

from benchmarks.asks import prepare
from benchmarks.shop import SCRIPT, make_database, model_question
from tests.support.redis_server import redis_server
from tests.support.servers import ServerDatabase, new_postgresql

ENDS = ("finished", "failed", "stopped")
_NETWORK = "10.77"
_LATE = 90.0


@dataclass
class Place:
    """Where a process runs: the addresses of the model, of PostgreSQL and of Redis as it sees them, and what goes in
    front of its command."""

    host: str
    servers: str
    prefix: Sequence[str] = ()


@dataclass
class Worker:
    """One process, which is killed and started again."""

    number: int
    place: Place
    config: Path
    port: int
    process: asyncio.subprocess.Process | None = None
    cpu: float = 0.0

    @property
    def url(self) -> str:
        return f"http://{self.place.host}:{self.port}"

    async def start(self) -> None:
        log = (self.config.parent / f"{self.number}.log").open("ab")
        self.process = await asyncio.create_subprocess_exec(
            *self.place.prefix, sys.executable, "-m", "askwell", "serve", "--config", str(self.config),
            "--host", self.place.host, "--port", str(self.port), stdout=log, stderr=log,
        )  # fmt: skip

    async def ready(self, session: aiohttp.ClientSession) -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                async with session.get(f"{self.url}/health/ready") as response:
                    if response.status == 200:
                        return
            await asyncio.sleep(0.1)
        raise SystemExit((self.config.parent / f"{self.number}.log").read_text()[-2_000:])

    async def kill(self) -> None:
        assert self.process is not None
        self._count()
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                child.kill()
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    def _count(self) -> None:
        with contextlib.suppress(psutil.Error):
            family = [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]  # type: ignore[union-attr]
            self.cpu += sum(sum(one.cpu_times()[:2]) for one in family)


@dataclass
class Seen:
    """What clients saw."""

    accepted: dict[str, float] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    polls: Counter[int] = field(default_factory=Counter)
    refused: Counter[int] = field(default_factory=Counter)
    other_ends: list[str] = field(default_factory=list)
    backwards: int = 0
    kills: int = 0


@asynccontextmanager
async def places(count: int, ports: Sequence[int]) -> AsyncIterator[list[Place]]:
    """Network namespaces, each with a way to the servers at `ports` of this machine's loopback."""
    if not count:
        yield [Place("127.0.0.1", "127.0.0.1")]
        return
    made, forwarders = [], []
    try:
        for number in range(1, count + 1):
            name, here, there = f"askwell{number}", f"{_NETWORK}.{number}.1", f"{_NETWORK}.{number}.2"
            await _run("ip", "netns", "add", name)
            made.append(name)
            await _run("ip", "link", "add", f"ask{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            await _run("ip", "addr", "add", f"{here}/24", "dev", f"ask{number}")
            await _run("ip", "link", "set", f"ask{number}", "up")
            for words in (
                ("addr", "add", f"{there}/24", "dev", "eth0"),
                ("link", "set", "eth0", "up"),
                ("link", "set", "lo", "up"),
            ):
                await _run("ip", "-n", name, *words)
            for port in ports:
                listening = f"TCP-LISTEN:{port},bind={here},fork,reuseaddr"
                forwarder = await asyncio.create_subprocess_exec("socat", listening, f"TCP:127.0.0.1:{port}")
                forwarders.append(forwarder)
        yield [
            Place(f"{_NETWORK}.{number}.2", f"{_NETWORK}.{number}.1", ("ip", "netns", "exec", f"askwell{number}"))
            for number in range(1, count + 1)
        ]
    finally:
        for forwarder in forwarders:
            forwarder.kill()
        for name in made:
            await _run("ip", "netns", "delete", name)


async def _run(*words: str) -> None:
    process = await asyncio.create_subprocess_exec(*words)
    assert await process.wait() == 0, " ".join(words)


@asynccontextmanager
async def scripted_model(folder: Path, delay: float) -> AsyncIterator[int]:
    scripted: dict[str, list[dict[str, Any]]] = SCRIPT["stages"]
    stages = {name: [answer | {"delay": delay} for answer in answers] for name, answers in scripted.items()}
    script = folder / "script.json"
    script.write_text(json.dumps({"stages": stages}))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.openai_server", "--script", str(script), "--port", "0",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield make_url(json.loads(await process.stdout.readline())["api_base"]).port or 0
    finally:
        process.terminate()
        await process.wait()


def configured(folder: Path, number: int, place: Place, record: ServerDatabase, redis: int, model: int) -> Path:
    here = make_url(record.url).set(host=place.servers).render_as_string(hide_password=False)
    home = folder / f"home{number}"
    home.mkdir()
    config = home / "config.yaml"
    sections: dict[str, Any] = {
        "home": str(home),
        "server": {"allowed_hosts": ["*"]},
        "sign_in": {"open": True},
        "llm": {"default": {"provider": "openai", "model": "bench", "api_base": f"http://{place.servers}:{model}/v1"}},
        "embedder": {"default": {"provider": "none"}},
        "knowledge": {"url": here},
        "jobs": {"redis": f"redis://{place.servers}:{redis}/0"},
        "data_sources": {"default": {"engine": "sqlite", "path": str(folder / "bench.sqlite"), "shared": True}},
        "projects": "open",
    }
    config.write_text(yaml.safe_dump(sections))
    return config


async def client(session: aiohttp.ClientSession, workers: Sequence[Worker], numbers: Any, seen: Seen) -> None:
    rng = random.Random()
    for number in numbers:
        query = {"query": model_question(number)}
        key = {"Idempotency-Key": f"ask-{number}"}
        while True:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                async with session.post(f"{rng.choice(workers).url}/v1/asks", json=query, headers=key) as response:
                    if response.status == 202:
                        ask_id = (await response.json())["query_id"]
                        break
                    seen.refused[response.status] += 1
            await asyncio.sleep(0.05)
        began = seen.accepted[ask_id] = time.monotonic()
        while time.monotonic() < began + _LATE:
            await asyncio.sleep(0.1)
            status = await poll(session, rng.choice(workers), ask_id, seen)
            if status in ENDS:
                seen.seconds.append(time.monotonic() - began)
                break


async def poll(session: aiohttp.ClientSession, worker: Worker, ask_id: str, seen: Seen) -> str | None:
    with contextlib.suppress(aiohttp.ClientError, TimeoutError):
        async with session.get(f"{worker.url}/v1/asks/{ask_id}/result") as response:
            seen.polls[response.status] += 1
            if response.status != 200:
                return None
            result = await response.json()
            told = json.dumps(result, sort_keys=True)
            if result["status"] in ENDS:
                if seen.ends.setdefault(ask_id, told) != told:
                    seen.other_ends.append(ask_id)
            elif ask_id in seen.ends:
                seen.backwards += 1
            return str(result["status"])
    return None


async def killing(session: aiohttp.ClientSession, workers: Sequence[Worker], every: float, seen: Seen) -> None:
    rng = random.Random(7)
    while True:
        await asyncio.sleep(every)
        worker = rng.choice(workers)
        await worker.kill()
        seen.kills += 1
        await worker.start()


async def measured(options: argparse.Namespace) -> dict[str, Any]:
    seen = Seen()
    record = new_postgresql()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_database(folder / "bench.sqlite")
        async with AsyncExitStack() as stack:
            redis = await stack.enter_async_context(redis_server())
            model = await stack.enter_async_context(scripted_model(folder, options.delay))
            ports = (make_url(record.url).port or 5432, redis.port, model)
            where = await stack.enter_async_context(places(options.namespaces, ports))
            workers = []
            for number in range(options.workers):
                place = where[number % len(where)]
                config = configured(folder, number, place, record, redis.port, model)
                workers.append(Worker(number, place, config, free_port() if len(where) == 1 else 6000 + number))
            session = await stack.enter_async_context(
                aiohttp.ClientSession(
                    timeout=aiohttp.ClientTimeout(total=20), connector=aiohttp.TCPConnector(limit=256)
                )
            )
            try:
                for worker in workers:
                    await worker.start()
                for worker in workers:
                    await worker.ready(session)
                await prepare(session, workers[0].url)
                numbers = iter(range(options.asks))
                began = time.monotonic()
                killer = (
                    asyncio.create_task(killing(session, workers, options.kill_every, seen))
                    if options.kill_every
                    else None
                )
                await asyncio.gather(*(client(session, workers, numbers, seen) for _ in range(options.at_once)))
                took = time.monotonic() - began
                if killer is not None:
                    killer.cancel()
                for worker in workers:
                    await worker.ready(session)
                # Ended ones, from everywhere: the same for all.
                ids = list(seen.accepted)
                while sum(seen.polls.values()) < options.polls:
                    await asyncio.gather(
                        *(poll(session, random.choice(workers), random.choice(ids), seen) for _ in range(64))
                    )
                for worker in workers:
                    await worker.kill()
            finally:
                for worker in workers:
                    if worker.process is not None and worker.process.returncode is None:
                        worker.process.kill()
            rows = record.ask("SELECT count(*), count(finished_at), max(attempts) FROM jobs WHERE kind = 'ask'")[0]
            failed = record.ask("SELECT count(*) FROM jobs WHERE kind = 'ask' AND status <> 'finished'")[0][0]
            broken = Counter(
                json.loads(told)["error"]["message"][:80]
                for told in seen.ends.values()
                if '"failed"' in told and "error" in json.loads(told) and json.loads(told)["error"]
            )
    record.drop()
    seconds = sorted(seen.seconds)
    return {
        "workers": options.workers,
        "accepted": len(seen.accepted),
        "in the record": rows[0],
        "lost": len(seen.accepted) - len(seen.ends),
        "doubled": len(set(seen.other_ends)) + rows[0] - len(seen.accepted),
        "not finished": failed,
        "why": dict(broken),
        "most attempts": rows[2],
        "polls": dict(seen.polls),
        "refused": dict(seen.refused),
        "back from an end": seen.backwards,
        "kills": seen.kills,
        "asks/s": round(len(seen.accepted) / took, 1),
        "CPU ms an ask": round(sum(worker.cpu for worker in workers) / max(1, len(seen.accepted)) * 1000, 1),
        "seconds p50": round(seconds[len(seconds) // 2], 2) if seconds else None,
        "seconds p99": round(seconds[int(len(seconds) * 0.99)], 2) if seconds else None,
    }


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--asks", type=int, default=2_000)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--kill-every", type=float, default=0.0)
    parser.add_argument("--namespaces", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--polls", type=int, default=0)
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    Console().print_json(json.dumps(asyncio.run(measured(parser.parse_args()))))


if __name__ == "__main__":
    main()
