"""The services over a record, a tiny shop and an embedder that counts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from askwell.config import Settings
from askwell.errors import ConfigurationError
from askwell.jobs.engine import JobEngine
from askwell.jobs.runner import JobRunner
from askwell.jobs.status_store import MemoryStatusStore
from askwell.knowledge.record import Record
from askwell.observability.tracing import Tracing
from askwell.pipelines.indexing.indexing import Indexing
from askwell.pipelines.retrieval.retrieval import Retrieval
from askwell.providers.document_store.memory import MemoryDocumentStore
from askwell.providers.embedder.base import Embedder
from askwell.providers.engine.base import Engine, EngineLimits
from askwell.providers.engine.factory import create_engine
from askwell.services.database import Database
from askwell.services.knowledge import Knowledge
from askwell.services.projects import ProjectModel, ProjectModels
from askwell.services.semantics_preparation import SemanticsPreparation
from askwell.services.value_sampling import SamplingBounds
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder


@dataclass
class Desk:
    """Everything that is wired in the container, for one home folder."""

    record: Record
    runner: JobRunner
    jobs: JobEngine
    engine: Engine
    store: MemoryDocumentStore
    indexing: Indexing
    projects: ProjectModels
    preparation: SemanticsPreparation
    knowledge: Knowledge
    retrieval: Retrieval

    async def ended(self, look: Callable[[], Awaitable[Mapping[str, Any]]]) -> Mapping[str, Any]:
        """The status once it is neither indexing nor deleting."""
        async with asyncio.timeout(20):
            while (status := await look())["status"] in ("indexing", "deleting"):
                await asyncio.sleep(0.005)
        return {name: value for name, value in status.items() if name != "trace_id"}

    async def model(self, label: str | None = None, project_id: str = "default") -> ProjectModel:
        """The project's model, which there has to be."""
        project = await self.projects.get(project_id, label)
        assert project is not None
        return project

    async def prepare(self, mdl: Any, label: str = "m1", project_id: str = "default") -> Mapping[str, Any]:
        """Send a model and wait for the end of its preparation."""
        assert await self.preparation.start(project_id, mdl, label) == label
        return await self.ended(lambda: self.preparation.status(project_id, label))


@asynccontextmanager
async def open_desk(folder: Path, embedder: Embedder, engine: Engine | None = None) -> AsyncIterator[Desk]:
    """A desk over `folder`, closed at the end. A second one over the same folder is a restart."""
    database = folder / "shop.sqlite"
    if not database.exists():
        tiny_shop.make_database(database)
    record = await Record.open("sqlite", folder / "home")
    runner = JobRunner(concurrency=2, queue_size=100)
    engine = engine or create_engine("sqlite", database, EngineLimits(pool_size=1))
    store = MemoryDocumentStore()
    indexing = Indexing(store, embedder, record.embeddings)

    def database_for(project_id: str) -> Database:
        if project_id == "homeless":
            raise ConfigurationError("Project homeless has no database.", "Give it one.")
        return Database(engine)

    projects = ProjectModels(record, database_for)
    jobs = JobEngine(record, MemoryStatusStore(3600), runner, Tracing())
    preparation = SemanticsPreparation(projects, indexing, jobs, bounds=SamplingBounds())
    knowledge = Knowledge(record, projects, indexing, jobs)
    retrieval = Retrieval(indexing, record.saved, Settings())
    try:
        yield Desk(record, runner, jobs, engine, store, indexing, projects, preparation, knowledge, retrieval)
    finally:
        await runner.drain(0)
        await indexing.close()
        await engine.close()
        await record.close()


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
async def desk(tmp_path: Path, embedder: CountingEmbedder) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path, embedder) as opened:
        yield opened
