"""What preparing a model and the parts of an ask cost, by the size of the model: the service's container in a process
of its own, without HTTP. "CPU ms" is that process's processor time, "ms" the time that passes. Asks are measured one at
a time; a few are answered while the model is prepared, as a service would."""

from __future__ import annotations

import asyncio
import itertools
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import psutil

from askwell import parts
from askwell.asks.request import AskRequest
from askwell.cli.serve import SWITCH_SECONDS
from askwell.config import Config, DataSourceConfig, LlmConfig
from askwell.container import Container
from askwell.knowledge.jobs import AcceptedJob
from askwell.knowledge.record import Record
from askwell.pipelines.dag import Dag
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell.providers.embedder.base import Embedder, Vectors
from askwell.services.database import Database
from askwell.services.projects import ProjectModels
from benchmarks import five_nodes
from benchmarks.figures import Figure, figure
from benchmarks.loop_lag import LoopLag
from benchmarks.shop import make_database, make_manifest, model_question, rules_question

_REPEATS = 40
_LABEL = "bench"
# Tables of the model that is asked about while another one is prepared.
_SMALL = 5


def measure(tables: int, api_base: str, models: str) -> list[Figure]:
    """Figures of one size. `api_base` is that of a scripted language model, `models` the folder of the embedder's
    files."""
    sys.setswitchinterval(SWITCH_SECONDS)  # as the service does
    return asyncio.run(_measure(tables, api_base, Path(models)))


async def _measure(tables: int, api_base: str, models: Path) -> list[Figure]:
    size = f"{tables:,} tables"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_database(folder / "bench.sqlite", tables)
        (folder / "home").mkdir()
        (folder / "home" / "models").symlink_to(models)
        config = Config(
            home=folder / "home",
            llm=MappingProxyType({"default": LlmConfig(model="bench", api_base=api_base)}),
            data_sources=MappingProxyType(
                {"default": DataSourceConfig.model_validate({"engine": "sqlite", "path": folder / "bench.sqlite"})}
            ),
        )
        async with _started(config) as container:
            found = [
                *await _preparation(container, size, tables),
                *await _asks(container, size, rules_question, "rules"),
                *await _asks(container, size, model_question, "llm"),
            ]
        return [*found, *await _retrieval(config, size)]


@asynccontextmanager
async def _started(config: Config) -> AsyncIterator[Container]:
    # Stages are timed by this process's processor time: right while one ask runs at a time.
    container = Container(config, clock=time.process_time)
    await container.start()
    try:
        yield container
    finally:
        await container.stop()


async def _preparation(container: Container, size: str, tables: int) -> list[Figure]:
    process, manifest = psutil.Process(), make_manifest(tables)
    await _prepare(container, make_manifest(_SMALL), "small")
    await _ask(container, rules_question(999_999), "rules", "small")
    before, first = process.memory_info().rss, _Stopwatch()
    async with LoopLag() as lag, _asking(container, "small"):
        await _prepare(container, manifest, _LABEL)
    first.stop()
    asked = await _processor_ms(lambda: _ask(container, rules_question(0), "rules"))
    took = (process.memory_info().rss - before) / 2**20
    again = _Stopwatch()
    await _prepare(container, manifest, "again")
    again.stop()
    return [
        figure("preparation", "until finished", size, [first.seconds], "s"),
        figure("preparation", "processor time", size, [first.processor_seconds], "CPU s"),
        figure("preparation", "longest wait of the event loop meanwhile", size, [lag.worst_ms], "ms"),
        figure("preparation", "longest wait, other processes left out", size, [lag.worst_own_ms], "ms"),
        figure("preparation", "longest work of the event loop's own thread", size, [lag.worst_loop_ms], "CPU ms"),
        figure("preparation", "first question after it", size, [asked], "CPU ms"),
        figure("preparation", "memory that it takes", size, [took], "MB"),
        figure("preparation", "of the same model again", size, [again.seconds], "s"),
        figure("preparation", "of the same model again, processor time", size, [again.processor_seconds], "CPU s"),
    ]


async def _prepare(container: Container, manifest: Mapping[str, Any], label: str) -> None:
    await container.preparation.start("default", manifest, label)
    while (status := await container.preparation.status("default", label))["status"] == "indexing":
        await asyncio.sleep(0.02)
    assert status["status"] == "finished", status


@asynccontextmanager
async def _asking(container: Container, label: str) -> AsyncIterator[None]:
    """Somebody asks twice a second."""

    async def ask() -> None:
        for number in itertools.count(1_000_000):
            await _ask(container, rules_question(number), "rules", label)
            await asyncio.sleep(0.5)

    asking = asyncio.create_task(ask())
    try:
        yield
    finally:
        asking.cancel()
        await asyncio.wait([asking])


class _Stopwatch:
    """Counts from when it is made until it is stopped."""

    def __init__(self) -> None:
        self._began, self._worked = time.perf_counter(), time.process_time()
        self.seconds = self.processor_seconds = 0.0

    def stop(self) -> None:
        self.seconds = time.perf_counter() - self._began
        self.processor_seconds = time.process_time() - self._worked


