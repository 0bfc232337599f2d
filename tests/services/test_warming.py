"""After a start the current models are ready before anybody asks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from askwell.providers.embedder.base import Vectors
from askwell.services.housekeeping import Warming
from tests.services.conftest import Desk, open_desk
from tests.support import tiny_shop
from tests.support.counting_embedder import CountingEmbedder

QUESTION = "How many orders are there?"


async def until_embedded(embedder: CountingEmbedder, many: int) -> None:
    async with asyncio.timeout(10):
        while len(embedder.texts) < many:
            await asyncio.sleep(0.005)


async def until_indexed(desk: Desk, project_id: str = "default") -> None:
    project = await desk.model(project_id=project_id)
    await desk.indexing.model_section(project_id, project.model)


async def test_an_index_for_another_embedder_is_built_before_the_first_question(tmp_path: Path) -> None:
    old = CountingEmbedder("old")
    async with open_desk(tmp_path, old) as desk:
        for project_id in ("default", "other"):
            await desk.prepare(tiny_shop.manifest(), "m1", project_id)
    texts = set(old.texts)
    new = CountingEmbedder("new", dimension=32)
    async with open_desk(tmp_path, new) as desk:
        warming = Warming(desk.record, desk.projects, desk.retrieval)
        warming.start()
        await until_embedded(new, len(texts))
        for project_id in ("default", "other"):
            await until_indexed(desk, project_id)
        assert set(new.texts) == texts
        new.texts.clear()
        project = await desk.model()
        assert (await desk.retrieval.run(project, QUESTION)).tables
        assert new.texts == [QUESTION]
        await warming.stop()


class FailsOnce(CountingEmbedder):
    """Is out of reach for the first call."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.broken = not self.texts and not self.broken
        return await super().embed(texts)


async def test_a_model_that_cannot_be_made_ready_leaves_the_others(tmp_path: Path) -> None:
    old = CountingEmbedder("old")
    async with open_desk(tmp_path, old) as desk:
        for project_id in ("first", "second"):
            await desk.prepare(tiny_shop.manifest(), "m1", project_id)
    new = FailsOnce("new")
    async with open_desk(tmp_path, new) as desk:
        warming = Warming(desk.record, desk.projects, desk.retrieval)
        warming.start()
        await until_embedded(new, len(set(old.texts)))  # nobody has asked
        project = await desk.model(project_id="first")
        assert (await desk.retrieval.run(project, QUESTION)).tables
        await warming.stop()


class Endless(CountingEmbedder):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__("new")
        self.asked = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked.set()
        await asyncio.Event().wait()
        return await super().embed(texts)


async def test_it_can_be_stopped_in_the_middle_and_twice(tmp_path: Path) -> None:
    async with open_desk(tmp_path, CountingEmbedder("old")) as desk:
        await desk.prepare(tiny_shop.manifest())
    embedder = Endless()
    async with open_desk(tmp_path, embedder) as desk:
        warming = Warming(desk.record, desk.projects, desk.retrieval)
        warming.start()
        async with asyncio.timeout(10):
            await embedder.asked.wait()
            await warming.stop()
            await warming.stop()
        assert "warming" not in {task.get_name() for task in asyncio.all_tasks()}
