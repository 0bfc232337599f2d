"""What an ask costs: processor time by part, asks a second, start to ready, memory of the service and its children.

    python -m benchmarks.asks [--embedder minilm|none|openai] [--asks N] [--json]

A scripted language model that answers at once runs as a process of its own, the service as another, and this one is the
client. The database has 20 tables of 20 columns; settings are the defaults, so that an ask makes one model call
(what is asked, plan, SQL) and one dry run. Machines are noisy: compare the figures of one run with each other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import yaml
from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure, figure
from benchmarks.shop import SCRIPT, make_database, make_manifest, model_question

# A client that waits for one answer polls more eagerly than one of many.
POLL_SECONDS = {1: 0.01, 16: 0.05, 64: 0.05}
LEVELS = (1, 16, 64)


async def export_embedder(home: Path) -> None:
    """What `make install` does once."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "askwell.providers.embedder.minilm_export",
        env=os.environ | {"ASKWELL_HOME": str(home)}, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert await process.wait() == 0


@dataclass
class Service:
    """The service process under measurement."""

    process: psutil.Process
    url: str
    ready_seconds: float

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def children_cpu_seconds(self) -> float:
        return float(sum(sum(child.cpu_times()[:2]) for child in self.process.children(recursive=True)))

    def memory_mb(self) -> tuple[float, list[float]]:
        children = [child.memory_info().rss / 2**20 for child in self.process.children(recursive=True)]
        return self.process.memory_info().rss / 2**20, children


@asynccontextmanager
async def scripted_model(folder: Path) -> AsyncIterator[str]:
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.openai_server", "--script", str(script), "--port", "0",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield json.loads(await process.stdout.readline())["api_base"]
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def service(folder: Path, api_base: str, embedder: str, *, by_part: bool) -> AsyncIterator[Service]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "config.yaml"
    embedding: dict[str, Any] = {"provider": embedder}
    if embedder == "openai":
        embedding |= {"model": "bench", "api_base": api_base, "dimensions": 384}
    config.write_text(
        yaml.safe_dump(
            {
                "home": str(folder / "home"),
                "server": {"port": port},
                "llm": {"default": {"provider": "openai", "model": "bench", "api_base": api_base}},
                "embedder": {"default": embedding},
                "data_sources": {"default": {"engine": "sqlite", "path": str(folder / "bench.sqlite")}},
            }
        )
    )
    command = ["benchmarks.asks", "--serve"] if by_part else ["askwell", "serve", "--config"]
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *command,
        str(config),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        async with aiohttp.ClientSession() as session, asyncio.timeout(60):
            while not await _ready(session, url):
                await asyncio.sleep(0.01)
        yield Service(psutil.Process(process.pid), url, time.perf_counter() - started)
    finally:
        process.terminate()
        await process.wait()


async def _ready(session: aiohttp.ClientSession, url: str) -> bool:
    try:
        async with session.get(f"{url}/health/ready") as response:
            return response.status == 200
    except aiohttp.ClientError:
        return False


async def prepare(session: aiohttp.ClientSession, url: str) -> float:
    """Prepare the model; the seconds it took."""
    started = time.perf_counter()
    body = {"mdl": json.dumps(make_manifest()), "mdl_hash": "bench"}
    async with session.post(f"{url}/v1/semantics-preparations", json=body) as response:
        assert response.status == 202, await response.text()
    while True:
        async with session.get(f"{url}/v1/semantics-preparations/bench/status") as response:
            answer = await response.json()
        if answer["status"] == "finished":
            return time.perf_counter() - started
        assert answer["status"] == "indexing", answer
        await asyncio.sleep(0.02)


async def ask(session: aiohttp.ClientSession, url: str, number: int, level: int = 1) -> dict[str, Any]:
    async with session.post(f"{url}/v1/asks", json={"query": model_question(number)}) as response:
        assert response.status == 202, await response.text()
        ask_id = (await response.json())["query_id"]
    while True:
        await asyncio.sleep(POLL_SECONDS[level])
        async with session.get(f"{url}/v1/asks/{ask_id}/result") as response:
            result: dict[str, Any] = await response.json()
        if result["status"] in ("finished", "failed", "stopped"):
            assert (result["status"], result.get("sql_source")) == ("finished", "llm"), result
            return result


async def load(session: aiohttp.ClientSession, running: Service, level: int, total: int) -> dict[str, float]:
    """`total` asks, `level` at a time."""
    numbers = iter(range(level * 100_000, level * 100_000 + total))

    async def worker() -> None:
        for number in numbers:
            await ask(session, running.url, number, level)

    cpu, children, started = running.cpu_seconds(), running.children_cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(level)))
    elapsed = time.perf_counter() - started
    return {
        "asks_per_s": total / elapsed,
        "cpu_ms": (running.cpu_seconds() - cpu) / total * 1000,
        "children_cpu_ms": (running.children_cpu_seconds() - children) / total * 1000,
    }


async def requests(session: aiohttp.ClientSession, running: Service, total: int = 400) -> tuple[float, float]:
    """The service's processor time for a poll, and for a POST of an ask that it knows already, in milliseconds."""
    body, key = {"query": model_question(999_999_999)}, {"Idempotency-Key": "bench"}

    async def post() -> str:
        async with session.post(f"{running.url}/v1/asks", json=body, headers=key) as response:
            return str((await response.json())["query_id"])

    async def poll() -> str:
        async with session.get(f"{running.url}/v1/asks/{ask_id}/result") as response:
            return str((await response.json())["status"])

    ask_id = await post()
    while await poll() != "finished":
        await asyncio.sleep(0.01)
    taken = []
    for call in (poll, post):
        cpu = running.cpu_seconds()
        for _ in range(total):
            await call()
        taken.append((running.cpu_seconds() - cpu) / total * 1000)
    return taken[0], taken[1]