class _Known:
    """An embedder that has embedded the questions before: what is left is what retrieval itself takes."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self.identity, self.dimension = embedder.identity, embedder.dimension

    async def learn(self, texts: Sequence[str]) -> None:
        self._vectors |= dict(zip(texts, await self._embedder.embed(texts), strict=True))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if all(text in self._vectors for text in texts):
            return np.stack([self._vectors[text] for text in texts])
        return await self._embedder.embed(texts)

    async def close(self) -> None:
        await self._embedder.close()


async def _retrieval(config: Config, size: str) -> list[Figure]:
    """After a start: making the model ready from the record, then a question's whole retrieval but its embedding."""
    async with AsyncExitStack() as closing:
        record = await Record.open("sqlite", config.home)
        closing.push_async_callback(record.close)
        embedder = _Known(await parts.embedder(config))
        closing.push_async_callback(embedder.close)
        store = parts.document_store(config)
        closing.push_async_callback(store.close)
        engine = parts.engine(config.data_sources["default"])
        closing.push_async_callback(engine.close)
        batch = config.settings.column_indexing_batch_size
        indexing = Indexing(store, embedder, record.embeddings, column_indexing_batch_size=batch)
        retrieval = Retrieval(indexing, record.saved, config.settings)
        start = _Stopwatch()
        project = await ProjectModels(record, lambda _: Database(engine)).get("default", _LABEL)
        assert project is not None
        await retrieval.warm(project)
        start.stop()
        questions = [model_question(number) for number in range(_REPEATS + 5)]
        await embedder.learn(questions)
        values = [await _processor_ms(partial(retrieval.run, project, question)) for question in questions]
    return [
        figure("retrieval", "a question, besides embedding", size, values[5:], "CPU ms"),
        figure("retrieval", "model and index made ready after a start", size, [start.seconds], "s"),
        figure("retrieval", "the same, processor time", size, [start.processor_seconds], "CPU s"),
    ]


async def _asks(container: Container, size: str, question: Callable[[int], str], source: str) -> list[Figure]:
    """A whole ask and its stages, when rules or the model answer."""
    await _ask(container, question(0), source)
    wholes, waits, stages = [], [], dict[str, list[float]]()
    for n in range(1, _REPEATS + 1):
        cpu, started = time.process_time(), time.perf_counter()
        result = await _ask(container, question(n), source)
        wholes.append((time.process_time() - cpu) * 1000)
        waits.append((time.perf_counter() - started) * 1000)
        for timing in result["timings"]:
            stages.setdefault(timing["stage"], []).append(timing["ms"])
    group = "an ask, answered by " + ("rules" if source == "rules" else "a model that answers at once")
    return [
        *(figure(group, stage, size, values, "CPU ms") for stage, values in stages.items()),
        figure(group, "all of it", size, wholes, "CPU ms"),
        figure(group, "from acceptance to end", size, waits, "ms"),
    ]


async def _ask(container: Container, question: str, source: str, label: str = _LABEL) -> Mapping[str, Any]:
    ask_id = await container.asks.start(AskRequest(query=question, mdl_hash=label))
    result: Mapping[str, Any] = {}
    async for event in await container.asks.events(ask_id):
        result = event.data if event.kind in ("done", "error") else result
    assert (result.get("status"), result.get("sql_source")) == ("finished", source), result
    return result


# -- parts that do not depend on the model -------------------------------------------------------------------------


def measure_small(models: str) -> list[Figure]:
    """What an ask does several times: embedding a text, a dry run, writing it down, running a pipeline."""
    return asyncio.run(_measure_small(Path(models)))


async def _measure_small(models: Path) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "models").symlink_to(models)
        started = time.perf_counter()
        embedder = await parts.embedder(Config(home=home))
        loaded = time.perf_counter() - started
        try:
            return [
                figure("parts", "loading MiniLM", "", [loaded], "s"),
                await _embedding(embedder),
                await _dry_run(home),
                *await _record(home),
                await _dag(),
            ]
        finally:
            await embedder.close()


async def _embedding(embedder: Embedder) -> Figure:
    numbers = iter(range(1_000))
    return await _repeated("embedding a question (MiniLM)", lambda: embedder.embed([model_question(next(numbers))]))


async def _dry_run(home: Path) -> Figure:
    make_database(home / "bench.sqlite")
    source = DataSourceConfig.model_validate({"engine": "sqlite", "path": home / "bench.sqlite"})
    engine = parts.engine(source)
    try:
        sql = "SELECT c.customer_name, {n} FROM customer c JOIN purchase p ON p.customer_id = c.id GROUP BY 1"
        numbers = iter(range(1_000))
        return await _repeated(
            "a dry run in a SQLite process",
            lambda: engine.dry_run(sql.format(n=next(numbers)), timeout=10),
            wait=True,
        )
    finally:
        await engine.close()


async def _record(home: Path) -> list[Figure]:
    record = await Record.open("sqlite", home)
    written: list[str] = []

    async def accept() -> None:
        written.append(uuid.uuid4().hex)
        request = AskRequest(query=rules_question(1)).to_json()
        await record.jobs.accept(AcceptedJob(written[-1], "ask", "default", request, None, "hash", datetime.now(UTC)))

    async def end() -> None:
        await record.jobs.end(written.pop(), "finished", {"result": {"status": "finished"}, "text": ""})

    try:
        return [
            await _repeated("record: an ask accepted, on the disk", accept, wait=True),
            await _repeated("record: an ask ended, on the disk", end, wait=True),
        ]
    finally:
        await record.close()


async def _dag() -> Figure:
    dag: Dag[Any] = Dag(five_nodes, result=five_nodes.fifth)
    return await _repeated("a pipeline of five nodes", lambda: dag.run(start=0))


async def _repeated(part: str, call: Callable[[], Awaitable[Any]], *, wait: bool = False) -> Figure:
    """`wait`: the time that passes, where the work is another process's or the disk's."""
    clock = time.perf_counter if wait else time.process_time
    for _ in range(5):
        await call()
    values = []
    for _ in range(_REPEATS if wait else _REPEATS * 2):
        started = clock()
        await call()
        values.append((clock() - started) * 1000)
    return figure("parts", part, "", values, "ms" if wait else "CPU ms")


async def _processor_ms(call: Callable[[], Awaitable[Any]]) -> float:
    started = time.process_time()
    await call()
    return (time.process_time() - started) * 1000
