"""What docs/sizing.md says: memory of each process, processor time of an ask, and how the record grows.

    python -m benchmarks.sizing [--asks N]

Processor time is what counts on a machine that others use too: asks a second on one core are 1,000 ms by it.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import sqlite3
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.asks import POLL_SECONDS, Service, export_embedder, prepare, scripted_model, service
from benchmarks.shop import make_database, model_question, rules_question

# Who asks at once, and how many asks come before anything is measured.
_LEVEL, _FIRST = 16, 32
KINDS: Mapping[str, Mapping[str, Any]] = {
    "by rules": {"query": rules_question},
    "by rules, with rows": {"query": rules_question, "execute": True},
    "by a language model": {"query": model_question},
    "by a language model, with rows": {"query": model_question, "execute": True},
}


def main() -> None:
    parser = argparse.ArgumentParser(description="What a service needs, for docs/sizing.md.")
    parser.add_argument("--asks", type=int, default=1_000, help="of each kind")
    asyncio.run(_measure(parser.parse_args().asks))


async def _measure(total: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_database(folder / "bench.sqlite")
        await export_embedder(folder / "home")
        async with scripted_model(folder) as api_base, aiohttp.ClientSession() as session:
            async with service(folder, api_base, "minilm", by_part=False) as running:
                print(f"ready: {running.memory_mb()[0]:.0f} MB, {running.cpu_seconds():.1f} s of processor time")
                await prepare(session, running.url)
                print(f"with a model: {_memory(running)}")
                for kind, body in KINDS.items():
                    await _asked(session, running, body, _FIRST, begin=0)
                    before, cpu, children = _record(folder), running.cpu_seconds(), running.children_cpu_seconds()
                    await _asked(session, running, body, total, begin=1_000)
                    own = (running.cpu_seconds() - cpu) / total * 1000
                    queries = (running.children_cpu_seconds() - children) / total * 1000
                    grown = (_record(folder) - before) / total
                    print(f"{kind}: {own:.1f} ms + {queries:.1f} ms in query processes; {grown:,.0f} bytes an ask")
                    print(f"  after it: {_memory(running)}")
                async with session.get(f"{running.url}/v1/projects/default/archive?with_asks=true") as response:
                    print(f"an archive of all that: {_sizes(await response.read())}")


async def _asked(
    session: aiohttp.ClientSession, running: Service, body: Mapping[str, Any], total: int, begin: int
) -> None:
    numbers = iter(range(begin, begin + total))

    async def worker() -> None:
        for number in numbers:
            await _ask(session, running.url, {**body, "query": body["query"](number)})

    await asyncio.gather(*(worker() for _ in range(_LEVEL)))


async def _ask(session: aiohttp.ClientSession, url: str, body: Mapping[str, Any]) -> None:
    async with session.post(f"{url}/v1/asks", json=body) as response:
        assert response.status == 202, await response.text()
        ask_id = (await response.json())["query_id"]
    while True:
        await asyncio.sleep(POLL_SECONDS[16])
        async with session.get(f"{url}/v1/asks/{ask_id}/result") as response:
            status = (await response.json())["status"]
        if status in ("finished", "failed"):
            assert status == "finished", await response.text()
            return


def _sizes(archive: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        unpacked = sum(one.file_size for one in found.infolist())
    return f"{len(archive):,} bytes, {unpacked:,} unpacked"


def _memory(running: Service) -> str:
    own, children = running.memory_mb()
    return f"{own:.0f} MB, and {len(children)} more processes of {sum(children):.0f} MB together"


def _record(folder: Path) -> int:
    """The bytes of all pages that are filled."""
    with sqlite3.connect(folder / "home" / "record.sqlite") as connection:
        connection.execute("PRAGMA wal_checkpoint")
        pages = (
            connection.execute("PRAGMA page_count").fetchone()[0]
            - connection.execute("PRAGMA freelist_count").fetchone()[0]
        )
        return int(pages * connection.execute("PRAGMA page_size").fetchone()[0])


if __name__ == "__main__":
    main()