async def measure(embedder: str, total: int) -> dict[str, Any]:
    report: dict[str, Any] = {"embedder": embedder}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_database(folder / "bench.sqlite")
        await export_embedder(folder / "home")
        async with scripted_model(folder) as api_base, aiohttp.ClientSession() as session:
            async with service(folder, api_base, embedder, by_part=False) as running:
                report["ready_s"] = running.ready_seconds
                report["ready_cpu_s"], report["idle_mb"] = running.cpu_seconds(), running.memory_mb()[0]
                report["prepare_s"] = await prepare(session, running.url)
                for number in range(20):
                    await ask(session, running.url, number)
                for level in LEVELS:
                    report[f"at_{level}"] = await load(
                        session, running, level, max(total // 4 if level == 1 else total, level)
                    )
                report["poll_ms"], report["post_ms"] = await requests(session, running)
                report["service_mb"], report["children_mb"] = running.memory_mb()
            async with service(folder, api_base, embedder, by_part=True) as running:
                report["restart_ready_s"] = running.ready_seconds
                for number in range(20):
                    await ask(session, running.url, number)
                cpu = running.cpu_seconds()
                results = [await ask(session, running.url, 1_000 + number) for number in range(total // 4)]
                whole = (running.cpu_seconds() - cpu) / len(results) * 1000
    parts = {
        entry["stage"]: statistics.median(
            part["ms"] for result in results for part in result["timings"] if part["stage"] == entry["stage"]
        )
        for entry in results[0]["timings"]
    }
    report["cpu_ms_by_part"] = parts | {"http, record, rest": whole - sum(parts.values())}
    report["cpu_ms_one_at_a_time"] = whole
    return report


def figures(report: dict[str, Any]) -> list[Figure]:
    """The report as figures; those of a load are means."""
    found = [
        figure("service", "start to ready, the first time on a home", "", [report["ready_s"]], "s"),
        figure("service", "start to ready, again", "", [report["restart_ready_s"]], "s"),
        figure("service", "start to ready, processor time", "", [report["ready_cpu_s"]], "CPU s"),
        figure("service", "memory when ready", "", [report["idle_mb"]], "MB"),
        figure("service", "memory after the load", "", [report["service_mb"]], "MB"),
        figure("service", "memory of its query processes", "", [sum(report["children_mb"])], "MB"),
        figure("service", "a poll", "", [report["poll_ms"]], "CPU ms"),
        figure("service", "a POST of a known ask", "", [report["post_ms"]], "CPU ms"),
    ]
    for level in LEVELS:
        load, size = report[f"at_{level}"], f"{level} at once"
        group = "asks over HTTP, answered by a model"
        found += [
            figure(group, "asks a second", size, [load["asks_per_s"]], ""),
            figure(group, "an ask, with its polls", size, [load["cpu_ms"]], "CPU ms"),
            figure(group, "an ask, in query processes", size, [load["children_cpu_ms"]], "CPU ms"),
        ]
    return found


def show(report: dict[str, Any]) -> None:
    console = Console()
    parts = Table(title=f"Processor time of an ask, one at a time (embedder: {report['embedder']})")
    parts.add_column("part")
    parts.add_column("ms", justify="right")
    for part, ms in report["cpu_ms_by_part"].items():
        parts.add_row(part, f"{ms:.1f}")
    parts.add_row("[bold]all", f"[bold]{report['cpu_ms_one_at_a_time']:.1f}")
    console.print(parts)
    loads = Table(title="Under load")
    for heading in ("at a time", "asks/s", "CPU ms an ask", "children's CPU ms"):
        loads.add_column(heading, justify="right")
    for level in LEVELS:
        figures = report[f"at_{level}"]
        loads.add_row(
            str(level),
            f"{figures['asks_per_s']:.1f}",
            f"{figures['cpu_ms']:.1f}",
            f"{figures['children_cpu_ms']:.1f}",
        )
    console.print(loads)
    children = ", ".join(f"{mb:.0f}" for mb in report["children_mb"])
    console.print(
        f"start to ready {report['ready_s']:.1f} s (again {report['restart_ready_s']:.1f} s) · "
        f"first preparation {report['prepare_s']:.1f} s · "
        f"memory: service {report['service_mb']:.0f} MB, children {children} MB"
    )


def serve_by_part(config_path: Path) -> None:
    """The same service, with stages timed by the process's processor time: right while one ask runs at a time."""
    import uvicorn

    from askwell.config import load_config
    from askwell.container import Container
    from askwell.web.app import create_app

    config = load_config(config_path, dict(os.environ))
    container = Container(config, clock=time.process_time)
    uvicorn.run(
        create_app(container, config.server), host=config.server.host, port=config.server.port, log_level="error"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--embedder", default="minilm", choices=["minilm", "none", "openai"])
    parser.add_argument("--asks", type=int, default=320)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        serve_by_part(chosen.serve)
        return
    report = asyncio.run(measure(chosen.embedder, chosen.asks))
    show(report)
    if chosen.json:
        print(json.dumps(report))


if __name__ == "__main__":
    main()
